"""From topics to a history and to another topic, through a real broker."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.kafka.topics import SCHEMA, Topics
from tests.spark.streaming.feeding import event

import ensue
from ensue.spark import stream
from ensue.spark.kafka import as_records, read_json
from ensue.time import parse_instant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

PAIR = "A(v = ?x) then B(v = ?x) within 10 seconds"
FIRST = [event("A", 1, "a1"), event("B", 3.000001, "b1"), event("A", 2, "a2", 2), event("C", 3, "c1")]
THEN = [event("B", 5, "b2", 2), event("A", 6, "a3", 3), event("B", 9, "b4", 3), event("B", 8, "b5")]
LAST = [event("C", 300, "end")]
BROKEN = ['{"type": "A", "time"', "[1]", '{"type": "A", "time": "2026-07-10T09:00:02Z", "id": "x", "v": "many"}']


def embedded(*parts: list[dict[str, Any]]) -> set[str]:
    return {found.id for found in ensue.detect(PAIR, [one for part in parts for one in part])}


def run(writer: DataStreamWriter, checkpoint: Path) -> StreamingQuery:
    """Handle all that is there."""
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def overwriting(folder: Path) -> Callable[[DataFrame, int], None]:
    """As docs/kafka.md has it: a micro-batch that is done again replaces what it wrote before."""
    return lambda batch, number: batch.write.mode("overwrite").parquet(str(folder / f"batch={number}"))


def forget_the_last_commit(checkpoint: Path) -> None:
    """As if the driver had been killed after it had written its output, and before it noted that."""
    commits = checkpoint / "commits"
    last = max(int(path.name) for path in commits.iterdir() if path.name.isdigit())
    for path in (commits / str(last), commits / f".{last}.crc"):
        path.unlink(missing_ok=True)


def test_a_topic_becomes_a_history_exactly_once(topics: Topics, tmp_path: Path):
    """A restart, a micro-batch that is done twice, and values that are no events."""
    history, rejects, checkpoint = tmp_path / "history", tmp_path / "rejects", tmp_path / "checkpoint"

    def go_on() -> None:
        found = stream(PAIR, topics.stream("in", at_once=8), delay="1 minute", shards=2)
        handle = found.each_batch(overwriting(history), overwriting(rejects))
        run(found.everything.writeStream.foreachBatch(handle), checkpoint)

    topics.put("in", [*FIRST, *BROKEN])
    go_on()
    topics.put("in", [None, *THEN])
    topics.put("in", LAST)
    go_on()
    forget_the_last_commit(checkpoint)
    go_on()

    ids = [row.id for row in topics.spark.read.parquet(str(history)).collect()]
    assert sorted(ids) == sorted(embedded(FIRST, THEN, LAST))
    refused = topics.spark.read.parquet(str(rejects)).collect()
    assert [row.kind for row in refused] == ["reject"] * 4
    places = {row.event.id for row in refused}
    texts = topics.spark.read.format("kafka").options(**topics.servers, subscribe=topics.name("in")).load()
    found = {f"{row.topic}/{row.partition}/{row.offset}": row.value for row in texts.collect()}
    assert {found[place] and bytes(found[place]).decode() for place in places} == {*BROKEN, None}


def test_a_topic_of_occurrences_has_their_ids_as_keys(topics: Topics, tmp_path: Path):
    """Spark writes into Kafka at least once: what is done twice is there twice, under the same key."""
    checkpoint = tmp_path / "checkpoint"

    def go_on() -> None:
        found = as_records(ensue.detect(PAIR, topics.stream("in"), delay="1 minute", shards=2))
        run(found.writeStream.format("kafka").options(**topics.servers, topic=topics.name("out")), checkpoint)

    topics.put("in", FIRST)
    go_on()
    topics.put("in", THEN)
    go_on()
    topics.put("in", LAST)
    go_on()
    expected = {found.id: found for found in ensue.detect(PAIR, [*FIRST, *THEN, *LAST])}
    records = topics.records("out")
    assert sorted(key for key, _ in records) == sorted(expected)
    for key, value in records:
        assert (value["id"], value["x"]) == (key, expected[key].bindings["x"])
        assert datetime.fromisoformat(value["end"]) == expected[key].end, "to the microsecond"
        assert [part["id"] for part in value["constituents"]] == list(expected[key].constituents)

    forget_the_last_commit(checkpoint)
    go_on()
    again = topics.records("out")
    assert len(again) > len(records)
    assert {key for key, _ in again} == set(expected)
    assert len({(key, str(value)) for key, value in again}) == len(expected), "the same records once more"


def test_what_is_not_an_event_keeps_its_text_and_place(topics: Topics):
    """A history of a topic; ids by position, times without a zone, and wrong types."""
    good = {"type": "A", "time": "2026-07-10T09:00:00.000001", "v": 1}
    topics.put("in", [good, *BROKEN])
    options = {**topics.servers, "subscribe": topics.name("in")}
    rows = read_json(topics.spark, SCHEMA, options, live=False).collect()
    places = {row.id for row in rows}
    assert len(places) == 4
    assert all(place.startswith(topics.name("in") + "/") for place in places)
    assert {row["_broken"] for row in rows} == {None, *BROKEN}
    assert [(row.type, row.v) for row in rows if row["_broken"] is None] == [("A", 1)]
    assert all(row.type is row.time is row.v is None for row in rows if row["_broken"] is not None)
    found = read_json(topics.spark, SCHEMA, options, live=False).where("type = 'A'").selectExpr("unix_micros(time) t")
    assert [row.t for row in found.collect()] == [parse_instant("2026-07-10T09:00:00.000001Z")]


@pytest.mark.parametrize("schema", ["type STRING, time TIMESTAMP", "type STRING, time TIMESTAMP, id BIGINT"])
def test_ids_may_be_numbers_or_left_out_of_the_schema(topics: Topics, schema: str):
    topics.put("in", [{"type": "A", "time": "2026-07-10T09:00:00Z", "id": 7}])
    options = {**topics.servers, "subscribe": topics.name("in")}
    (row,) = read_json(topics.spark, schema, options, live=False).collect()
    assert row.id == "7" if "id" in schema else row.id.endswith(("/0/0", "/1/0"))
