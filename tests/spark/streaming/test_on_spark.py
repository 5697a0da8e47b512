"""A few streams on Spark itself: what `TwsTester` cannot show. Each trap of the runner has a test here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.streaming.feeding import Files, event

import ensue
from ensue.embedded.detecting import detect
from ensue.errors import InputError
from ensue.spark import stream
from ensue.spark.streaming.inspecting import read_state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

PAIR = "A(v = ?x) then B(v = ?x) within 10 seconds"
LONELY = "A then (B + 5 seconds) within 1 minute"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def expected(pattern: str | dict[str, str], given: list[dict[str, object]]) -> set[str]:
    found = detect(pattern, [one for one in given if one["type"] and one["time"]])
    parts = found.values() if isinstance(found, dict) else [found]
    return {one.id for part in parts for one in part}


def test_files_in_several_batches_give_what_the_embedded_engine_gives(spark: SparkSession, files: Files):
    """Two keys and none, out of order within the delay, bad, late and repeated events, and a restart in the middle."""
    patterns = {"pair": PAIR, "again": "2 times B(v = ?y) within 20 seconds", "lonely": LONELY}
    good = [
        [event("A", 1, "a1"), event("B", 3, "b1"), event("A", 2, "a2", 2), event("C", 3, "c1")],
        [event("B", 5, "b2", 2), event("A", 4, "a3", 3), event("B", 6, "b3")],
        [event("B", 9, "b4", 3), event("A", 30, "a4")],
        [event("B", 31, "b5"), event("C", 60, "end"), event("C", 59, "c2")],
    ]
    bad = [event(None, 3, "x1"), event("A", None, "x2"), event("A", 1, "late"), event("B", 31, "b5")]
    files.put(good[0])
    files.put([*good[1], bad[0], bad[1]])
    detection = stream(patterns, files.stream(spark), delay="4 seconds", shards=3)
    first = files.run(detection)
    for batch in (good[2], good[3], [bad[2], bad[3], event("C", 100, "far")]):
        files.put(batch)
    second = files.run(stream(patterns, files.stream(spark), delay="4 seconds", shards=3))

    found = files.found(spark)
    whole = [one for batch in good for one in batch] + [event("C", 100, "far")]
    assert {row.id for row in found} == expected(patterns, whole)
    assert len(found) == len({row.id for row in found})
    assert {row["class"] for row in found} == set(patterns)
    assert files.refused(spark) == {"x1": "reject", "x2": "reject", "late": "late", "b5": "late"}
    assert first["reject"] == 2
    assert (second["late"], second["duplicate"]) == (2, 0)
    one = min((row for row in found if row["class"] == "pair" and row.x == 1), key=lambda row: row.end)
    assert [(part.leaf, part.id) for part in one.constituents] == [("A", "a1"), ("B", "b1")]

    state = read_state(spark, files.checkpoint)
    assert {shard.held for shard in state.shards} == {0}
    assert state.description["shards"] == 3


def test_a_silent_shard_speaks_when_others_get_events(spark: SparkSession, files: Files):
    """The delay of b1 ends while only events that nobody wants come: they move the watermark, and the timer fires.

    So what selects the wanted events must stay above the watermark, below which Spark would push it.
    """
    files.put([event("A", 1, "a1"), event("B", 2, "b1")])
    files.put([event("Z", 30, "z1", None)])
    frame = ensue.detect(LONELY, files.stream(spark), delay="0 seconds")
    assert frame.isStreaming
    query = (
        frame.writeStream.format("memory")
        .queryName("silent")
        .option("checkpointLocation", files.checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert {row.id for row in spark.table("silent").collect()} == expected(LONELY, files.given)


def test_a_changed_program_is_refused_with_its_changes(spark: SparkSession, files: Files):
    files.put([event("A", 1, "a1"), event("B", 3, "b1")])
    files.run(stream({"pair": PAIR, "other": "2 times A within 5 seconds"}, files.stream(spark), delay=0))
    files.put([event("A", 10, "a2"), event("B", 11, "b2")])
    changed = stream({"pair": PAIR.replace("10", "20"), "new": LONELY}, files.stream(spark), delay=0)
    with pytest.raises(Exception, match="E505") as caught:
        files.run(changed)
    text = str(caught.value)
    assert "added: new; removed: other; changed: pair" in text


def test_a_watermark_of_the_user_is_taken_and_a_second_one_refused(spark: SparkSession, files: Files):
    files.put([event("A", 1, "a1"), event("B", 3, "b1"), event("C", 30, "c1")])
    marked = files.stream(spark).withWatermark("time", "2 seconds")
    with pytest.raises(InputError, match="E423"):
        stream(PAIR, marked, delay="1 second")
    files.run(stream(PAIR, marked))
    assert {row.id for row in files.found(spark)} == expected(PAIR, files.given)


def test_each_batch_gives_both_halves_and_reads_once(spark: SparkSession, files: Files):
    files.put([event("A", 1, "a1"), event("B", 3, "b1"), event(None, 3, "x1"), event("C", 30, "c1")])
    seen: dict[str, list[str]] = {"found": [], "refused": []}
    detection = stream(PAIR, files.stream(spark), delay=0)
    handle = detection.each_batch(
        lambda batch, _: seen["found"].extend(row.id for row in batch.collect()),
        lambda batch, _: seen["refused"].extend(row.event.id for row in batch.collect()),
    )
    query: StreamingQuery = (
        detection.everything.writeStream.foreachBatch(handle)
        .option("checkpointLocation", files.checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert (set(seen["found"]), seen["refused"]) == (expected(PAIR, files.given), ["x1"])
    assert sum(progress["numInputRows"] for progress in query.recentProgress) == len(files.given)


@pytest.mark.slow
def test_a_heartbeat_moves_time_while_nothing_happens(spark: SparkSession, files: Files):
    """It takes the wall clock: the delay of five seconds after b really passes."""
    now = datetime.now(UTC)
    times = {"a": now - timedelta(seconds=1), "b": now}
    files.put({"type": name.upper(), "time": time.isoformat(), "id": name, "v": 1} for name, time in times.items())
    query = (
        stream(LONELY, files.stream(spark), delay="1 second", heartbeat="1 second")
        .everything.writeStream.format("memory")
        .queryName("beaten")
        .option("checkpointLocation", files.checkpoint)
        .trigger(processingTime="1 second")
        .start()
    )
    try:
        for _ in range(120):
            query.awaitTermination(1)
            if spark.table("beaten").count():
                break
        assert {row.id for row in spark.table("beaten").collect()} == expected(LONELY, files.given)
    finally:
        query.stop()
