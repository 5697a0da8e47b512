"""A stream for each class, on Spark itself: several sources in one query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.spark.streaming.feeding import Files, event

import ensue

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAIR = "A(v = ?x) then B(v = ?x) within 10 seconds"


def test_a_stream_for_each_class_gives_what_one_with_types_gives(spark: SparkSession, tmp_path: Path):
    """The files of both classes go side by side: one of each is a micro-batch."""
    sources = {}
    for kind in "AB":
        (tmp_path / kind).mkdir()
        sources[kind] = Files(tmp_path / kind)
    for start in (0, 8, 16):
        for kind, offset in (("A", 0), ("B", 2)):
            names = [(start + offset + 1.5 * i, f"{kind}{start}-{i}", i % 3) for i in range(4)]
            sources[kind].put(event(kind, second, name, v) for second, name, v in names)
    sources["A"].put([event("A", 300, "last A", 50)])  # they move the time on, and belong to nothing
    sources["B"].put([event("B", 300, "last B", 51)])
    frames = {kind: files.stream(spark).drop("type") for kind, files in sources.items()}
    query = (
        ensue.detect(PAIR, frames, delay="8 seconds")
        .writeStream.format("memory")
        .queryName("classes")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    given = [one for files in sources.values() for one in files.given]
    found = [row.id for row in spark.table("classes").collect()]
    assert sorted(found) == sorted(one.id for one in ensue.detect(PAIR, given))
    assert found


def test_a_watermark_that_a_frame_has_already_is_noticed_on_any_column(spark: SparkSession):
    from ensue.spark.streaming.running import _may_have_watermark

    beats = spark.readStream.format("rate").load()
    assert not _may_have_watermark(beats)
    assert _may_have_watermark(beats.withWatermark("timestamp", "1 second"))
    assert _may_have_watermark(beats.withWatermark("timestamp", "1 second").drop("timestamp"))
