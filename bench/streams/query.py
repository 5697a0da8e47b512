"""Ensue on Spark from one topic into another, as docs/kafka.md says: `python -m bench.streams.query WORKLOAD SERVERS`.

A process of its own that takes orders, as peers/flink/FlinkKafka.java does: `drain SOURCE SINK FOLDER` answers when all
that is in the source has been published, `live SOURCE SINK FOLDER` when it has begun, `stop` when that has ended.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, cast

import ensue
from bench import on_spark, workloads
from bench.peers.ourselves import CONTEXT, PARTITIONS, SHARDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

SCHEMA = "type STRING, time BIGINT, id STRING, key BIGINT, value DOUBLE"
AT_ONCE = 1_000_000
"""So many events at most are a micro-batch: few large ones are drained sooner than many small ones."""


def writer(spark: SparkSession, workload: workloads.Workload, servers: str, order: list[str]) -> DataStreamWriter:
    from pyspark.sql import functions as f

    from ensue.spark.kafka import as_records, read_json

    _, source, sink, folder = order
    options = {
        "kafka.bootstrap.servers": servers,
        "subscribe": source,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": str(AT_ONCE),
        "minPartitions": str(SHARDS),  # the topic has one partition, and both cores are to read it
    }
    events = read_json(spark, SCHEMA, options).withColumn("time", f.timestamp_micros("time"))
    found: DataFrame = ensue.detect(workload.pattern, events, CONTEXT, delay="0 seconds", shards=SHARDS)
    to = {"kafka.bootstrap.servers": servers, "topic": sink, "checkpointLocation": folder}
    return as_records(found).writeStream.format("kafka").options(**to)


def main(name: workloads.Name, servers: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Spark says is no answer
    spark = on_spark.session()
    spark.conf.set(PARTITIONS, SHARDS)
    running: StreamingQuery | None = None
    for line in sys.stdin:
        order = line.split()
        if order[0] == "drain":
            writer(spark, workloads.named(name), servers, order).trigger(availableNow=True).start().awaitTermination()
        elif order[0] == "live":
            running = writer(spark, workloads.named(name), servers, order).start()
        elif running is not None:
            running.stop()
        print('{"done": true}', file=answers, flush=True)


if __name__ == "__main__":
    main(cast("workloads.Name", sys.argv[1]), sys.argv[2])
