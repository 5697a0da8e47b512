"""All steps at once: a version is looked at once for every step at which something changed in its part."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, Window as Over, functions as f

from ensue.language.queries import lifting as columns
from ensue.spark.corrections.lifetimes import FROM, TO, TOUCHED
from ensue.spark.corrections.selecting.candidates import EVENTS_TYPE, SCOPE, Shape
from ensue.spark.corrections.selecting.places import EVENT, FOREVER, run
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.spark.corrections.lifetimes import Window
    from ensue.spark.corrections.selecting.ways import Plan

STEP, UNTIL, PART = "__step_at", "__until", "__part"
_MOMENT, _STEP, _PART, _ENDS, _OWN = "__moment", "__step", "__part_there", "__ends", "__own"


def moments(
    plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], before: DataFrame | None, window: Window
) -> DataFrame:
    """The candidates: parts in which something was touched are looked at anew, all others are remembered."""
    session = next(iter(tables.values())).sparkSession
    parted = {number: frame.withColumn(PART, _part(plan, number)) for number, frame in tables.items()}
    wanted = wanted_moments(parted, window if before is not None else None).localCheckpoint()
    frames = {number: _looked_at(frame, number, wanted) for number, frame in parted.items()}
    rows = run(session, plan.query, frames)
    moment, events = columns.ROW_MOMENT, f"CAST({columns.ROW_EVENTS} AS {EVENTS_TYPE})"
    scope = f"named_struct('{PART}', {moment}.{PART}, 'events', {events})"
    new = rows.selectExpr(*shape.new(f"{moment}.{STEP}", f"{moment}.{UNTIL}", scope))
    if before is None:
        return new
    first_steps = wanted.groupBy(quoted(PART).alias(_PART)).agg(f.min(STEP).alias(_ENDS))
    kept = shape.kept(before).withColumn(_OWN, quoted(SCOPE)[PART])
    ended = kept.join(first_steps, quoted(_OWN) == quoted(_PART), "left")
    ended = ended.withColumn(TO, f.coalesce(quoted(_ENDS), quoted(TO)))
    return new.unionByName(ended.drop(_OWN, _PART, _ENDS))


def wanted_moments(tables: Mapping[int, DataFrame], window: Window | None) -> DataFrame:
    """The steps at which some version begins or ends, for each part, and how long each step's answer stays.

    Without a window, all of them; else those of the window alone.
    """
    steps = [
        frame.where(f.lit(True) if window is None else quoted(TOUCHED)).select(
            f.explode(f.array(quoted(FROM), quoted(TO))).alias(STEP), quoted(PART)
        )
        for frame in tables.values()
    ]
    every = reduce(lambda one, two: one.unionByName(two), steps)
    inside = quoted(STEP) < FOREVER if window is None else quoted(STEP).between(window.first, window.last)
    distinct = every.where(inside).distinct()
    following = f.lead(quoted(STEP)).over(Over.partitionBy(quoted(PART)).orderBy(quoted(STEP)))
    return distinct.withColumn(UNTIL, f.coalesce(following, f.lit(FOREVER)))


def _looked_at(frame: DataFrame, number: int, wanted: DataFrame) -> DataFrame:
    """The versions at a place, once for each moment at which they hold."""
    moment = f.struct(quoted(STEP), quoted(UNTIL), quoted(PART)).alias(_MOMENT)
    at = wanted.select(quoted(STEP).alias(_STEP), quoted(PART).alias(_PART), moment)
    holds = (quoted(FROM) <= quoted(_STEP)) & (quoted(_STEP) < quoted(TO))
    joined = frame.join(at, (quoted(PART) == quoted(_PART)) & holds)
    renamed = {_MOMENT: f"{columns.MOMENT}{number}", EVENT: f"{columns.EVENT}{number}"}
    return joined.drop(FROM, TO, TOUCHED, PART, _STEP, _PART).withColumnsRenamed(renamed)


def _part(plan: Plan, number: int) -> Column:
    """The part to which a version belongs; all to one, if nothing parts them."""
    fields = [quoted(part[number]).alias(f"value_{place}") for place, part in enumerate(plan.parts)]
    return f.struct(*fields) if fields else f.struct(f.lit(0).alias("all"))
