"""Joins of versions that overlap: each row holds for as long as all that it is joined from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Window as Over, functions as f

from ensue.language.queries import overlapping as columns
from ensue.spark.corrections.lifetimes import FROM, KEY, TO, TOUCHED
from ensue.spark.corrections.selecting.candidates import KEPT, KIND, NEW, SCOPE, Shape
from ensue.spark.corrections.selecting.places import EVENT, run
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.spark.corrections.lifetimes import Window
    from ensue.spark.corrections.selecting.ways import Plan


def overlaps(
    plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], before: DataFrame | None, window: Window
) -> DataFrame:
    """The candidates: joins with a touched version at some place are made anew, all others are remembered."""
    session = next(iter(tables.values())).sparkSession

    def joined(frames: Mapping[int, DataFrame]) -> DataFrame:
        named = {number: _named(frame, number) for number, frame in frames.items()}
        return run(session, plan.query, named)

    if before is None:
        rows = joined(tables)
    else:
        rows = reduce(lambda one, two: one.unionAll(two), map(joined, _touched_at_each(tables)))
    scope = f.struct(quoted(columns.EVENTS).alias("events"))
    new = shape.new(rows, quoted(columns.HOLDS_FROM), quoted(columns.HOLDS_TO), scope)
    if before is None:
        return new
    of_join = Over.partitionBy(quoted(KEY), quoted(SCOPE))
    made_anew = f.max((quoted(KIND) == NEW) & (quoted(FROM) < window.first)).over(of_join)
    both = new.unionByName(shape.kept(before)).withColumn("__anew", made_anew)
    ends = f.when((quoted(KIND) == KEPT) & quoted("__anew"), f.lit(window.first)).otherwise(quoted(TO))
    begins = f.when(quoted(KIND) == NEW, f.greatest(quoted(FROM), f.lit(window.first))).otherwise(quoted(FROM))
    return both.withColumn(TO, ends).withColumn(FROM, begins).drop("__anew").where(quoted(FROM) < quoted(TO))


def _touched_at_each(tables: Mapping[int, DataFrame]) -> list[dict[int, DataFrame]]:
    """The places once for each of them, with what was touched there; no join is made twice.

    At the places before it only what was not touched, at those after it everything.
    """
    touched = quoted(TOUCHED)
    return [
        {
            number: frame.where(touched if number == chosen else ~touched) if number <= chosen else frame
            for number, frame in tables.items()
        }
        for chosen in tables
    ]


def _named(frame: DataFrame, number: int) -> DataFrame:
    """With the columns of a place: their names differ, so that no two tables of the SELECT share one."""
    names = {FROM: columns.FROM, TO: columns.TO, EVENT: columns.EVENT}
    renamed = frame.drop(TOUCHED)
    return renamed.withColumnsRenamed({old: f"{new}{number}" for old, new in names.items()})
