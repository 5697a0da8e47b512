"""Peers in Java: Flink CEP, Esper and Siddhi, each a process of its own that runs when a line comes in."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from tools import get_jars

from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.peers.sides import Ready, Side
from bench.workloads import Workload

HERE = Path(__file__).parent
OPENED = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.util", "java.lang", "java.time")]
HEAP = "-Xmx4g"


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
    sources = [HERE / "java" / "Peer.java", *sorted((HERE / name).glob("*.java"))]
    path = ":".join(map(str, jars))
    command = ["javac", "-nowarn", "-d", str(classes), "-cp", path, *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the peer {name} cannot be compiled:\n{done.stderr}")
    return [str(classes), path]


@contextmanager
def _process(name: str, program: str, workload: Workload, inputs: Inputs, more: Sequence[str]) -> Iterator[Ready]:
    command = ["java", HEAP, *OPENED, "-cp", ":".join(compiled(name)), program, workload.name, str(inputs.plain), *more]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        words, answers = process.stdin, process.stdout
        if words is None or answers is None:
            raise RuntimeError("there are no pipes")

        def answer() -> dict[str, Any]:
            line = answers.readline()
            if not line:
                errors.seek(0)
                raise RuntimeError(f"the peer {name} failed at {workload.name}:\n{errors.read()[-4000:]}")
            return dict(json.loads(line))

        def run() -> Matches:
            words.write("\n")
            words.flush()
            found = answer()
            return Matches(found["matches"], found["sum"])

        answer()
        try:
            yield Ready(lambda: run().count, run, lambda: [psutil.Process(process.pid)])
        finally:
            process.kill()


def flink(parallelism: int, state: str) -> Side:
    """Flink CEP with its state on the heap, or in RocksDB with a checkpoint every five seconds.

    With RocksDB it takes far fewer events a second, and so gets only some of them.
    """
    start = partial(_flink, "FlinkCep", parallelism, state)
    return Side(f"Flink CEP, {state}, {parallelism}", start, part=10 if state == "rocksdb" else 1)


def flink_sql(parallelism: int) -> Side:
    """MATCH_RECOGNIZE, with its state on the heap."""
    start = partial(_flink, "FlinkSql", parallelism, "heap")
    return Side(f"Flink SQL, {parallelism}", start, cannot=frozenset({"W2"}))


@contextmanager
def _flink(program: str, parallelism: int, state: str, workload: Workload, inputs: Inputs) -> Iterator[Ready]:
    with tempfile.TemporaryDirectory() as checkpoints:
        more = [str(parallelism), state, checkpoints]
        with _process("flink", program, workload, inputs, more) as ready:
            yield ready


def esper(parallelism: int) -> Side:
    return Side(
        f"Esper, {parallelism}",
        lambda workload, inputs: _process("esper", "Esper", workload, inputs, [str(parallelism)]),
    )


def siddhi(parallelism: int) -> Side:
    return Side(
        f"Siddhi, {parallelism}",
        lambda workload, inputs: _process("siddhi", "Siddhi", workload, inputs, [str(parallelism)]),
        cannot=frozenset({"W2"}),
    )
