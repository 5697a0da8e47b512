"""Topics of one test, written and read by Spark itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from ensue.spark.kafka import read_json
from ensue.time import to_datetime

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "type STRING, time TIMESTAMP, id STRING, v BIGINT"


@dataclass(frozen=True)
class Topics:
    spark: SparkSession
    broker: str
    test: str

    @property
    def servers(self) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.broker}

    def name(self, topic: str) -> str:
        return f"{self.test}-{topic}"

    def put(self, topic: str, values: Iterable[Mapping[str, Any] | str | None]) -> None:
        """Write values into a topic, spread over its partitions; texts as they are, all else in JSON."""
        texts = [one if one is None or isinstance(one, str) else json.dumps(one) for one in values]
        rows = [(str(number), text) for number, text in enumerate(texts)]
        frame = self.spark.createDataFrame(rows, "key STRING, value STRING")
        frame.write.format("kafka").options(**self.servers).option("topic", self.name(topic)).save()

    def stream(self, topic: str, at_once: int = 1_000) -> DataFrame:
        """The events of a topic from its beginning, so many in a micro-batch."""
        options = {"subscribe": self.name(topic), "startingOffsets": "earliest", "maxOffsetsPerTrigger": str(at_once)}
        return read_json(self.spark, SCHEMA, {**self.servers, **options})

    def records(self, topic: str) -> list[tuple[str, dict[str, Any]]]:
        """Keys and values of all that is in a topic."""
        options = {**self.servers, "subscribe": self.name(topic)}
        rows = self.spark.read.format("kafka").options(**options).load()
        chosen = rows.selectExpr("CAST(key AS STRING) key", "CAST(value AS STRING) value").collect()
        return [(row.key, json.loads(row.value)) for row in chosen]

    def times(self, topic: str) -> list[datetime]:
        """When Kafka got each record."""
        rows = self.spark.read.format("kafka").options(**self.servers, subscribe=self.name(topic)).load()
        found = rows.select(f.unix_micros("timestamp").alias("time")).collect()
        return sorted(to_datetime(row.time) for row in found)
