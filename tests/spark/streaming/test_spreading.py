"""Groups are spread evenly over the tasks of Spark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as f
from tests.spark.streaming.feeding import Files, event

from ensue.spark import stream
from ensue.spark.streaming.inspecting import read_state
from ensue.spark.streaming.spreading import groups_of, hashes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_hashes_are_those_of_spark(spark: SparkSession):
    random = np.random.default_rng(7).integers(-(2**63), 2**63 - 1, 2_000)
    numbers = np.concatenate([np.arange(-10, 2_000), random])
    found = spark.createDataFrame(pa.table({"n": numbers})).select(f.hash("n").alias("hash")).toArrow()
    assert found.column("hash").to_pylist() == hashes(numbers).tolist()


@pytest.mark.parametrize(("places", "shards"), [(1, 1), (2, 2), (3, 3), (64, 32), (35, 7), (320, 32)])
def test_each_task_gets_as_many_groups(places: int, shards: int):
    groups = np.array(groups_of(places, shards))
    assert (groups % places).tolist() == list(range(places))
    tasks = Counter((hashes(groups) % shards).tolist())
    assert set(tasks.values()) == {places // shards}
    assert len(tasks) == shards


def test_two_tasks_share_two_shards(spark: SparkSession, tmp_path: Path):
    """By their own numbers, both would lie with the same task."""
    files = Files(tmp_path)
    files.put([event("A", second, f"a{second}", second) for second in range(20)])
    files.run(stream("A(v = ?x) then B(v = ?x) within 1 minute", files.stream(spark), delay=0, shards=2))
    heads = spark.read.format("statestore").option("path", files.checkpoint).option("stateVarName", "head").load()
    assert {row.partition_id for row in heads.collect()} == {0, 1}
    assert [(one.operator, one.shard) for one in read_state(spark, files.checkpoint).shards] == [(0, 0), (0, 1)]
