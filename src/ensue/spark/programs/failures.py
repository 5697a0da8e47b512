"""Why a query ended, in our words where we know them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path

from ensue.errors import Diagnostic, EnsueError, InputError, StateError
from ensue.spark.programs.damage import damage, damaged
from ensue.spark.programs.sources import first_line

_OURS = re.compile(r"(?:ensue\.errors\.\w+|(?<![\w.])): ?(?:\S+: )?(E\d{3}): (.+)")
_HINT = re.compile(r"\n\s+hint: (.+)")
_HEADERS = re.compile(r"CSV header|number of columns in CSV", re.IGNORECASE)
_FULL = re.compile(r"No space left on device|Disk quota exceeded", re.IGNORECASE)
_DAMAGED = re.compile(
    r"CANNOT_LOAD_STATE_STORE|STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY|FAILED_TO_READ_OPERATOR_METADATA"
    r"|STREAMING_CHECKPOINT_MISSING_METADATA_FILE|Failed to read log file|not found in offset log"
    r"|batch \d+ doesn't exist|Incomplete log file|/state/\S+ does not exist|com\.fasterxml\.jackson"
    r"|Unexpected end-of-input|Unexpected character|Malformed log file"
)
_LOST_WORKER = re.compile(
    r"Python worker (?:process )?(?:exited|terminated|failed)|PYTHON_WORKER_\w+|IOException: Stream closed"
    r"|PythonRDD\S*: Connection reset|SocketException: (?:Connection reset|Broken pipe)|java\.io\.EOFException"
)
_CAUSE = re.compile(r"^Caused by: (?:[\w$]+\.)*([\w$]+)(?:: (.*))?$", re.MULTILINE)
_STREAM = re.compile(r"^\[STREAM_FAILED\] Query \[.*?\] terminated with exception: ")
_MOST_FILES = 3
GOES_ON = "nothing is lost: start again, and it goes on where it was"


def failure(error: BaseException, data: Path | None = None) -> EnsueError:
    """The error of a query: one of Ensue's, from wherever it was raised, or what Spark says.

    `data` is the folder of the run, if there is one: it may be damaged, and then the files are named.
    """
    text = str(error)
    ours = _OURS.search(text)
    if ours is not None:
        advice = _HINT.match(text, ours.end())
        found = Diagnostic(ours.group(1), ours.group(2), hint=advice.group(1) if advice else None)
        return StateError(found) if found.code.startswith("E5") else InputError(found)
    if _HEADERS.search(text):
        said = re.search(r"Header:.*", text)
        message = f"a CSV file has other columns than its class: {said.group(0) if said else first_line(error)}"
        hint = "declare the attributes in the order of the file's columns, or say header 'false'"
        return InputError(Diagnostic("E604", message, hint=hint))
    if _FULL.search(text):
        return _full(data)
    if _DAMAGED.search(text):
        return _damage(text, data)
    if "failed to connect back" in text:
        message = "a Python worker of Spark did not start in time (Spark waits ten seconds): the machine is too busy"
        return InputError(Diagnostic("E436", message, hint=GOES_ON))
    if _LOST_WORKER.search(text):
        message = "a Python worker of Spark has ended unexpectedly: it was killed, or there was not enough memory"
        hint = f"{GOES_ON}; with --master 'local[*,4]' Spark itself tries each task up to four times"
        return InputError(Diagnostic("E436", message, hint=hint))
    message = f"the run ended by an error of Spark: {_reason(text)}"
    return InputError(Diagnostic("E435", message, hint=f"-v shows Spark's own words; {GOES_ON}"))


@contextmanager
def told_clearly(data: Path) -> Iterator[None]:
    """Whatever Spark, its process or the disk does not do while a run starts or goes, in our words."""
    from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise failure(error, data) from None
    except (Py4JError, ConnectionError):  # no answer at all
        raise _lost() from None
    except OSError as error:
        if error.errno in {ENOSPC, EDQUOT}:
            raise _full(data) from None
        raise InputError(Diagnostic("E605", f"{error.filename or data} cannot be written: {error.strerror}")) from None


def _lost() -> EnsueError:
    """Spark itself is gone: its process does not answer."""
    message = "Spark's own process (Java) has ended unexpectedly: it was killed, or there was not enough memory"
    return InputError(Diagnostic("E436", message, hint=GOES_ON))


def _full(data: Path | None) -> EnsueError:
    """A disk is full: that of the data folder, or that of Spark's temporary files."""
    where = f"{data} and for " if data is not None else ""
    hint = f"make space for {where}Spark's temporary files ({tempfile.gettempdir()}); {GOES_ON}"
    return InputError(Diagnostic("E605", "there is no space left on a disk", hint=hint))


def _damage(text: str, data: Path | None) -> EnsueError:
    checkpoint = None if data is None else data / "checkpoint"
    files = damaged(checkpoint) if checkpoint is not None and checkpoint.exists() else []
    part = "its state cannot be read: " if "STATE_STORE" in text else ""
    said = "; ".join(files[:_MOST_FILES]) or f"{part}{_reason(text)}"
    more = f"; and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return damage(checkpoint, f"{said}{more}")


def _reason(text: str) -> str:
    """What an error of Spark comes from: the innermost cause, if a stack tells of causes, else its first line."""
    first = _STREAM.sub("", next((line.strip() for line in text.splitlines() if line.strip()), ""))
    causes: list[tuple[str, str]] = _CAUSE.findall(text)
    if "Traceback" in first and causes:
        kind, said = causes[-1]
        return said or kind
    return first
