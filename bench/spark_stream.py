"""Detection over a stream on Spark against an identity `transformWithState`: `./ensue bench spark_stream`.

README.md says more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cyclopts
from pyspark.sql import Row, functions as f
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues
from rich.box import SIMPLE_HEAD
from rich.table import Table

import ensue
from bench import machine, measuring, on_spark, workloads
from ensue.spark.streaming.packing import ECHO, PLACE, pack
from ensue.spark.streaming.running import prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TARGET = 0.5
"""The share of the identity's throughput that detection has to reach."""
SHARDS = 2
EVENTS = 4_000_000
_PARCELS = "place INT, parcel BINARY"


@dataclass
class Case:
    """One workload, and what was measured of it."""

    workload: workloads.Workload
    floor: measuring.Sample = field(default_factory=measuring.Sample)
    ours: measuring.Sample = field(default_factory=measuring.Sample)

    @property
    def ratio(self) -> float:
        """Throughput, ours to the identity's."""
        return self.floor.median / self.ours.median

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "pattern": str(self.workload.pattern),
            "ratio": self.ratio,
            "floor_seconds": self.floor.summary(),
            "ours_seconds": self.ours.summary(),
        }


class Identity(StatefulProcessor):
    """Gives every parcel back, and remembers how many there were: what any stateful operator has to do at least."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._count = handle.getValueState("count", "count BIGINT")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: TimerValues) -> Iterator[Row]:  # noqa: ARG002, N802, N803
        found = [Row(place=key[0], parcel=row["parcel"]) for row in rows]
        before = self._count.get()
        self._count.update(((before[0] if before else 0) + len(found),))
        return iter(found)


def main(events: int = EVENTS, batches: int = 8, runs: int = 3, context: str = "chronicle") -> int:
    """Measure detection over a stream and an identity operator over the same shards, in turn, on `local[2]`.

    Parameters
    ----------
    events
        How many events there are.
    batches
        In how many micro-batches they come.
    runs
        How often each side runs; what is shown are medians.
    context
        The context of the patterns.
    """
    facts = machine.facts()
    cases = [Case(workload) for workload in workloads.WORKLOADS]
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "events"
        files.mkdir()
        on_spark.write_events(files, events, -(-events // batches))
        spark = on_spark.session()
        spark.conf.set("spark.sql.shuffle.partitions", str(SHARDS))
        prepare(spark)
        try:
            for number in range(runs + 1):
                for case in cases:
                    checkpoints = [f"{folder}/{case.workload.name}-{number}-{side}" for side in ("floor", "ours")]
                    sample = Case(case.workload) if number == 0 else case  # the first round warms up
                    sample.floor.add(_finish, _floor(_stream(spark, files)), checkpoints[0])
                    found = ensue.detect(
                        case.workload.pattern, _stream(spark, files), context, delay="1 second", shards=SHARDS
                    )
                    sample.ours.add(_finish, found, checkpoints[1])
        finally:
            spark.stop()
    measuring.console.print(_table(cases, events, batches, runs))
    settings: dict[str, object] = {
        "events": events,
        "batches": batches,
        "runs": runs,
        "context": context,
        "shards": SHARDS,
        "target": TARGET,
    }
    measuring.save("spark_stream", facts, settings, [case.summary() for case in cases])
    return 0 if all(case.ratio >= TARGET for case in cases) else 1


def _stream(spark: SparkSession, files: Path) -> DataFrame:
    schema = spark.read.parquet(str(files)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(files))


def _floor(events: DataFrame) -> DataFrame:
    """All events, packed for the same shards, through an operator that does nothing with them."""
    place = f.pmod(f.xxhash64("key"), f.lit(SHARDS)).cast("int")
    timed = events.withWatermark("time", "1 second").select("*", f.lit(False).alias(ECHO), place.alias(PLACE))
    return (
        timed.mapInArrow(pack, _PARCELS)
        .groupBy("place")
        .transformWithState(Identity(), _PARCELS, outputMode="append", timeMode="eventTime")
    )


def _finish(frame: DataFrame, checkpoint: str) -> None:
    writer = frame.writeStream.format("noop").option("checkpointLocation", checkpoint).trigger(availableNow=True)
    writer.start().awaitTermination()


def _table(cases: list[Case], events: int, batches: int, runs: int) -> Table:
    title = f"{events:,} events in {batches} micro-batches on local[2], medians of {runs}"
    table = Table(title=title, box=SIMPLE_HEAD)
    for column in ("", "identity, s", "ours, s", "ours, M events/s", "of the identity"):
        table.add_column(column, justify="left" if column == "" else "right")
    for case in cases:
        table.add_row(
            case.workload.name,
            f"{case.floor.median:.2f}",
            f"{case.ours.median:.2f}",
            f"{events / case.ours.median / 1e6:.2f}",
            f"{case.ratio:.2f}",
        )
    return table


if __name__ == "__main__":
    cyclopts.run(main)
