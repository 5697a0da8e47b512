"""The sides of the streaming benchmark: how each one is started for a workload."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools import get_jars

from bench.data import TYPES
from bench.peers import in_java
from bench.peers.orders import Ordered, ordered
from bench.peers.sides import Kind
from bench.streams.asking import Asking
from bench.streams.paced import MODES
from bench.workloads import Workload


@dataclass(frozen=True)
class StreamSide:
    """What is started is given the address of a broker, or the number of events and the file that they are in."""

    name: str
    start: Callable[[Workload, Sequence[str]], AbstractContextManager[Ordered]]
    kind: Kind = "peer"
    cannot: frozenset[str] = frozenset()

    @property
    def word(self) -> str:
        """Its name, as topics may have it."""
        return "".join(letter for letter in self.name if letter.isalnum())


def on_spark() -> StreamSide:
    def start(workload: Workload, given: Sequence[str]) -> AbstractContextManager[Ordered]:
        jars = ",".join(map(str, get_jars.jars("spark-kafka")))
        command = [sys.executable, "-m", "bench.streams.query", workload.name, *given]
        return ordered("Ensue on Spark", command, {"PYSPARK_SUBMIT_ARGS": f"--jars {jars} pyspark-shell"})

    return StreamSide("Ensue on Spark", start, kind="ours")


def flink(state: str, parallelism: int) -> StreamSide:
    @contextmanager
    def start(workload: Workload, given: Sequence[str]) -> Iterator[Ordered]:
        with tempfile.TemporaryDirectory() as folder:
            asked = in_java.asked_of("FlinkKafka", workload).write(Path(folder) / "asked")
            with in_java.started("FlinkKafka", asked, *given, parallelism, state) as java:
                yield java

    return StreamSide(f"Flink CEP, {state}, {parallelism}", start)


def in_process() -> list[StreamSide]:
    """Those that run inside a program, and are fed there."""
    return [*(_ours(mode) for mode in MODES), _java_engine("Esper"), _java_engine("Siddhi", "W2")]


def _ours(mode: str) -> StreamSide:
    def start(workload: Workload, given: Sequence[str]) -> AbstractContextManager[Ordered]:
        count, plain = given
        return detecting(Asking(str(workload.pattern), TYPES, plain, int(count)), mode)

    return StreamSide(f"ensue.Detector, {mode}", start, kind="ours")


@contextmanager
def detecting(asking: Asking, mode: str, patience: float | None = None) -> Iterator[Ordered]:
    """A detector in a process of its own; it has so many seconds for an answer."""
    with tempfile.TemporaryDirectory() as folder:
        file = asking.write(Path(folder) / "asking")
        command = [sys.executable, "-m", "bench.streams.paced", str(file), mode]
        with ordered("ensue.Detector", command, patience=patience) as process:
            yield process


def _java_engine(name: Literal["Esper", "Siddhi"], *cannot: str) -> StreamSide:
    @contextmanager
    def start(workload: Workload, _: Sequence[str]) -> Iterator[Ordered]:
        with tempfile.TemporaryDirectory() as folder, in_java.started(name) as java:
            java.say("ask", in_java.asked_of(name, workload).write(Path(folder) / "asked"))
            yield java

    return StreamSide(name, start, cannot=frozenset(cannot))
