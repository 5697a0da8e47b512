"""Peers in Java: Flink CEP, Esper and Siddhi, each a process of its own that runs when a line comes in."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Literal, TypeAlias

from tools import get_jars

from bench.data import TYPES
from bench.peers import epl, flink_steps, match_recognize, siddhi_ql
from bench.peers.asked import Asked, Query
from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.peers.orders import Ordered, ordered
from bench.peers.sides import Ready, Side
from bench.workloads import Workload

HERE = Path(__file__).parent
OPENED = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.util", "java.lang", "java.time")]
HEAP = "-Xmx4g"
WARM = 3_000_000
"""So many events are a run of Flink, which takes ten seconds and more for them."""
SLOW = 300_000
"""With RocksDB these take as long as ten times as many on the heap."""
Program: TypeAlias = Literal["FlinkCep", "FlinkKafka", "FlinkSql", "Esper", "Siddhi"]
LANGUAGES: Mapping[Program, Mapping[str, str]] = {
    "FlinkCep": flink_steps.WORKLOADS,
    "FlinkKafka": flink_steps.WORKLOADS,
    "FlinkSql": match_recognize.WORKLOADS,
    "Esper": epl.WORKLOADS,
    "Siddhi": siddhi_ql.WORKLOADS,
}


@cache
def compiled(name: str) -> list[str]:
    """The class path of a peer, which is compiled first; its jars are brought if they are not there."""
    if shutil.which("javac") is None:
        raise SystemExit(
            "The peers in Java are compiled here, and there is no javac on the PATH: install a JDK (17 or later)."
        )
    try:
        jars = get_jars.jars(name, HERE)
    except get_jars.NoJarsError as error:
        raise SystemExit(str(error)) from None
    classes = get_jars.JARS / name / "classes"
    sources = [*sorted((HERE / "java").glob("*.java")), *sorted((HERE / name).glob("*.java"))]
    path = ":".join(map(str, jars))
    command = ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", path, *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the peer {name} cannot be compiled:\n{done.stderr}")
    return [str(classes), path]


@contextmanager
def started(program: Program, asked: Asked, more: Sequence[object], patience: float | None = None) -> Iterator[Ordered]:
    """A peer that is asked something; it has so many seconds for an answer."""
    peer = "flink" if program.startswith("Flink") else program.lower()
    with tempfile.TemporaryDirectory() as folder:
        arguments = [program, asked.write(Path(folder) / "asked"), *more]
        command = ["java", HEAP, *OPENED, "-cp", ":".join(compiled(peer)), *map(str, arguments)]
        with ordered(f"the peer {program}", command, patience=patience) as java:
            yield java


@contextmanager
def process(
    program: Program, asked: Asked, plain: Path, more: Sequence[object], patience: float | None = None
) -> Iterator[Ready]:
    """A peer that runs over columns of events each time a line comes in."""
    with started(program, asked, [plain, *more], patience) as java:

        def run() -> Matches:
            found = java.order()
            return Matches(found["matches"], found["sum"])

        def rest() -> None:
            """Java gives back what it does not need when it has collected all."""
            for one in java.processes():
                command = ["jcmd", str(one.pid), "GC.run"]
                subprocess.run(command, capture_output=True, check=False)

        java.answer()
        yield Ready(lambda: run().count, run, java.processes, rest)


def asked_of(program: Program, workload: Workload) -> Asked:
    """W1 to W4 in a peer's own language; noise is left out."""
    above, wanted = (0.9, "D") if workload.name == "W4" else (-math.inf, "ABC")
    query = Query(workload.width, LANGUAGES[program][workload.name])
    preface = siddhi_ql.preface("ABCD") if program == "Siddhi" else ""
    return Asked(TYPES, frozenset(wanted), [query], above=above, preface=preface)


def flink(parallelism: int, state: str) -> Side:
    """Flink CEP with its state on the heap, or in RocksDB with a checkpoint every five seconds.

    With RocksDB it takes far fewer events a second, and so gets only some of them.
    """
    start = partial(_start, "FlinkCep", [parallelism, state])
    return Side(f"Flink CEP, {state}, {parallelism}", start, most=SLOW if state == "rocksdb" else WARM)


def flink_sql(parallelism: int) -> Side:
    """MATCH_RECOGNIZE, with its state on the heap."""
    start = partial(_start, "FlinkSql", [parallelism, "heap"])
    return Side(f"Flink SQL, {parallelism}", start, cannot=frozenset({"W2"}), most=WARM)


def esper(parallelism: int) -> Side:
    return Side(f"Esper, {parallelism}", partial(_start, "Esper", [parallelism]))


def siddhi(parallelism: int) -> Side:
    start = partial(_start, "Siddhi", [parallelism])
    return Side(f"Siddhi, {parallelism}", start, cannot=frozenset({"W2"}))


def _start(
    program: Program, more: Sequence[object], workload: Workload, inputs: Inputs
) -> AbstractContextManager[Ready]:
    return process(program, asked_of(program, workload), inputs.plain, more)
