"""The state of a stream that goes on and on with the same load does not grow: measured in bytes, never in time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.streaming.feeding import Files, event

from ensue.spark import stream
from ensue.spark.streaming.inspecting import read_state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

BATCHES = 50
SPAN = 20
"""Seconds of events in a batch."""

PATTERNS = {
    "keyed": "3 times A(v = ?x) within 30 seconds",
    "absent": "(A(v = ?x) then B(v = ?x) within 30 seconds) without C(v = ?x)",
    "silence": "A(v = ?x) + 10 seconds without B(v = ?x)",
}


def steady(files: Files, number: int) -> None:
    """The same load in each batch: as many events of each type and key, at the same distances, with new ids."""
    start = number * SPAN
    files.put(
        event("ABC"[i % 3] if i % 9 else "A", start + i * SPAN / 60, f"{number:04}-{i:02}", i % 4) for i in range(60)
    )


def sizes(query: StreamingQuery, metric: str) -> list[int]:
    """A measure of the state after each micro-batch with events."""
    progress = [one for one in query.recentProgress if one["numInputRows"]]
    operators = [one["stateOperators"][0] for one in progress]
    return [int(one[metric] if metric in one else one["customMetrics"][metric]) for one in operators]


@pytest.mark.slow
@pytest.mark.parametrize("context", ["chronicle", "recent"])
def test_steady_input_keeps_the_state_flat(spark: SparkSession, tmp_path: Path, context: str):
    """After the first tenth nothing grows: neither what the shards save, nor the rows of the store."""
    files = Files(tmp_path)
    for number in range(BATCHES // 5):
        steady(files, number)
    detection = lambda: stream(PATTERNS, files.stream(spark), context, delay="5 seconds", shards=2)  # noqa: E731
    files.run(detection())
    early = sum(shard.size for shard in read_state(spark, files.checkpoint).shards)
    for number in range(BATCHES // 5, BATCHES):
        steady(files, number)
    query = (
        detection()
        .everything.writeStream.format("noop")
        .option("checkpointLocation", files.checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    state = read_state(spark, files.checkpoint)
    late = sum(shard.size for shard in state.shards)
    assert late < early * 1.1, (early, late)
    assert sum(len(shard.open) for shard in state.shards) > 0, "the patterns have something open all the time"
    rows = sizes(query, "numRowsTotal")
    assert len(rows) == BATCHES - BATCHES // 5
    assert set(rows) == {rows[0]}, rows
