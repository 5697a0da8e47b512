"""What a machine needs for Ensue: each check says what it found, and what to do if that is not enough."""

import os
import platform
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from itertools import pairwise
from pathlib import Path

from ensue.errors import EnsueError

LEAST_PYTHON = (3, 11)
LEAST_MEMORY, SCARCE_MEMORY = 1 << 30, 3 << 30
LEAST_DISK, SCARCE_DISK = 200 << 20, 2 << 30
_AGAIN = "in a checkout, remove .venv and start ./ensue again; else: python -m pip install --upgrade ensue"


class Level(Enum):
    FINE = "fine"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Health:
    """What was looked at, whether it is well, what was found, and what to do."""

    what: str
    level: Level
    says: str
    todo: str = ""


def python() -> Health:
    found = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info[:2] < LEAST_PYTHON:
        wanted = ".".join(map(str, LEAST_PYTHON))
        return Health("Python", Level.WRONG, found, f"Ensue needs {wanted} or newer: install it, put it on the PATH")
    return Health("Python", Level.FINE, found)


def dependencies() -> Iterator[Health]:
    """The libraries that are missing or of a version that is not supported; else a line for all of them."""
    wrong = []
    versions = []
    for requirement in metadata.requires("ensue") or ():
        name, limits = _requirement(requirement)
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            wrong.append(Health(name, Level.WRONG, "is not installed", _AGAIN))
            continue
        versions.append(f"{name} {found}")
        if not all(_fits(found, *limit) for limit in limits):
            wanted = ", ".join(sign + version for sign, version in limits)
            wrong.append(Health(name, Level.WRONG, f"{found}, and {wanted} is supported", _AGAIN))
    yield from wrong or [Health("libraries", Level.FINE, ", ".join(versions))]


def numba_cache() -> Health:
    """Compiled kernels are kept beside their sources, or where NUMBA_CACHE_DIR says; else each start compiles anew."""
    from ensue.engine import kernels

    named = os.environ.get("NUMBA_CACHE_DIR")
    place = Path(named) if named else Path(kernels.__path__[0]) / "__pycache__"
    if _writable(place):
        return Health("Numba cache", Level.FINE, str(place))
    todo = "every start compiles for half a minute: set NUMBA_CACHE_DIR to a folder that can be written"
    return Health("Numba cache", Level.NOTE, f"{place} cannot be written", todo)


def memory() -> Health:
    available = _available_memory()
    if available is None:
        return Health("memory", Level.NOTE, "how much there is cannot be told on this system")
    says = f"{available / (1 << 30):.1f} GB available"
    if available < LEAST_MEMORY:
        return Health("memory", Level.WRONG, says, "Spark alone needs 1 GB: end something else, or use another machine")
    if available < SCARCE_MEMORY:
        return Health("memory", Level.NOTE, says, "enough for small things; with --master 'local[1]' Spark needs less")
    return Health("memory", Level.FINE, says)


def disk() -> Iterator[Health]:
    """Here, where data folders go unless told otherwise, and where Spark and Ensue keep temporary files."""
    for what, place in (("disk", Path.cwd()), ("temporary", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(place).free
        says = f"{free / (1 << 30):.1f} GB free in {place}"
        if not _writable(place):
            todo = "set TMPDIR to a folder that can be written" if what == "temporary" else "give --data FOLDER"
            yield Health(what, Level.WRONG if what == "temporary" else Level.NOTE, f"{place} cannot be written", todo)
        elif free < LEAST_DISK:
            yield Health(what, Level.WRONG, says, "make space; TMPDIR and --data name other places")
        elif free < SCARCE_DISK:
            yield Health(what, Level.NOTE, says, "little for a long run: tables and checkpoints grow")
        else:
            yield Health(what, Level.FINE, says)


def java() -> Health:
    from ensue.spark.java import check_java, program, version

    home = os.environ.get("JAVA_HOME")
    where = f"JAVA_HOME is {home}" if home else "JAVA_HOME is not set"
    try:
        check_java()
    except EnsueError as error:
        problem = error.diagnostics[0]
        return Health("Java", Level.WRONG, problem.message, problem.hint or "")
    found = program()
    known = version(found) if found else None
    if known not in (17, 21):
        todo = "17 and 21 are tested; with others Spark may say strange things"
        return Health("Java", Level.NOTE, f"{known}, {found}; {where}", todo)
    return Health("Java", Level.FINE, f"{known}, {found}; {where}")


def jars() -> Iterator[Health]:
    """Jars that PYSPARK_SUBMIT_ARGS names, for Kafka and Delta; nothing if it names none."""
    try:
        words = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    except ValueError as error:
        yield Health("jars", Level.WRONG, f"PYSPARK_SUBMIT_ARGS cannot be read: {error}", "close its quotation marks")
        return
    given = {option: value for option, value in pairwise(words) if option.startswith("--")}
    for jar in filter(None, given.get("--jars", "").split(",")):
        there = "://" in jar or Path(jar).is_file()
        todo = "" if there else "correct the path in PYSPARK_SUBMIT_ARGS (docs/kafka.md lists the jars)"
        yield Health("jar", Level.FINE if there else Level.WRONG, jar if there else f"there is no file {jar}", todo)
    for package in filter(None, given.get("--packages", "").split(",")):
        yield _package(package)
    if words and words[-1] != "pyspark-shell":
        todo = "add pyspark-shell at its end, or Spark does not start"
        yield Health("jars", Level.WRONG, "PYSPARK_SUBMIT_ARGS does not end with pyspark-shell", todo)


def spark() -> Health:
    """Starts Spark and has a Python worker do something: that is where set-ups break."""
    from ensue.spark.programs.session import session

    started = time.monotonic()
    try:
        with session("ensue doctor", "local[1]", settings={"spark.ui.enabled": "false"}) as running:
            count = running.range(3).mapInArrow(lambda batches: batches, "id bigint").count()
            version = running.version
    except EnsueError as error:
        problem = error.diagnostics[0]
        return Health("Spark", Level.WRONG, problem.message, problem.hint or "")
    except Exception as error:  # noqa: BLE001  # whatever Spark says, it is what is wrong
        first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        todo = "a Python worker does not work: is PYSPARK_PYTHON another Python than this one?"
        return Health("Spark", Level.WRONG, first, todo)
    took = time.monotonic() - started
    return Health(
        "Spark", Level.FINE if count == 3 else Level.WRONG, f"{version} starts, and its workers, in {took:.0f} s"
    )


def _package(package: str) -> Health:
    """A connector of Spark has to be of Spark's version, and of its Scala."""
    spark_version = metadata.version("pyspark")
    version = package.rsplit(":", 1)[-1]
    own = package.startswith("org.apache.spark:")
    if own and (version != spark_version or "_2.13" not in package):
        todo = f"take the one for Spark {spark_version} and Scala 2.13: …_2.13:{spark_version}"
        return Health("package", Level.WRONG, f"{package} is for another Spark", todo)
    if package.startswith("io.delta:"):
        todo = "the newest Delta, 4.4.0, is for Spark 4.2, and fails on 4.3 (docs/programs.md)"
        return Health("package", Level.WRONG, package, todo)
    return Health("package", Level.FINE, package)


def _requirement(text: str) -> tuple[str, list[tuple[str, str]]]:
    """`pyspark<4.4,>=4.3` as a name and its limits; what stands behind a semicolon is about other systems."""
    plain = text.partition(";")[0]
    name = re.match(r"[\w.-]+", plain)
    return (name[0] if name else plain), re.findall(r"(<=|>=|==|<|>)\s*([\d.]+)", plain)


def _fits(found: str, sign: str, wanted: str) -> bool:
    one, other = (tuple(map(int, re.findall(r"\d+", version)[:3])) for version in (found, wanted))
    same = one[: len(other)] == other
    return {"<": one < other, "<=": one < other or same, ">": one > other and not same, ">=": one >= other, "==": same}[
        sign
    ]


def _writable(place: Path) -> bool:
    while not place.exists() and place != place.parent:
        place = place.parent
    return os.access(place, os.W_OK)


def _available_memory() -> int | None:
    try:
        said = Path("/proc/meminfo").read_text("ascii")
        return int(re.findall(r"MemAvailable:\s+(\d+)", said)[0]) << 10
    except (OSError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
