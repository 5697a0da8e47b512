"""Peers in Java: Flink CEP, Esper and Siddhi, each a process of its own that runs when a line comes in."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from tools import get_jars

from bench.data import TYPES
from bench.peers import epl, flink_steps, match_recognize, siddhi_ql
from bench.peers.asked import Asked, Query
from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.peers.sides import Ready, Side, TooSlowError
from bench.workloads import Workload

HERE = Path(__file__).parent
OPENED = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.util", "java.lang", "java.time")]
HEAP = "-Xmx4g"


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
def process(
    peer: str, program: str, asked: Asked, plain: Path, more: Sequence[str], patience: float | None = None
) -> Iterator[Ready]:
    """A peer that is asked something, with columns of events; it has so many seconds for a run."""
    with tempfile.TemporaryDirectory() as folder:
        text = asked.write(Path(folder) / "asked")
        with _running(peer, [program, str(text), str(plain), *more], patience) as ready:
            yield ready


@contextmanager
def _running(peer: str, arguments: Sequence[str], patience: float | None) -> Iterator[Ready]:
    command = ["java", HEAP, *OPENED, "-cp", ":".join(compiled(peer)), *arguments]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as java,
    ):
        words, answers = java.stdin, java.stdout
        if words is None or answers is None:
            raise RuntimeError("there are no pipes")

        def answer() -> dict[str, Any]:
            waited = threading.Event()

            def stop() -> None:
                waited.set()
                java.kill()

            timer = threading.Timer(patience or threading.TIMEOUT_MAX, stop)
            timer.daemon = True
            timer.start()
            line = answers.readline()
            timer.cancel()
            if waited.is_set():
                raise TooSlowError
            if not line:
                errors.seek(0)
                raise RuntimeError(f"the peer {peer} failed:\n{errors.read()[-4000:]}")
            return dict(json.loads(line))

        def run() -> Matches:
            words.write("\n")
            words.flush()
            found = answer()
            return Matches(found["matches"], found["sum"])

        try:
            answer()
            yield Ready(lambda: run().count, run, lambda: [psutil.Process(java.pid)])
        finally:
            java.kill()


def _asked(workload: Workload, texts: Mapping[str, str], preface: str = "") -> Asked:
    """W1 to W4 in a peer's own language; noise is left out."""
    above, wanted = (0.9, "D") if workload.name == "W4" else (-math.inf, "ABC")
    query = Query(workload.width, texts[workload.name])
    return Asked(TYPES, frozenset(wanted), [query], above=above, preface=preface)


def flink(parallelism: int, state: str) -> Side:
    """Flink CEP with its state on the heap, or in RocksDB with a checkpoint every five seconds.

    With RocksDB it takes about a thousand events a second, and so gets fewer of them.
    """

    @contextmanager
    def start(workload: Workload, inputs: Inputs) -> Iterator[Ready]:
        asked = _asked(workload, flink_steps.WORKLOADS)
        with (
            tempfile.TemporaryDirectory() as checkpoints,
            process("flink", "FlinkCep", asked, inputs.plain, [str(parallelism), state, checkpoints]) as ready,
        ):
            yield ready

    return Side(f"Flink CEP, {state}, {parallelism}", start, part=100 if state == "rocksdb" else 1)


def flink_sql(parallelism: int) -> Side:
    """MATCH_RECOGNIZE, with its state on the heap."""

    def start(workload: Workload, inputs: Inputs) -> AbstractContextManager[Ready]:
        asked = _asked(workload, match_recognize.WORKLOADS)
        return process("flink", "FlinkSql", asked, inputs.plain, [str(parallelism), "heap"])

    return Side(f"Flink SQL, {parallelism}", start, cannot=frozenset({"W2"}))


def esper(parallelism: int) -> Side:
    def start(workload: Workload, inputs: Inputs) -> AbstractContextManager[Ready]:
        return process("esper", "Esper", _asked(workload, epl.WORKLOADS), inputs.plain, [str(parallelism)])

    return Side(f"Esper, {parallelism}", start)


def siddhi(parallelism: int) -> Side:
    def start(workload: Workload, inputs: Inputs) -> AbstractContextManager[Ready]:
        asked = _asked(workload, siddhi_ql.WORKLOADS, siddhi_ql.preface("ABCD"))
        return process("siddhi", "Siddhi", asked, inputs.plain, [str(parallelism)])

    return Side(f"Siddhi, {parallelism}", start, cannot=frozenset({"W2"}))
