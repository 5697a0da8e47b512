"""SELECT classes by the definition: their plain SQL, run in DuckDB over the current versions, at every step anew."""

from __future__ import annotations

import atexit
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from ensue.language.program import Program, SelectedClass
from ensue.language.queries.rewriting import plain_sql
from ensue.language.times import Extreme, Now, Shifted, Time, parts
from ensue.model import AttributeType, Event, Occurrence, Value, occurrence_id
from ensue.model.announcements import content_of
from ensue.model.notices import ComplexEvent
from ensue.model.values import normal, value_key
from ensue.time import to_datetime, to_instant

Row = tuple[Value | None, ...]
"""The attributes of a row, in declared order."""
Source = tuple[str, str]
"""The class and the key of an event that a row was made of."""

_KEY = "__key"
_ARROW = {
    AttributeType.INTEGER: pa.int64(),
    AttributeType.NUMBER: pa.float64(),
    AttributeType.TEXT: pa.string(),
    AttributeType.TRUTH: pa.bool_(),
    AttributeType.TIME: pa.timestamp("us"),
}


class Selecting:
    """One SELECT class. It remembers since when a row holds, so it has to be asked step by step, in order.

    A row is its attributes, and those parts of its time that do not depend on NOW. As long as there is one that says
    the same, it goes on to hold, and NOW is the step at which it came to hold (D33).
    Asked twice for one step, it forgets its first answer.
    """

    def __init__(self, item: SelectedClass, program: Program) -> None:
        self.item = item
        self.name = item.declaration.name
        self._program = program
        fixed = _fixed_times(item)
        self._sql, self._tables = in_duckdb(item, program, fixed)
        self._holding, _ = in_duckdb(replace(item, occurring=Now(), checks=None), program, fixed)
        self._width = len(item.declaration.attributes) + len(fixed)
        self.asks_now = "$now" in self._sql
        self._step: int | None = None
        self._before: dict[Row, int] = {}
        self._since: dict[Row, int] = {}

    def derive(self, connection: duckdb.DuckDBPyConnection, t: int) -> dict[ComplexEvent, frozenset[Source]]:
        """The events at a step, and what each was made of, as far as the text of the SELECT shows it."""
        if t != self._step:
            self._step, self._before = t, self._since
        found: dict[str, tuple[int, Row, set[Source]]] = {}
        for occurred, said, sources in self._rows(connection, t):
            row = said[: len(self.item.declaration.attributes)]
            key = self._key(row)
            known = found.get(key)
            rank = occurred, _order(row)
            if known is not None and rank < (known[0], _order(known[1])):
                continue
            together = known[2] if known is not None and rank == (known[0], _order(known[1])) else set()
            found[key] = occurred, row, together | sources
        return {self._event(key, *one[:2]): frozenset(one[2]) for key, one in found.items()}

    def _rows(self, connection: duckdb.DuckDBPyConnection, t: int) -> Iterator[tuple[int, Row, set[Source]]]:
        if not self.asks_now:
            yield from self._run(connection, {})
            return
        holding = {row for _, row, _ in self._run(connection, {"now": naive(t)}, self._holding)}
        self._since = {row: self._before.get(row, t) for row in holding}
        for now in sorted(set(self._since.values())):
            for occurred, row, sources in self._run(connection, {"now": naive(now)}):
                if self._since[row] == now:
                    yield occurred, row, sources

    def _run(
        self, connection: duckdb.DuckDBPyConnection, values: Mapping[str, object], sql: str | None = None
    ) -> Iterator[tuple[int, Row, set[Source]]]:
        for occurred, *rest in connection.execute(sql or self._sql, values).fetchall():
            if occurred is not None:  # without a time there is no event
                row = tuple(normal(value) for value in rest[: self._width])
                yield to_instant(occurred), row, set(zip(self._tables, rest[self._width :], strict=True))

    def _key(self, row: Row) -> str:
        values = dict(zip(self.item.declaration.attributes, row, strict=True))
        return json_key(values[name] for name in self.item.key)

    def _event(self, key: str, occurred: int, row: Row) -> ComplexEvent:
        content = content_of(dict(zip(self.item.declaration.attributes, row, strict=True)))
        name = occurrence_id(self.name, (key,), ())
        return ComplexEvent(self.name, key, name, Occurrence(occurred, occurred, (), content), content)


_translated: dict[str, tuple[str, tuple[str, ...]]] = {}
"""Translating takes longer than running, and the same SELECTs come again and again."""


def _fixed_times(item: SelectedClass) -> tuple[Time, ...]:
    """The parts of a row's time that do not depend on NOW, where others do; each as large as possible."""
    if item.checks is None and not any(isinstance(one, Now) for one in parts(item.occurring)):
        return ()
    waiting: list[Time] = [item.occurring, *([item.checks.first, item.checks.last] if item.checks else [])]
    found: list[Time] = []
    while waiting:
        time = waiting.pop()
        if not any(isinstance(one, Now) for one in parts(time)):
            found.append(time)
        elif isinstance(time, Shifted):
            waiting.append(time.time)
        elif isinstance(time, Extreme):
            waiting += time.times
    return tuple(dict.fromkeys(found))


def in_duckdb(item: SelectedClass, program: Program, fixed: tuple[Time, ...] = ()) -> tuple[str, tuple[str, ...]]:
    """The SELECT of a class for DuckDB, with some times, and the key of each class in its FROM, as further columns.

    Where there are groups, or classes inside subqueries, what a row was made of cannot be seen: no further columns.
    """
    text = f"{item} {[(name, program.attributes(name)) for name in sorted(item.uses)]} {fixed}"
    if text not in _translated:
        tree = _spark(item, program)
        for time in fixed:
            tree = tree.select(_spark(replace(item, occurring=time, checks=None), program).expressions[0].this)
        _translated[text] = _translate(tree, program)
    return _translated[text]


def _spark(item: SelectedClass, program: Program) -> exp.Select:
    tree = sqlglot.parse_one(plain_sql(item, program), dialect="spark")
    assert isinstance(tree, exp.Select)
    return tree


def _translate(tree: exp.Select, program: Program) -> tuple[str, tuple[str, ...]]:
    tables = [one for one in tree.find_all(exp.Table) if one.name in program.classes]
    plain = all(one.find_ancestor(exp.Select) is tree for one in tables)
    if not plain or tree.args.get("group") or tree.args.get("distinct") or tree.find(exp.AggFunc):
        tables = []
    for one in tables:
        tree = tree.select(exp.column(_KEY, table=exp.to_identifier(one.alias_or_name, quoted=True)))
    naive_times = tree.transform(_without_zones)
    return naive_times.sql(dialect="duckdb"), tuple(one.name for one in tables)


def _without_zones(node: exp.Expr) -> exp.Expr:
    """Spark's TIMESTAMP is an instant; here every time is one in UTC, and DuckDB needs no zones."""
    zoned = (exp.DataType.Type.TIMESTAMPTZ, exp.DataType.Type.TIMESTAMPLTZ)
    if isinstance(node, exp.DataType) and node.this in zoned:
        return exp.DataType.build("TIMESTAMP_NTZ", dialect="spark")
    return node


@cache
def connect() -> duckdb.DuckDBPyConnection:
    """One database in memory, which takes long to make; one thread, because others want to run too."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.execute("CREATE MACRO timestamp_micros(micros) AS make_timestamp(micros)")
    atexit.register(connect.cache_clear)
    return connection


def show(
    connection: duckdb.DuckDBPyConnection, program: Program, events: Iterable[Event], names: Iterable[str]
) -> None:
    """Make tables of classes: each with the events of the classes under it too."""
    listed = list(events)
    for name in names:
        below = program.taxonomy.below(name)
        connection.register(name, _table([one for one in listed if one.type in below], program.attributes(name)))


def _table(events: Sequence[Event], attributes: Mapping[str, AttributeType]) -> pa.Table:
    columns: dict[str, pa.Array] = {
        _KEY: pa.array([one.id for one in events], pa.string()),
        "occ": pa.array([one.time for one in events], pa.int64()).cast(pa.timestamp("us")),
    }
    for name, kind in attributes.items():
        given: list[Any] = [normal(one.attributes.get(name)) for one in events]
        if kind is AttributeType.TIME:
            given = [None if value is None else naive(to_instant(value)) for value in given]
        columns[name] = pa.array(given, _ARROW[kind])
    return pa.table(columns)


def naive(instant: int) -> datetime:
    return to_datetime(instant).astimezone(UTC).replace(tzinfo=None)


def json_key(values: Iterable[Value | None]) -> str:
    """The key of a SELECT class's event: the JSON array of its key attributes as text."""
    return json.dumps([as_text(value) for value in values], ensure_ascii=False, separators=(",", ":"))


def as_text(value: Value | None) -> str | None:
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case datetime():
            return str(to_instant(value))
        case _:
            return str(value)


def _order(row: Row) -> tuple[tuple[bool, Any], ...]:
    """Attributes in declared order; a missing one is before all others."""
    return tuple((value is not None, None if value is None else value_key(value)) for value in row)
