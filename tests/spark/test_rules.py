"""Many rules of one shape on Spark: one plan, one filter, one key, and the ids of the embedded engine."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pyspark.sql import functions as f

import ensue
from ensue.algebra.families import LEAST
from ensue.embedded.patterns import Watchlist
from ensue.spark.detecting import stream as detect_stream
from ensue.spark.history import groups
from ensue.testing import StreamRun

RULES = {
    f"zone {n}": f"Enter(zone = 'z{n}', speed > {n}) then Leave(zone = 'z{n}', badge = ?b) within 20 seconds"
    for n in range(2 * LEAST)
}
OTHERS = {"any": "Enter(speed > 10, zone = ?z) then Leave(zone = ?z) within 5 seconds"}


def history(count: int = 400) -> list[dict[str, Any]]:
    chance = random.Random(7)
    return [
        {
            "type": chance.choice(["Enter", "Leave", "Other"]),
            "time": 1_783_674_000_000 + 500 * i,
            "id": f"e{i}",
            "zone": f"z{chance.randrange(3 * LEAST)}",
            "speed": float(chance.randrange(30)),
            "badge": chance.randrange(5),
        }
        for i in range(count)
    ]


def expected(patterns: dict[str, str], events: list[dict[str, Any]], context: str) -> list[tuple[str, str]]:
    found = ensue.detect(patterns, events, context)
    return sorted((name, one.id) for name, listed in found.items() for one in listed)


def alone(patterns: dict[str, str], events: list[dict[str, Any]], context: str) -> list[tuple[str, str]]:
    """Each pattern in a detection of its own, so that nothing is shared."""
    return sorted(pair for name, text in patterns.items() for pair in expected({name: text}, events, context))


def test_rules_are_one_group_with_a_key_that_none_of_them_has():
    (group,) = groups(Watchlist.of(RULES, "chronicle").watched, Watchlist.of(RULES, "chronicle").taxonomy)
    assert group.key.routes == {"Enter": ("zone",), "Leave": ("zone",)}


@pytest.mark.parametrize("context", ["recent", "chronicle"])
def test_a_history(spark, context):
    events = history()
    patterns = {**RULES, **OTHERS}
    found = ensue.detect(patterns, spark.createDataFrame(events), context)
    ids = sorted((row["class"], row["id"]) for row in found.select("class", "id").collect())
    assert ids == alone(patterns, events, context)
    assert len({name for name, _ in ids}) > LEAST


def test_one_filter_covers_all_rules_and_reaches_the_files(spark, tmp_path, capsys):
    spark.createDataFrame(history()).write.parquet(str(tmp_path / "events"))
    ensue.detect(RULES, spark.read.parquet(str(tmp_path / "events")).where("true"), "recent").explain()
    plan = capsys.readouterr().out
    pushed = next(line for line in plan.splitlines() if "PushedFilters" in line)
    assert "In(zone, [z0,z1" in pushed
    assert plan.count("FileScan parquet") == 1


@pytest.mark.parametrize("context", ["recent", "chronicle"])
def test_a_stream(context):
    events = history()
    run = StreamRun(RULES, context, key="zone", shards=3, delay="2 seconds")
    found = [one for start in range(0, len(events), 90) for one in run.feed(events[start : start + 90])]
    found += run.finish()
    assert sorted((one.type, one.id) for one in found) == alone(RULES, events, context)


def test_a_stream_on_spark(spark, tmp_path):
    frame = spark.createDataFrame(history()).withColumn("time", f.timestamp_millis("time"))
    frame.repartition(1).write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema(frame.schema).parquet(str(tmp_path / "events"))
    detection = detect_stream({**RULES, **OTHERS}, stream, "chronicle")
    query = (
        detection.occurrences.writeStream.format("memory")
        .queryName("found_by_rules")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    ids = sorted((row["class"], row["id"]) for row in spark.table("found_by_rules").select("class", "id").collect())
    newest = max(event["time"] for event in history())
    before = [event for event in history() if event["time"] < newest]  # the newest instant is not over
    assert ids == alone({**RULES, **OTHERS}, before, "chronicle")


def test_patterns_with_different_keys_share_the_scan_and_the_shuffle(spark, tmp_path, capsys):
    events = history()
    spark.createDataFrame(events).write.parquet(str(tmp_path / "events"))
    patterns = {
        **OTHERS,
        "badge": "Enter(badge = ?b, speed > 5) then Leave(badge = ?b) within 5 seconds",
        "back": "Leave(zone = ?z) then Enter(zone = ?z, speed < 9) within 9 seconds",
        "twice": "2 times Enter(badge = ?b, zone = ?z) within 1 minute",
        "nobody": "Enter(speed > 28) then Leave within 2 seconds",
    }
    files = spark.read.parquet(str(tmp_path / "events"))
    for frame, scan in ((files.where("true"), "FileScan parquet"), (files, "MapInArrow Reading")):
        found = ensue.detect(patterns, frame, "chronicle")
        ids = sorted((row["class"], row["id"]) for row in found.select("class", "id").collect())
        assert ids == alone(patterns, events, "chronicle")
        found.explain()
        plan = capsys.readouterr().out
        assert plan.count(scan) == 1
        assert plan.count("Exchange") == 1
