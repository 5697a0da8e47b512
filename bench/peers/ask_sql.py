"""DuckDB and Spark's SQL as they are asked in the sweeps, both on two cores; step_queries.py has the queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa

from bench.data import Integers
from bench.peers import matching, step_queries
from bench.peers.apart import apart
from bench.peers.contender import CORES, Contender, ready_in_spark
from bench.peers.files import Files
from bench.peers.sides import Ready, Work
from bench.questions import Question
from bench.shapes import Shape, by_shape

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def in_duckdb() -> Contender:
    def start(question: Question, files: Files, patience: float) -> AbstractContextManager[Ready]:
        return apart(querying, question, files, patience=patience)

    return Contender("DuckDB SQL", start)


def querying(question: Question, files: Files) -> Work:
    """All matches of each shape, with DuckDB."""
    queries = _queries(question, step_queries.in_duckdb)
    base = duckdb.connect(config={"threads": CORES})
    base.execute(f"CREATE VIEW events AS FROM read_parquet('{files.parquet}/*.parquet')")
    base.register("given", _rules(question))
    base.execute("CREATE TABLE rules AS FROM given")

    def run() -> int:
        """All matches, kept in tables."""
        total = 0
        for number, query in enumerate(queries):
            base.execute(f"CREATE OR REPLACE TABLE found{number} AS {query}")
            rows = base.execute(f"SELECT count(*) FROM found{number}").fetchone()
            total += int(rows[0]) if rows else 0
        return total

    def check() -> matching.Matches:
        return sum((_rows(base.execute(query).fetchnumpy()) for query in queries), matching.NOTHING)

    return Work(run, check)


def in_spark(spark: SparkSession) -> Contender:
    """The queries of several shapes are a job each: their matches have different widths."""

    @contextmanager
    def start(question: Question, files: Files, patience: float) -> Iterator[Ready]:
        spark.read.parquet(str(files.parquet)).createOrReplaceTempView("events")
        spark.createDataFrame(_rules(question)).createOrReplaceTempView("rules")
        queries = _queries(question, step_queries.in_spark)

        def found() -> list[DataFrame]:
            return [spark.sql(query) for query in queries]

        def check() -> matching.Matches:
            return sum((_rows(_columns(one.toArrow())) for one in found()), matching.NOTHING)

        yield ready_in_spark(spark, patience, found, check)

    return Contender("Spark SQL", start)


def _queries(question: Question, text: Callable[[Shape, int | None], str]) -> list[str]:
    if not question.ruled:
        return [text(question.shapes[0], None)]
    return [text(shape, number) for number, shape in enumerate(by_shape(question.shapes))]


def _rules(question: Question) -> pa.Table:
    """The rules that each shape has, for joins."""
    known = by_shape(question.shapes) if question.ruled else {}
    listed = [(at, key, rule) for at, rules in enumerate(known.values()) for key, rule in rules.items()]
    columns = list(zip(*listed, strict=True)) or [(), (), ()]
    return pa.table([pa.array(column, pa.int64()) for column in columns], ["shape", "key", "rule"])


def _columns(table: pa.Table) -> dict[str, Integers]:
    return {name: table.column(name).to_numpy() for name in table.column_names}


def _rows(columns: dict[str, Integers]) -> matching.Matches:
    return matching.of_rows(np.column_stack(list(columns.values())))
