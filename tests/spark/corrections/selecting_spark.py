"""Versions as frames of Spark, window by window, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from tests.spark.corrections.selecting_oracle import Version

from ensue.language.program import Program, SelectedClass
from ensue.model import AttributeType
from ensue.spark.corrections.lifetimes import FROM, KEY, OCCURRED, TO, TOUCHED, Lifetimes, Window
from ensue.spark.corrections.selecting.deriving import derive_on
from ensue.spark.corrections.selecting.ways import Plan, plan_of

SPARK = {
    AttributeType.INTEGER: "BIGINT",
    AttributeType.NUMBER: "DOUBLE",
    AttributeType.TEXT: "STRING",
    AttributeType.TRUTH: "BOOLEAN",
    AttributeType.TIME: "TIMESTAMP",
}


def seen(versions: Sequence[Version], window: Window) -> Iterator[tuple[Version, bool]]:
    """The versions as a window has them, and whether their event is touched in it."""

    def inside(step: int | None) -> bool:
        return step is not None and window.first <= step <= window.last

    there = [one for one in versions if one.start <= window.last and (one.end is None or one.end >= window.first)]
    touched = {one.key for one in there if inside(one.start) or inside(one.end)}
    for one in there:
        end = one.end if inside(one.end) else None
        yield Version(one.key, one.row, one.start, end), one.key in touched


def frame_of(
    spark: SparkSession, program: Program, name: str, versions: Sequence[Version], window: Window
) -> Lifetimes:
    columns = "".join(f", `{one}` {SPARK[kind]}" for one, kind in program.attributes(name).items())
    schema = f"{KEY} STRING, {FROM} BIGINT, {TO} BIGINT, {TOUCHED} BOOLEAN, {OCCURRED} TIMESTAMP{columns}"
    rows = [(one.key, one.start, one.end, touched, *one.row) for one, touched in seen(versions, window)]
    return Lifetimes(spark.createDataFrame(rows, schema))


def derived(
    spark: SparkSession,
    program: Program,
    item: SelectedClass,
    known: Mapping[str, Sequence[Version]],
    windows: Sequence[Window],
    plan: Plan | None = None,
) -> list[DataFrame]:
    """What is derived in each window, each from the open rows of the one before, as a runner keeps them."""
    before, found = None, []
    plan = plan or plan_of(item, program)
    wanted = set().union(*(program.taxonomy.below(name) for name in item.uses))
    for window in windows:
        inputs = {name: frame_of(spark, program, name, known.get(name, ()), window) for name in wanted}
        result = derive_on(plan, item, program, inputs, before, window)
        kept = result.frame.collect()
        told = spark.createDataFrame(kept, result.frame.schema)
        before = spark.createDataFrame([row for row in kept if row[TO] is None], result.frame.schema)
        found.append(told)
    return found
