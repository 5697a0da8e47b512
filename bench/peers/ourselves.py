"""Ensue as the peers are asked: in `continuous`, from Parquet, on Spark and in one process."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import ensue
from bench.peers import matching
from bench.peers.apart import apart
from bench.peers.inputs import Inputs
from bench.peers.sides import Ready, Side, Work, of_spark
from bench.verdict import ONE_PROCESS
from bench.workloads import Name, Workload, named
from ensue.engine.memory import keep_freed_memory
from ensue.spark.streaming.running import prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

CONTEXT = "continuous"
SHARDS = 2
PARTITIONS = "spark.sql.shuffle.partitions"


def on_spark(spark: SparkSession) -> Side:
    @contextmanager
    def start(workload: Workload, inputs: Inputs) -> Iterator[Ready]:
        events = spark.read.parquet(str(inputs.parquet))

        def found() -> DataFrame:
            occurrences: DataFrame = ensue.detect(workload.pattern, events, CONTEXT)
            return occurrences

        def run() -> int:
            from pyspark.sql import Observation, functions as f

            seen = Observation()
            found().observe(seen, f.count("*").alias("count")).write.format("noop").mode("overwrite").save()
            return int(seen.get["count"])

        def check() -> matching.Matches:
            return _places(found().select("constituents").toArrow(), workload.width)

        yield Ready(run, check, of_spark)

    return Side("Ensue on Spark", start, kind="ours")


def streaming(spark: SparkSession) -> Side:
    """The same as a stream from files, with state in RocksDB and a checkpoint after each micro-batch."""

    @contextmanager
    def start(workload: Workload, inputs: Inputs) -> Iterator[Ready]:
        schema = spark.read.parquet(str(inputs.stream)).schema
        prepare(spark)

        @contextmanager
        def query() -> Iterator[DataStreamWriter]:
            from pyspark.sql import functions as f

            events = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(inputs.stream))
            found = ensue.detect(workload.pattern, events, CONTEXT, delay="1 second", shards=SHARDS)
            counted = found.observe("found", f.count("*").alias("count"))
            before = str(spark.conf.get(PARTITIONS))
            spark.conf.set(PARTITIONS, SHARDS)
            with tempfile.TemporaryDirectory() as checkpoint:
                yield counted.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)
            spark.conf.set(PARTITIONS, before)

        def run() -> int:
            with query() as writer:
                running = writer.format("noop").start()
                running.awaitTermination()
            told = [one["observedMetrics"].get("found") for one in running.recentProgress]
            return sum(int(one["count"]) for one in told if one is not None)

        def check() -> matching.Matches:
            parts: list[pa.Table] = []
            with query() as writer:
                writer.foreachBatch(lambda found, _: parts.append(found.toArrow())).start().awaitTermination()
            return _places(pa.concat_tables(parts), workload.width)

        yield Ready(run, check, of_spark)

    return Side("Ensue on Spark, streaming", start, kind="ours")


def in_one_process() -> Side:
    return Side(ONE_PROCESS, lambda asked, inputs: apart(_in_one_process, asked.name, inputs), kind="ours")


def _in_one_process(name: Name, inputs: Inputs) -> Work:
    workload = named(name)
    keep_freed_memory()  # as the command line does

    def found() -> pa.Table:
        return ensue.detect(workload.pattern, inputs.parquet, CONTEXT)

    return Work(lambda: len(found()), lambda: _places(found(), workload.width))


def _places(found: pa.Table, width: int) -> matching.Matches:
    """Ids are places; constituents are in the order of time, as the peers tell theirs."""
    parts = pc.list_flatten(found.column("constituents").combine_chunks())
    ids = pc.struct_field(parts, "id") if pa.types.is_struct(parts.type) else parts
    return matching.of_rows(np.asarray(ids.cast(pa.int64())).reshape(-1, width))
