"""The events of a SELECT class: Spark gives the rows that the SELECT has now, the rest is done here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import md5
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import AnalysisException

from ensue.language.program import Program, SelectedClass
from ensue.spark.corrections.in_process.admitting import untouched
from ensue.spark.corrections.in_process.asking import Asked, Questions, linked
from ensue.spark.corrections.in_process.columns import INSTANT, Parted, among, as_plain, constant, frame_of, together
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Window,
)
from ensue.spark.corrections.selecting.candidates import KEPT, KIND, ROWS, SCOPE, STANDING, Shape
from ensue.spark.corrections.selecting.deriving import candidates, not_rewritten
from ensue.spark.corrections.selecting.overlaps import made_anew
from ensue.spark.corrections.selecting.places import EVENT, FOREVER
from ensue.spark.corrections.selecting.settling import settling_of
from ensue.spark.corrections.selecting.ways import Kind, Plan, plan_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Selects:
    """The SELECTs of a program. How each is run is found out once."""

    def __init__(self, spark: SparkSession, program: Program) -> None:
        self._spark, self._program = spark, program
        self._plans: dict[str, Plan] = {}
        self._questions = Questions(spark)

    def derive(self, item: SelectedClass, places: Places, before: pa.Table | None, window: Window) -> Parted:
        """The versions of a class's events, also those that nothing touched; `before` are its open rows."""
        try:
            return self._derive(item, places, before, window)
        except AnalysisException:
            if self._plan(item).way.kind is Kind.STEP_BY_STEP:
                raise
            self._plans[item.declaration.name] = not_rewritten(self._plan(item))
            return self._derive(item, places, before, window)

    def _plan(self, item: SelectedClass) -> Plan:
        name = item.declaration.name
        if name not in self._plans:
            self._plans[name] = plan_of(item, self._program)
        return self._plans[name]

    def _derive(self, item: SelectedClass, places: Places, before: pa.Table | None, window: Window) -> Parted:
        plan = self._plan(item)
        shape = Shape(item, plan.stem)
        if before is not None and _can_be_asked(plan):
            new = self._answer(item, places)
            if new is not None:
                return settle(new, before, shape, window)
        tables = {place.number: places.frame(place.name) for place in plan.query.places}
        if plan.way.kind is Kind.OVERLAPS:
            new = as_plain(made_anew(plan, shape, tables, every=before is None, hint=places.hint).toArrow())
            return settle(new, before, shape, window)
        stood = None if before is None else frame_of(self._spark, before)
        found = as_plain(candidates(plan, shape, tables, stood, window).toArrow())
        settled = _settled(found, shape, window, clip=before is not None)
        return Parted(settled.schema.empty_table(), settled)

    def _answer(self, item: SelectedClass, places: Places) -> pa.Table | None:
        """What is found anew of a class; it is asked for with all others for which everything is there by now."""
        name = item.declaration.name
        if name not in places.answers:
            level = [one for one in self._program.selected_classes if one is item or places.can_answer(one)]
            plans = {one.declaration.name: self._plan(one) for one in level}
            asked = [
                Asked(
                    one.declaration.name,
                    plan,
                    Shape(one, plan.stem),
                    {place.number: places.table(place.name) for place in plan.query.places},
                )
                for one in level
                for plan in [plans[one.declaration.name]]
                if _can_be_asked(plan)
            ]
            found = self._questions.ask(asked)
            places.answers.update({one.name: found.get(one.name) for one in asked})
        return places.answers.pop(name, None)


def _can_be_asked(plan: Plan) -> bool:
    return plan.way.kind is Kind.OVERLAPS and linked([one.number for one in plan.query.places], plan.links)


class Places:
    """What stands at the places of SELECTs in a window, each made when it is first asked for."""

    def __init__(self, spark: SparkSession, program: Program, tables: Mapping[str, pa.Table], hint: str = "") -> None:
        self._spark, self._program, self._tables = spark, program, tables
        self.hint = hint
        self._versions: dict[str, pa.Table] = {}
        self._frames: dict[str, DataFrame] = {}
        self.answers: dict[str, pa.Table | None] = {}
        """What was found anew of classes that have not been derived yet; None of those that have to be asked alone."""

    def table(self, name: str) -> pa.Table:
        """The versions of a class and of those below it, as `selecting.places.versions` has them."""
        if name not in self._versions:
            below = sorted(one for one in self._program.taxonomy.below(name) if one in self._tables)
            parts = [self._of(one, [OCCURRED, *self._program.attributes(name)]) for one in below]
            self._versions[name] = together(parts, parts[0].schema)
        return self._versions[name]

    def frame(self, name: str) -> DataFrame:
        """The same for Spark."""
        if name not in self._frames:
            self._frames[name] = frame_of(self._spark, self.table(name))
        return self._frames[name]

    def can_answer(self, item: SelectedClass) -> bool:
        """Whether a class is still to be derived, and all is there that it uses."""
        name = item.declaration.name
        return name not in self._tables and name not in self.answers and self._uses(item) <= self._tables.keys()

    def _uses(self, item: SelectedClass) -> set[str]:
        known = {one.declaration.name for one in (*self._program.subscribed_classes, *self._program.derived_classes)}
        return {below for name in item.uses for below in self._program.taxonomy.below(name) if below in known}

    def renew(self, name: str) -> None:
        """A class is derived again: what was made from it is not what it was."""
        for above in self._program.taxonomy.above(name):
            self._versions.pop(above, None)
            self._frames.pop(above, None)
        for item in self._program.selected_classes:
            if name in self._uses(item):
                self.answers.pop(item.declaration.name, None)

    def _of(self, name: str, attributes: Sequence[str]) -> pa.Table:
        table = self._tables[name]
        named = [constant(table.num_rows, name, pa.string()), table.column(KEY).combine_chunks()]
        return pa.table(
            {
                EVENT: pa.StructArray.from_arrays(named, ["class", "key"]),
                FROM: table.column(FROM),
                TO: pc.fill_null(table.column(TO), FOREVER),
                TOUCHED: table.column(TOUCHED),
                **{one: table.column(one) for one in attributes},
            }
        )


def settle(new: pa.Table, before: pa.Table | None, shape: Shape, window: Window) -> Parted:
    """What was found anew settles what becomes of its keys; all others go on."""
    if before is None:
        found = _settled(new, shape, window, clip=False)
        return Parted(found.schema.empty_table(), found)
    again = among(before.column(KEY), new.column(KEY))
    touched, rest = before.filter(again), before.filter(pc.invert(again))
    rows = together([new, _kept(touched), _standing(touched, window.first)], new.schema)
    found = _settled(rows, shape, window, clip=True)
    return Parted(together([untouched(rest)], found.schema), found)


def _settled(rows: pa.Table, shape: Shape, window: Window, *, clip: bool) -> pa.Table:
    work = settling_of(shape, window, clip=clip)
    found = [_lifetimes(pa.Table.from_batches([batch]), shape) for batch in work(iter(rows.to_batches()))]
    return together(found, _schema(rows.schema, shape))


def _schema(rows: pa.Schema, shape: Shape) -> pa.Schema:
    """The columns of a class's versions; its attributes are of the types that the SELECT gives."""
    kinds = {one.name: one.type for one in rows}
    row = pa.struct([(FROM, pa.int64()), *((name, kinds[name]) for name in (*shape.content, SCOPE))])
    return pa.schema(
        [
            (KEY, pa.string()),
            (FROM, pa.int64()),
            (TO, pa.int64()),
            (TOUCHED, pa.bool_()),
            (OCCURRED, INSTANT),
            *((name, kinds[name]) for name in shape.attributes),
            (ID, pa.string()),
            (BEGIN, INSTANT),
            (CONSTITUENTS, kinds[CONSTITUENTS]),
            (ROWS, pa.list_(row)),
        ]
    )


def _lifetimes(settled: pa.Table, shape: Shape) -> pa.Table:
    """With an id by class and key, and times as times."""
    name = shape.item.declaration.name
    ids = [md5(f"{name}\0{key}".encode()).hexdigest() for key in settled.column(KEY).to_pylist()]  # noqa: S324
    occurred = settled.column(OCCURRED).cast(INSTANT)
    placed = settled.set_column(settled.column_names.index(OCCURRED), OCCURRED, occurred)
    return placed.append_column(ID, pa.array(ids, pa.string())).append_column(BEGIN, occurred)


def _kept(before: pa.Table) -> pa.Table:
    """What is remembered, each as if it went on for ever."""
    listed = before.column(ROWS).combine_chunks()
    rows = pc.list_flatten(listed)
    names = [rows.type.field(place).name for place in range(rows.type.num_fields)]
    columns = dict(zip(names, rows.flatten(), strict=True))
    count = len(rows)
    return pa.table(
        {
            KEY: before.column(KEY).take(pc.list_parent_indices(listed)),
            KIND: constant(count, KEPT, pa.int32()),
            TO: constant(count, FOREVER, pa.int64()),
            CONSTITUENTS: pc.struct_field(columns[SCOPE], "events"),
            **columns,
        }
    )


def _standing(before: pa.Table, first: int) -> pa.Table:
    """The events that stood before the window, up to its first step."""
    count = before.num_rows
    columns = dict(zip(before.column_names, before.columns, strict=True))
    return pa.table(
        {
            **columns,
            KIND: constant(count, STANDING, pa.int32()),
            TO: constant(count, first, pa.int64()),
            OCCURRED: before.column(OCCURRED).cast(pa.int64()),
        }
    )
