"""Peers in Java: Flink CEP, Esper and Siddhi, each a process of its own that takes orders (java/Peer.java)."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tools import get_jars

from bench.data import TYPES
from bench.peers import epl, flink_steps, match_recognize, siddhi_ql
from bench.peers.asked import Asked, Query
from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.peers.orders import EndedError, Ordered, ordered
from bench.peers.sides import Ready, Side, TooSlowError
from bench.workloads import Workload

if TYPE_CHECKING:
    import psutil  # type: ignore[import-untyped]

HERE = Path(__file__).parent
OPENED = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("util", "lang", "time", "nio")]
UNCHECKED = ["-Darrow.enable_unsafe_memory_access=true", "-Darrow.enable_null_check_for_get=false"]
"""Arrow is faster so; what it gives is checked by what is found."""
HEAP = "-Xmx4g"
ENOUGH = 3_000_000
"""So many events are a run of Flink with RocksDB: minutes, of which less than one second is what any run costs."""
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
        jars = [jar for one in (name, "parquet") for jar in get_jars.jars(one, HERE)]
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


def started(program: Program, *arguments: object, patience: float | None = None) -> AbstractContextManager[Ordered]:
    """A peer; it has so many seconds for an answer."""
    peer = "flink" if program.startswith("Flink") else program.lower()
    command = ["java", HEAP, *OPENED, *UNCHECKED, "-cp", ":".join(compiled(peer)), program, *map(str, arguments)]
    return ordered(f"the peer {program}", command, patience=patience)


class Process:
    """A peer's process, started when it is first needed.

    Several sides and questions have it in common: it is warm for all but the first of them.
    """

    def __init__(self, program: Program, *arguments: str) -> None:
        self._program, self._arguments = program, arguments
        self._stack = ExitStack()
        self._running: Ordered | None = None
        self._warm = self._rested = False

    @contextmanager
    def ready(
        self, asked: Asked, parquet: Path, count: int, parallelism: int, patience: float | None = None
    ) -> Iterator[Ready]:
        """It is asked something, and then runs over the first events whenever it is its turn, so long at most."""
        if self._running is None:
            self._running = self._stack.enter_context(started(self._program, *self._arguments, patience=patience))
        with tempfile.TemporaryDirectory() as folder:
            self._order("ask", asked.write(Path(folder) / "asked"))

            def run() -> Matches:
                found = self._order("run", parquet, count, parallelism)
                self._warm, self._rested = True, False
                return Matches(found["matches"], found["sum"])

            yield Ready(
                lambda: run().count,
                run,
                self._processes,
                warm=lambda: self._warm,
                rest=self._rest,
                rested=lambda: self._rested,
            )

    def end(self) -> None:
        """Whoever is asked afterwards starts it anew."""
        self._stack.close()
        self._running = None
        self._warm = self._rested = False

    def _order(self, *words: object) -> dict[str, Any]:
        if self._running is None:
            raise RuntimeError(f"the peer {self._program} does not run")
        try:
            return self._running.order(*words)
        except (TooSlowError, EndedError):
            self.end()
            raise

    def _rest(self) -> None:
        """Java gives back what it does not need when it has collected all."""
        for one in self._processes():
            command = ["jcmd", str(one.pid), "GC.run"]
            subprocess.run(command, capture_output=True, check=False)
        self._rested = True

    def _processes(self) -> list[psutil.Process]:
        return [] if self._running is None else self._running.processes()


def asked_of(program: Program, workload: Workload) -> Asked:
    """W1 to W4 in a peer's own language; noise is left out. Flink has W4's condition in a filter of its own, before."""
    wanted = "D" if workload.name == "W4" else "ABC"
    above = 0.9 if workload.name == "W4" and program.startswith("Flink") else -math.inf
    query = Query(workload.width, LANGUAGES[program][workload.name])
    preface = siddhi_ql.preface("ABCD") if program == "Siddhi" else ""
    valued = workload.name in {"W2", "W4"}
    return Asked(TYPES, frozenset(wanted), [query], above=above, valued=valued, preface=preface)


def flink(state: Literal["heap", "rocksdb"]) -> list[Side]:
    """Flink CEP with its state on the heap, or in RocksDB with a checkpoint every five seconds."""
    return _sides(f"Flink CEP, {state}", "FlinkCep", state, most=ENOUGH if state == "rocksdb" else None)


def flink_sql() -> list[Side]:
    """MATCH_RECOGNIZE, with its state on the heap."""
    return _sides("Flink SQL", "FlinkSql", "heap", cannot="W2")


def esper() -> list[Side]:
    return _sides("Esper", "Esper")


def siddhi() -> list[Side]:
    return _sides("Siddhi", "Siddhi", cannot="W2")


def _sides(name: str, program: Program, *arguments: str, cannot: str = "", most: int | None = None) -> list[Side]:
    """On one core and on two, in one process."""
    process = Process(program, *arguments)

    def side(parallelism: int) -> Side:
        @contextmanager
        def start(workload: Workload, inputs: Inputs) -> Iterator[Ready]:
            try:
                asked = asked_of(program, workload)
                with process.ready(asked, inputs.parquet, inputs.count, parallelism) as ready:
                    yield ready
            finally:
                process.end()

        cannots = frozenset({cannot} if cannot else ())
        return Side(f"{name}, {parallelism}", start, cannot=cannots, most=most)

    return [side(1), side(2)]
