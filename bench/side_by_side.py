"""Ensue and its peers over the same events, with the same meaning, in turn: `./ensue bench side_by_side`.

README.md says more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import machine, measuring, on_spark, workloads
from bench.peers import in_java, in_sql, matching, ourselves
from bench.peers.inputs import Inputs, prepare
from bench.peers.sides import Side
from bench.peers.turns import Turns, fastest, table_of
from bench.verdict import ONE_PROCESS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Peer: TypeAlias = Literal["flink", "flink_sql", "esper", "siddhi", "duckdb", "spark"]
PEERS: tuple[Peer, ...] = ("flink", "flink_sql", "esper", "siddhi", "duckdb", "spark")


@dataclass(frozen=True)
class Target:
    """How many times as fast one of ours has to be as the best of some others, or as a limit."""

    ours: str
    others: tuple[str, ...]
    times: float


TARGETS = (
    Target("Ensue on Spark", ("Flink CEP",), 20),
    Target("Ensue on Spark, streaming", ("Flink CEP, rocksdb",), 5),
    Target(ONE_PROCESS, ("Esper", "Siddhi"), 10),
    Target("Ensue on Spark", ("Spark's scan",), 0.5),
)


@dataclass
class Case:
    workload: workloads.Workload
    matches: int
    taken: list[Turns]
    cannot: list[str]

    def best(self, *others: str) -> Turns | None:
        """The fastest of the peers that agree, or of all others whose names begin so."""
        counting = [one for one in self.taken if one.agrees and one.kind != "ours"]
        return fastest([one for one in counting if (one.name.startswith(others) if others else one.kind == "peer")])

    def times(self, target: Target) -> float | None:
        """How many times as fast we are, if both sides ran."""
        best = self.best(*target.others)
        ours = next((one for one in self.taken if one.name == target.ours and one.agrees), None)
        return None if best is None or ours is None else ours.rate / best.rate

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "pattern": str(self.workload.pattern),
            "context": ourselves.CONTEXT,
            "matches": self.matches,
            "sides": [one.summary() for one in self.taken],
            "cannot": self.cannot,
            "targets": [{**asdict(one), "found": self.times(one)} for one in TARGETS],
        }


def main(
    events: int = 10_000_000,
    runs: int = 5,
    workload: Sequence[workloads.Name] = ("W1", "W2", "W3", "W4"),
    peer: Sequence[Peer] = PEERS,
) -> int:
    """Measure Ensue, Flink CEP, Esper, Siddhi, DuckDB and Spark's SQL on two cores, in turn.

    Parameters
    ----------
    events
        How many events there are. Flink with RocksDB gets the first 3 million of them.
    runs
        How often each side runs after it has warmed up; what is shown are medians.
    workload
        Which workloads; without it, all.
    peer
        Which of the others; without it, all.
    """
    facts = machine.facts()
    settings: dict[str, object] = {"events": events, "runs": runs, "context": ourselves.CONTEXT, "peers": [*peer]}
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as folder, measuring.progress() as progress:
        inputs = prepare(Path(folder), events)
        spark = on_spark.session()
        try:
            sides = _sides(spark, peer)
            able = {name: [side for side in sides if name not in side.cannot] for name in workload}
            task = progress.add_task("", total=(runs + 1) * sum(map(len, able.values())))
            for name in workload:
                progress.update(task, description=name)
                cases.append(_case(workloads.named(name), inputs, sides, runs, lambda: progress.advance(task)))
                measuring.add("side_by_side", facts, settings, [case.summary() for case in cases], ["workload"])
                measuring.console.print(_table(cases[-1]))
        finally:
            spark.stop()
    measuring.console.print(_target_table(cases))
    agree = all(one.agrees for case in cases for one in case.taken)
    found = ((case.times(target), target.times) for case in cases for target in TARGETS)
    return 0 if agree and all(times is None or times >= least for times, least in found) else 1


def _sides(spark: SparkSession, peers: Sequence[Peer]) -> list[Side]:
    """Ours, and of the others each way in which it may be at its best."""
    others: dict[Peer, list[Side]] = {
        "flink": [*in_java.flink("heap"), *in_java.flink("rocksdb")],
        "flink_sql": in_java.flink_sql(),
        "esper": in_java.esper(),
        "siddhi": in_java.siddhi(),
        "duckdb": [in_sql.in_duckdb()],
        "spark": [in_sql.in_spark(spark)],
    }
    ours = [ourselves.on_spark(spark), ourselves.streaming(spark), ourselves.in_one_process()]
    return [*ours, in_sql.spark_scan(spark), *(side for name in peers for side in others[name])]


def _case(
    workload: workloads.Workload, inputs: Inputs, sides: Sequence[Side], runs: int, step: Callable[[], None]
) -> Case:
    able = [side for side in sides if workload.name not in side.cannot]
    counts = [min(side.most or inputs.count, inputs.count) for side in able]
    given = {count: inputs.first(count) for count in counts}
    expected = {
        count: matching.of_rows(workload.by_hand(ourselves.CONTEXT, some.columns())) for count, some in given.items()
    }
    pairs = list(zip(able, counts, strict=True))
    taken = [Turns(side.name, side.kind, count, expected[count]) for side, count in pairs]
    with ExitStack() as stack:
        ready = [stack.enter_context(side.start(workload, given[count])) for side, count in pairs]
        for one, side in zip(taken, ready, strict=True):
            one.begin(side)
            step()
        for _ in range(runs):
            for one, side in zip(taken, ready, strict=True):
                one.turn(side)
                step()
    return Case(workload, expected[inputs.count].count, taken, [side.name for side in sides if side not in able])


def _table(case: Case) -> Table:
    table = table_of(case.taken, case.best(), f"{case.workload.name}: {case.matches:,} matches")
    for name in case.cannot:
        table.add_row(name, "cannot say it", style="dim")
    return table


def _target_table(cases: Sequence[Case]) -> Table:
    table = Table(title="How many times as fast", box=SIMPLE_HEAD)
    table.add_column("")
    for column in (*(case.workload.name for case in cases), "at least"):
        table.add_column(column, justify="right")
    for target in TARGETS:
        found = [case.times(target) for case in cases]
        shown = ("" if times is None else f"{times:.1f}" for times in found)
        table.add_row(f"{target.ours} / {', '.join(target.others)}", *shown, f"{target.times:g}")
    return table


if __name__ == "__main__":
    cyclopts.run(main)
