"""The events of a SELECT class at all steps of a window, from the versions of the classes that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from ensue.spark.corrections.selecting.candidates import Shape
from ensue.spark.corrections.selecting.moments import moments
from ensue.spark.corrections.selecting.overlaps import overlaps
from ensue.spark.corrections.selecting.places import versions
from ensue.spark.corrections.selecting.settling import settle
from ensue.spark.corrections.selecting.single_steps import single_steps
from ensue.spark.corrections.selecting.ways import Kind, Plan, plan_of, stepwise

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.language.program import Program, SelectedClass
    from ensue.spark.corrections.lifetimes import Lifetimes, Window

_WAYS = {Kind.OVERLAPS: overlaps, Kind.LIFTED: moments, Kind.STEP_BY_STEP: single_steps}


def derive_selected(
    item: SelectedClass, program: Program, inputs: Mapping[str, Lifetimes], before: DataFrame | None, window: Window
) -> Lifetimes:
    """The versions of a class's events that hold in a window or ended in it, also those that nothing touched.

    `before` are the open rows of the window before, with all their columns; None in the first one.
    """
    return derive_on(plan_of(item, program), item, program, inputs, before, window)


def derive_on(
    plan: Plan,
    item: SelectedClass,
    program: Program,
    inputs: Mapping[str, Lifetimes],
    before: DataFrame | None,
    window: Window,
) -> Lifetimes:
    """The same on a given way. What Spark will not run rewritten goes step by step, where it runs as it was written."""
    shape = Shape(item, plan.stem)
    tables = {place.number: versions(place.name, program, inputs) for place in plan.query.places}
    try:
        found = candidates(plan, shape, tables, before, window)
    except AnalysisException:
        if plan.way.kind is Kind.STEP_BY_STEP:
            raise
        return derive_on(not_rewritten(plan), item, program, inputs, before, window)
    return settle(found, shape, window, clip=before is not None)


def candidates(
    plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], before: DataFrame | None, window: Window
) -> DataFrame:
    """What a SELECT gives in a window, what is remembered of it, and the events that stood before."""
    found = _WAYS[plan.way.kind](plan, shape, tables, before, window)
    return found if before is None else found.unionByName(shape.standing(before, window.first, found))


def not_rewritten(plan: Plan) -> Plan:
    """The way of what Spark only runs as it was written."""
    return stepwise(plan, "Spark does not run it rewritten")
