"""Peers in SQL: DuckDB and Spark, both on two cores; queries.py has what they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from bench.data import Integers
from bench.peers import matching, queries
from bench.peers.apart import apart
from bench.peers.inputs import Inputs
from bench.peers.sides import Ready, Side, Work, of_spark
from bench.workloads import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def in_duckdb() -> Side:
    return Side("DuckDB SQL", lambda workload, inputs: apart(_duckdb, workload.name, inputs))


def _duckdb(name: str, inputs: Inputs) -> Work:
    base = duckdb.connect(config={"threads": 2})
    base.execute(f"CREATE VIEW events AS FROM read_parquet('{inputs.parquet}/*.parquet')")
    query = queries.DUCKDB[name]

    def run() -> int:
        """All matches, kept in a table."""
        base.execute(f"CREATE OR REPLACE TABLE found AS {query}")
        counted = base.execute("SELECT count(*) FROM found").fetchone()
        return int(counted[0]) if counted else 0

    return Work(run, lambda: matching.of_rows(_rows(base.execute(query).fetchnumpy())))


def in_spark(spark: SparkSession) -> Side:
    @contextmanager
    def start(workload: Workload, inputs: Inputs) -> Iterator[Ready]:
        spark.read.parquet(str(inputs.parquet)).createOrReplaceTempView("events")
        query = queries.SPARK[workload.name]

        def run() -> int:
            """All matches, to a sink that takes everything; how many it got is observed on the way."""
            from pyspark.sql import Observation, functions as f

            seen = Observation()
            spark.sql(query).observe(seen, f.count("*").alias("count")).write.format("noop").mode("overwrite").save()
            return int(seen.get["count"])

        def check() -> matching.Matches:
            table = spark.sql(query).toArrow()
            return matching.of_rows(_rows({name: table[name].to_numpy() for name in table.column_names}))

        yield Ready(run, check, of_spark)

    return Side("Spark SQL", start)


def spark_scan(spark: SparkSession) -> Side:
    """What Spark needs to read the same columns and to aggregate them: the limit of whatever begins with that."""

    @contextmanager
    def start(workload: Workload, inputs: Inputs) -> Iterator[Ready]:
        events = spark.read.parquet(str(inputs.parquet))
        names = ["type", "time", "key", "id", *(["value"] if "value" in str(workload.pattern) else [])]

        def run() -> int:
            from pyspark.sql import functions as f

            events.agg(*(f.max(name) for name in names)).collect()
            return 0

        yield Ready(run, lambda: matching.Matches(run(), 0), of_spark)

    return Side("Spark's scan and aggregate", start, kind="limit")


def _rows(columns: dict[str, Integers]) -> Integers:
    return np.column_stack([columns[f"p{place}"] for place in range(len(columns))])
