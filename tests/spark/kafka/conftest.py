"""A broker and Spark's connector; the first run gets the jars of both by Maven, and fails with a word if it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.spark.kafka.broker import running_broker
from tests.spark.kafka.topics import Topics
from tools.get_jars import jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_broker(tmp_path_factory.mktemp("kafka"), jars("broker")) as address:
        yield address


@pytest.fixture(scope="session")
def connected(spark: SparkSession) -> SparkSession:
    """The session of all tests, with the connector: `ADD JAR` is what `--packages` does, later."""
    for jar in jars("spark-kafka"):
        spark.sql(f"ADD JAR '{jar}'").collect()
    return spark


@pytest.fixture
def topics(connected: SparkSession, broker: str, request: pytest.FixtureRequest) -> Topics:
    """Topics of this test alone."""
    return Topics(connected, broker, re.sub(r"[^\w-]+", "-", request.node.name))
