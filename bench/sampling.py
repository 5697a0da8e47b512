"""What running processes do, seen many times a second: Python's by py-spy, Java's by its own flight recorder.

Neither has to be started in a special way. Of Java, what it does for itself (compiling, tidying up) is in no stack: it
is told by the processor time of the threads.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import psutil  # type: ignore[import-untyped]

Frames: TypeAlias = tuple[str, ...]
"""Functions, the outermost first; each as `name (file)`, or as a method of a class in Java."""

RATE = 100
"""Looks a second."""
_RECORDING = "ensue"
_STACK = re.compile(r'(?:^process \d+:"[^"]*";)?([^\n]+) (\d+)$', re.MULTILINE)
"""As py-spy writes it; with forks, the process and its command come first, which may go over several lines."""


@dataclass
class Seen:
    """How often which stack was seen, and how many seconds of the processors threads of Java used, by their names."""

    python: Counter[Frames] = field(default_factory=Counter)
    java: Counter[Frames] = field(default_factory=Counter)
    threads: Counter[str] = field(default_factory=Counter)


@contextmanager
def looking_at(processes: Iterable[psutil.Process]) -> Iterator[Seen]:
    """Look at processes for as long as this lasts; what was seen is there afterwards. The one that asks is left out."""
    seen = Seen()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for one in processes:
            if one.pid == os.getpid():
                continue
            place = Path(folder) / str(one.pid)
            name = one.name()
            if name.startswith("python") and not _below_python(one):
                stack.enter_context(_python(one, place, seen))
            elif name.startswith("java"):
                stack.enter_context(_java(one, place, seen))
        yield seen


def _below_python(process: psutil.Process) -> bool:
    """Whether it is among those that py-spy finds by itself: what a Python process has forked."""
    parent = process.parent()
    return parent is not None and parent.cmdline() == process.cmdline()


@contextmanager
def _python(process: psutil.Process, place: Path, seen: Seen) -> Iterator[None]:
    order = [_py_spy(), "record", "--pid", str(process.pid), "--subprocesses", "--format", "raw", "--nolineno"]
    said = place.with_suffix(".log")
    with said.open("w") as log:
        looking = subprocess.Popen(
            [*order, "--rate", str(RATE), "--output", str(place)], stdout=log, stderr=subprocess.STDOUT
        )
    while looking.poll() is None and "Sampling" not in said.read_text("utf-8"):
        time.sleep(0.05)
    if looking.poll() is not None:
        raise SystemExit(f"py-spy cannot look at process {process.pid}: {said.read_text('utf-8').strip()}")
    try:
        yield
    finally:
        looking.send_signal(signal.SIGINT)
        looking.wait()
    for frames, count in _STACK.findall(place.read_text("utf-8")):
        seen.python[tuple(frames.split(";"))] += int(count)


def _py_spy() -> str:
    found = Path(sys.executable).with_name("py-spy")
    if not found.exists():
        raise SystemExit("There is no py-spy beside this Python: `./ensue bench profiles` in a checkout installs it.")
    return str(found)


@contextmanager
def _java(process: psutil.Process, place: Path, seen: Seen) -> Iterator[None]:
    recording = place.with_suffix(".jfr")
    _ask(process, "JFR.start", f"name={_RECORDING}", "settings=profile")
    before = _threads(process)
    try:
        yield
    finally:
        seen.threads.update(_threads(process) - before)
        _ask(process, "JFR.stop", f"name={_RECORDING}", f"filename={recording}")
    seen.java.update(_stacks(recording))


def _ask(process: psutil.Process, *order: str) -> None:
    asked = subprocess.run([_of_the_jdk("jcmd"), str(process.pid), *order], capture_output=True, text=True, check=False)
    if asked.returncode:
        raise SystemExit(f"jcmd cannot look at process {process.pid}: {(asked.stderr or asked.stdout).strip()}")


def _of_the_jdk(tool: str) -> str:
    found = shutil.which(tool)
    if found is None:
        raise SystemExit(f"There is no {tool} on the PATH: install a JDK (17 or later).")
    return found


def _stacks(recording: Path) -> Iterator[Frames]:
    told = subprocess.run(
        [
            _of_the_jdk("jfr"),
            "print",
            "--json",
            "--stack-depth",
            "64",
            "--events",
            "jdk.ExecutionSample",
            str(recording),
        ],
        check=True,
        capture_output=True,
    )
    for event in json.loads(told.stdout)["recording"]["events"]:
        trace = event["values"]["stackTrace"]
        if trace is not None:
            methods = (frame["method"] for frame in reversed(trace["frames"]))
            yield tuple(f"{one['type']['name'].replace('/', '.')}.{one['name']}" for one in methods)


def _threads(process: psutil.Process) -> Counter[str]:
    """The seconds that its threads have used so far, by their names without numbers."""
    found: Counter[str] = Counter()
    for one in process.threads():
        with suppress(OSError):
            name = Path(f"/proc/{process.pid}/task/{one.id}/comm").read_text("utf-8").strip()
            found[name.rstrip("0123456789#- ")] += one.user_time + one.system_time
    return found
