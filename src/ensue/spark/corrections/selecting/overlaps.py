"""Joins of versions that overlap: each row holds for as long as all that it is joined from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ensue.language.queries import overlapping as columns
from ensue.language.queries.places import Query, in_braces
from ensue.spark.corrections.lifetimes import FROM, TO, TOUCHED
from ensue.spark.corrections.selecting.candidates import Shape
from ensue.spark.corrections.selecting.places import EVENT, run
from ensue.spark.values import in_quotes

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


def made_anew(plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], *, every: bool, hint: str = "") -> DataFrame:
    """The joins with a touched version at some place, or every one; one query, so that Spark plans it once.

    `hint` is for Spark, about what stands at each place.
    """
    numbers = list(tables)
    parts = [dict.fromkeys(numbers, "TRUE")] if every else [_touched_at(chosen, numbers) for chosen in numbers]
    return _made(plan, shape, tables, parts, "TRUE", hint)


def made_of_few(plan: Plan, shape: Shape, tables: Mapping[int, DataFrame], hint: str) -> DataFrame:
    """The same where little else stands at the places: one join, in which the others are left out afterwards."""
    return _made(plan, shape, tables, [dict.fromkeys(tables, "TRUE")], columns.ANY_TOUCHED, hint)


def _made(
    plan: Plan,
    shape: Shape,
    tables: Mapping[int, DataFrame],
    parts: Sequence[Mapping[int, str]],
    condition: str,
    hint: str,
) -> DataFrame:
    session = next(iter(tables.values())).sparkSession
    names = {number: frame.columns for number, frame in tables.items()}
    queries = [plan.query.filled({one: _seen(one, names[one], part[one], hint) for one in tables}) for part in parts]
    scope = f"named_struct('events', {columns.EVENTS})"
    wanted = ", ".join(shape.new(columns.HOLDS_FROM, columns.HOLDS_TO, scope))
    union = " UNION ALL ".join(f"({one.text})" for one in queries)
    said = f"SELECT {in_braces(wanted)} FROM ({union}) WHERE {condition}"  # noqa: S608  # made of the program's own parts
    return run(session, Query(said, plan.query.places), tables)


def _touched_at(chosen: int, numbers: Sequence[int]) -> dict[int, str]:
    """What counts at each place if the first touched version is at one of them, so that no join is made twice."""
    return {one: "TRUE" if one > chosen else TOUCHED if one == chosen else f"NOT {TOUCHED}" for one in numbers}


def _seen(number: int, names: Sequence[str], condition: str, hint: str) -> str:
    """What stands at a place: the columns have other names there, so that no two tables of the SELECT share one."""
    prefixes = {FROM: columns.FROM, TO: columns.TO, EVENT: columns.EVENT, TOUCHED: columns.TOUCHED}
    own = {name: f"{prefix}{number}" for name, prefix in prefixes.items()}
    said = ", ".join(f"{in_quotes(one)} AS {in_quotes(own.get(one, one))}" for one in names)
    return f"(SELECT {hint} {in_braces(said)} FROM {{place_{number}}} WHERE {condition})"  # noqa: S608  # names in quotes
