"""A program with corrections between topics: a record was detected when Kafka got it, and what is published is one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from ensue.language import parse_program
from ensue.spark.corrections.live import start

if TYPE_CHECKING:
    from tests.spark.kafka.topics import Topics

PROGRAM = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS Flight(nr TEXT, gate TEXT, ID (nr))
  FROM kafka OPTIONS (kafka.bootstrap.servers '{broker}', subscribe '{source}', startingOffsets 'earliest');
CREATE COMPLEX EVENT CLASS Outside(nr TEXT, gate TEXT, ID (nr)) AS
  SELECT f.nr, f.gate FROM Flight f WHERE f.gate LIKE 'X%' OCCURRING AT f
  PUBLISH Outside CASE LATE Outside_late CASE CHANGE Outside_changed CASE REVOKE Outside_revoked
  INTO kafka OPTIONS (kafka.bootstrap.servers '{broker}', topic '{sink}');
"""
WHEN = "2026-01-01T00:00:00Z"
SAID = [
    {"op": "announce", "time": WHEN, "nr": "LH1", "gate": "X1"},
    {"op": "change", "time": WHEN, "nr": "LH1", "gate": "X2"},
    {"op": "retract", "nr": "LH1"},
]


def test_records_are_detected_when_kafka_got_them(topics: Topics, tmp_path: Path):
    names = {"broker": topics.broker, "source": topics.name("in"), "sink": topics.name("out")}
    for one in SAID:
        topics.put("in", [one])
    running = start(topics.spark, parse_program(PROGRAM.format(**names)), tmp_path / "data", base=tmp_path)
    running.query.awaitTermination()
    running.end()
    published = pq.ParquetDataset(tmp_path / "data/tables/publications").read().to_pylist()
    told = [(one["detected"], one["case"]) for one in sorted(published, key=lambda one: one["detected"])]
    assert told == list(zip(topics.times("in"), ("late", "change", "revoke"), strict=True))
    records = topics.records("out")
    assert {key for key, _ in records} == {'["LH1"]'}
    told_there = [(one["publication"], "replaces" in one) for _, one in records]
    assert told_there == [("Outside_late", False), ("Outside_changed", True), ("Outside_revoked", False)]
