"""Joins of versions that overlap: each row holds for as long as all that it is joined from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from ensue.language.queries import overlapping as columns
from ensue.spark.corrections.lifetimes import FROM, TO, TOUCHED
from ensue.spark.corrections.selecting.candidates import Shape
from ensue.spark.corrections.selecting.places import EVENT, run
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.spark.corrections.lifetimes import Window
    from ensue.spark.corrections.selecting.ways import Plan


def overlaps(
    plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], before: DataFrame | None, _: Window
) -> DataFrame:
    """The candidates: joins with a touched version at some place are made anew, all others are remembered.

    What is remembered and was made anew is there twice; settling sees that by the events.
    """
    new = made_anew(plan, shape, tables, every=before is None)
    return new if before is None else new.unionByName(shape.kept(before))


def made_anew(plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], *, every: bool) -> DataFrame:
    """The joins with a touched version at some place, or every one."""
    session = next(iter(tables.values())).sparkSession

    def joined(frames: Mapping[int, DataFrame]) -> DataFrame:
        named = {number: _named(frame, number) for number, frame in frames.items()}
        return run(session, plan.query, named)

    parts = [tables] if every else _touched_at_each(tables)
    rows = reduce(lambda one, two: one.unionAll(two), map(joined, parts))
    scope = f.struct(quoted(columns.EVENTS).alias("events"))
    return shape.new(rows, quoted(columns.HOLDS_FROM), quoted(columns.HOLDS_TO), scope)


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
