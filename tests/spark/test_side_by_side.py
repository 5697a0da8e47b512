"""Spark's own SQL and Ensue on Spark find the same, as a benchmark of both supposes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.bench.test_peers import agrees

from bench import workloads
from bench.peers import in_sql, inputs, ourselves

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> inputs.Inputs:
    return inputs.prepare(tmp_path_factory.mktemp("events"), 60_000)


@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W4"])
@pytest.mark.parametrize("way", [in_sql.in_spark, ourselves.on_spark])
def test_over_a_history(spark: SparkSession, way, name: workloads.Name, given: inputs.Inputs):
    agrees(way(spark), name, given)


@pytest.mark.parametrize("name", ["W1"])
def test_over_a_stream(spark: SparkSession, name: workloads.Name, given: inputs.Inputs):
    agrees(ourselves.streaming(spark), name, given)


def test_a_limit_finds_nothing_and_is_compared_with(spark: SparkSession, given: inputs.Inputs):
    side = in_sql.spark_scan(spark)
    assert side.kind == "limit"
    with side.start(workloads.named("W2"), given) as ready:
        assert ready.run() == 0
