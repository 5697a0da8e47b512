"""Versions as frames of Spark and as tables in this process, window by window, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from tests.spark.corrections.selecting_oracle import Version

from ensue.language.program import Program, SelectedClass
from ensue.model import AttributeType
from ensue.spark.corrections.in_process.columns import INSTANT
from ensue.spark.corrections.in_process.selecting import Places, Selects
from ensue.spark.corrections.in_shards import KINDS
from ensue.spark.corrections.lifetimes import FROM, KEY, OCCURRED, TO, TOUCHED, Lifetimes, Window
from ensue.spark.corrections.selecting.deriving import derive_on
from ensue.spark.corrections.selecting.ways import Plan, plan_of
from ensue.spark.corrections.small import suited

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

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
    known: Sequence[Mapping[str, Sequence[Version]]],
    windows: Sequence[Window],
    plan: Plan | None = None,
) -> list[list[Row]]:
    """What is derived in each window from what is known of it and the open rows of the one before."""
    before, found = None, []
    plan = plan or plan_of(item, program)
    wanted = set().union(*(program.taxonomy.below(name) for name in item.uses))
    for window, versions in zip(windows, known, strict=True):
        inputs = {name: frame_of(spark, program, name, versions.get(name, ()), window) for name in wanted}
        result = derive_on(plan, item, program, inputs, before, window)
        told = result.frame.collect()
        before = spark.createDataFrame([row for row in told if row[TO] is None], result.frame.schema)
        found.append(told)
    return found


def derived_here(
    spark: SparkSession,
    program: Program,
    item: SelectedClass,
    known: Sequence[Mapping[str, Sequence[Version]]],
    windows: Sequence[Window],
    announced: int = 0,
) -> list[list[dict[str, Any]]]:
    """The same in this process, with Spark for the rows of the SELECT alone, suited to so many announcements."""
    before, found = None, []
    selects = Selects(spark, program)
    wanted = set().union(*(program.taxonomy.below(name) for name in item.uses))
    for window, versions in zip(windows, known, strict=True):
        tables = {name: table_of(program, name, versions.get(name, ()), window) for name in wanted}
        with suited(spark, announced) as hint:
            told = selects.derive(item, Places(spark, program, tables, hint), before, window).whole
        before = told.filter(pc.is_null(told.column(TO)))
        found.append(told.to_pylist())
    return found


def table_of(program: Program, name: str, versions: Sequence[Version], window: Window) -> pa.Table:
    columns = [
        (KEY, pa.string()),
        (FROM, pa.int64()),
        (TO, pa.int64()),
        (TOUCHED, pa.bool_()),
        (OCCURRED, INSTANT),
        *((one, KINDS[kind]) for one, kind in program.attributes(name).items()),
    ]
    rows = [(one.key, one.start, one.end, touched, *one.row) for one, touched in seen(versions, window)]
    values = zip(*rows, strict=True) if rows else [()] * len(columns)
    return pa.table([pa.array(one, kind) for one, (_, kind) in zip(values, columns, strict=True)], pa.schema(columns))
