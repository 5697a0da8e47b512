"""A program from topics into tables and another topic, run as a user runs it, and killed in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from tests.spark.programs.machines import reading
from tools.get_jars import jars

import ensue
from ensue.language import parse_program

if TYPE_CHECKING:
    from tests.spark.kafka.topics import Topics

pytestmark = pytest.mark.usefixtures("quick_starts")
PROGRAM = """
CREATE SUBSCRIBED EVENT CLASS Reading(device TEXT, taken TIMESTAMP, celsius DOUBLE, nr INT)
  TIME taken ID (nr) DELAY 10 minutes
  FROM kafka OPTIONS (kafka.bootstrap.servers '{broker}', subscribe '{source}', startingOffsets 'earliest',
    maxOffsetsPerTrigger '{many}');
CREATE COMPLEX EVENT CLASS Hot(d TEXT, c DOUBLE) AS DETECT
  2 times Reading(device = ?d, celsius > 80, celsius = ?c) within 1 minute IN CONTEXT chronicle
  INTO kafka OPTIONS (kafka.bootstrap.servers '{broker}', topic '{sink}');
"""
BROKEN = ['{"nr": 4, "taken"', "[1, 2]", '{"nr": 900, "taken": "noon"}']
READINGS = [reading(i, i * 3, "abc"[i % 3], 81.0 if i % 4 else 20.0) for i in range(60)]
END = [reading(1_000 + i, 9_000 + i, "z", 20.0) for i in range(8)]


def begin(file: Path, data: Path) -> subprocess.Popen[str]:
    connector = ",".join(map(str, jars("spark-kafka")))
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"--jars {connector} pyspark-shell"}
    command = [sys.executable, "-m", "ensue", "run", str(file), "--data", str(data), "--once", "--master", "local[2]"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def rows(data: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.ParquetDataset(data / "tables" / table).read().to_pylist()
    return found


def test_a_program_between_topics_that_is_killed_in_the_middle(topics: Topics, tmp_path: Path):
    """Every reading and every occurrence is in the tables once; in the topic at least once, with its id as the key."""
    names = {"broker": topics.broker, "source": topics.name("in"), "sink": topics.name("out")}
    file, data = tmp_path / "hot.ensue", tmp_path / "data"
    file.write_text(PROGRAM.format(**names, many=16))
    topics.put("in", [*READINGS[:30], *BROKEN, *READINGS[30:]])

    with begin(file, data) as killed:
        try:
            while killed.poll() is None and len(list(data.glob("tables/Reading/batch=*"))) < 2:
                time.sleep(0.02)
        finally:
            killed.kill()
        killed.communicate()
    topics.put("in", END)  # read with all that is left, or partitions that are behind would be late
    text = PROGRAM.format(**names, many=1_000)
    file.write_text(text)
    with begin(file, data) as process:
        _, said = process.communicate()
    assert process.returncode == 0, said

    events = [{**one, "type": "Reading", "id": str(one["nr"]), "time": one["taken"]} for one in [*READINGS, *END]]
    (hot,) = parse_program(text).complex_classes
    expected = {one.id: one for one in ensue.detect({"Hot": hot.pattern}, events, hot.context)["Hot"]}
    assert expected
    assert sorted(row["id"] for row in rows(data, "Reading")) == sorted(one["id"] for one in events)
    assert sorted(row["id"] for row in rows(data, "Hot")) == sorted(expected)
    rejects = {row["raw"]: row["code"] for row in rows(data, "Reading.rejects")}
    assert rejects == dict(zip(BROKEN, ("E603", "E603", "E401"), strict=True))
    records = topics.records("out")
    assert {key for key, _ in records} == set(expected)
    for key, value in records:
        assert (value["id"], value["class"]) == (key, "Hot")
        assert value["d"] == expected[key].bindings["d"]
    assert len({(key, json.dumps(value, sort_keys=True)) for key, value in records}) == len(expected), "the same again"
