"""Step by step: the SELECT is run for each step at which something changed, over what holds then."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from ensue.spark.corrections.lifetimes import FROM, TO, TOUCHED
from ensue.spark.corrections.selecting.candidates import EVENTS_TYPE, Shape
from ensue.spark.corrections.selecting.moments import PART, STEP, wanted_moments
from ensue.spark.corrections.selecting.places import EVENT, FOREVER, run
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.spark.corrections.lifetimes import Window
    from ensue.spark.corrections.selecting.ways import Plan

TOGETHER = 16
"""So many steps are one job: Spark's plans must not grow with their number."""


def single_steps(
    plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], before: DataFrame | None, window: Window
) -> DataFrame:
    """The candidates: at each step all rows; what is remembered holds up to the first."""
    session = next(iter(tables.values())).sparkSession
    alike = {number: frame.withColumn(PART, f.lit(0)) for number, frame in tables.items()}
    wanted = wanted_moments(alike, window if before is not None else None)
    steps = sorted(row[0] for row in wanted.select(STEP).collect())
    ends = [*steps[1:], FOREVER]
    scope = f"named_struct('events', CAST(NULL AS {EVENTS_TYPE}))"

    def at(step: int, end: int) -> DataFrame:
        holding = {number: _holding(frame, step) for number, frame in tables.items()}
        return run(session, plan.query, holding).selectExpr(*shape.new(f"{step}L", f"{end}L", scope))

    found = []
    for start in range(0, len(steps), TOGETHER):
        some = [at(*pair) for pair in zip(steps[start:][:TOGETHER], ends[start:], strict=False)]
        one = reduce(lambda first, second: first.unionAll(second), some)
        found.append(one.localCheckpoint() if len(steps) > TOGETHER else one)
    if before is not None:
        kept = shape.kept(before)
        found.append(kept.withColumn(TO, f.lit(steps[0])) if steps else kept)
    if not found:
        found.append(at(window.first, FOREVER).limit(0))
    return reduce(lambda one, two: one.unionByName(two), found)


def _holding(frame: DataFrame, step: int) -> DataFrame:
    there = (quoted(FROM) <= step) & (quoted(TO) > step)
    return frame.where(there).drop(FROM, TO, TOUCHED, EVENT)
