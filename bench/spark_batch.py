"""Detection over a history on Spark against Spark's own floor: `./ensue bench spark_batch`. README.md says more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

import ensue
from bench import data, machine, measuring, on_spark, workloads

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

TARGET = 0.5
"""The share of the floor's throughput that detection has to reach."""


@dataclass
class Case:
    """One workload in one context, and what was measured of it."""

    workload: workloads.Workload
    context: str
    floor: measuring.Sample = field(default_factory=measuring.Sample)
    ours: measuring.Sample = field(default_factory=measuring.Sample)

    def run_floor(self, events: DataFrame) -> None:
        self.floor.add(_finish, _floor(events))

    def run_ours(self, events: DataFrame) -> None:
        self.ours.add(lambda: _finish(ensue.detect(self.workload.pattern, events, self.context)))

    @property
    def ratio(self) -> float:
        """Throughput, ours to the floor's."""
        return self.floor.median / self.ours.median

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "pattern": str(self.workload.pattern),
            "context": self.context,
            "ratio": self.ratio,
            "floor_seconds": self.floor.summary(),
            "ours_seconds": self.ours.summary(),
        }


def main(events: int = data.DEFAULT_EVENTS, runs: int = 3, context: str = "chronicle") -> int:
    """Measure detection on `local[2]` and the least that Spark does for such a job, in turn, over one Parquet folder.

    Parameters
    ----------
    events
        How many events are in the folder.
    runs
        How often each side runs; what is shown are medians.
    context
        The context of the patterns.
    """
    facts = machine.facts()
    cases = [Case(workload, context) for workload in workloads.WORKLOADS]
    with tempfile.TemporaryDirectory() as folder:
        on_spark.write_events(Path(folder), events)
        spark = on_spark.session()
        try:
            frame = spark.read.parquet(folder)
            for case in cases:  # start the workers, load the kernels
                _finish(ensue.detect(case.workload.pattern, frame.limit(100_000), context))
            for _ in range(runs):
                for case in cases:
                    case.run_floor(frame)
                    case.run_ours(frame)
        finally:
            spark.stop()
    measuring.console.print(_table(cases, events, runs))
    settings: dict[str, object] = {"events": events, "runs": runs, "context": context, "target": TARGET}
    measuring.save("spark_batch", facts, settings, [case.summary() for case in cases])
    return 0 if all(case.ratio >= TARGET for case in cases) else 1


def _floor(events: DataFrame) -> DataFrame:
    """Read, shuffle by key, sort within partitions, to Python and back: nothing is detected."""
    placed = events.repartition("key").sortWithinPartitions("time")
    return placed.mapInArrow(_identity, events.schema)


def _identity(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _finish(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _table(cases: list[Case], events: int, runs: int) -> Table:
    table = Table(title=f"{events:,} events in Parquet on local[2], medians of {runs}", box=SIMPLE_HEAD)
    for column in ("", "context", "floor, s", "ours, s", "ours, M events/s", "of the floor"):
        table.add_column(column, justify="left" if column in ("", "context") else "right")
    for case in cases:
        table.add_row(
            case.workload.name,
            case.context,
            f"{case.floor.median:.2f}",
            f"{case.ours.median:.2f}",
            f"{events / case.ours.median / 1e6:.2f}",
            f"{case.ratio:.2f}",
        )
    return table


if __name__ == "__main__":
    cyclopts.run(main)
