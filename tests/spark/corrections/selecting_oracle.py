"""SELECT classes by the definition: DuckDB runs each SELECT over what holds at each step, Python does the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import sqlglot

from ensue.language.program import Program, SelectedClass
from ensue.language.queries.rewriting import plain_sql
from ensue.model import AttributeType

EPOCH = datetime(2026, 3, 8, tzinfo=UTC)  # in New York, where the session of the tests is, clocks change that day
TYPES = {
    AttributeType.INTEGER: "BIGINT",
    AttributeType.NUMBER: "DOUBLE",
    AttributeType.TEXT: "VARCHAR",
    AttributeType.TRUTH: "BOOLEAN",
    AttributeType.TIME: "TIMESTAMP",
}

Row = tuple[Any, ...]
"""The occurrence time, then the attributes."""


@dataclass(frozen=True)
class Version:
    """What was believed of an event from one step up to another (None: it still is)."""

    key: str
    row: Row
    start: int
    end: int | None = None


@dataclass(frozen=True)
class WithNow:
    """How the oracle does NOW: SQL without it, the time of a row from what SQL gives first, and if the row counts."""

    query: str
    parts: int
    occurs: Callable[..., datetime]
    counts: Callable[..., bool] = lambda *_: True


@dataclass
class Oracle:
    """Knows the versions of every class, those of SELECT classes by running them at each step."""

    program: Program
    steps: Sequence[int]
    with_now: Mapping[str, WithNow] = field(default_factory=dict)
    versions: dict[str, list[Version]] = field(default_factory=dict)

    def derive(self) -> None:
        """Find the versions of all SELECT classes."""
        base = duckdb.connect()
        for name in self.program.classes:
            columns = [f'"{one}" {TYPES[kind]}' for one, kind in self.program.attributes(name).items()]
            base.execute(f'CREATE TABLE "{name} ever" (b BIGINT, e BIGINT, occ TIMESTAMP, {", ".join(columns)})')
        for name, known in self.versions.items():
            self._tell(base, name, known)
        for item in self.program.selected_classes:
            found = lifetimes([(step, by_key(item, self._rows(base, item, step))) for step in self.steps])
            if item.declaration.name in self.with_now:
                found = self._with_now(base, item)
            self.versions[item.declaration.name] = found
            self._tell(base, item.declaration.name, found)

    def _tell(self, base: duckdb.DuckDBPyConnection, name: str, known: Iterable[Version]) -> None:
        rows = [(one.start, one.end, *map(_naive, one.row)) for one in known]
        if rows:
            marks = ", ".join("?" for _ in rows[0])
            base.executemany(f'INSERT INTO "{name} ever" VALUES ({marks})', rows)

    def _rows(self, base: duckdb.DuckDBPyConnection, item: SelectedClass, step: int) -> list[Row]:
        self._look(base, step)
        special = self.with_now.get(item.declaration.name)
        if special:
            return [tuple(map(_aware, row)) for row in base.execute(special.query).fetchall()]
        (text,) = sqlglot.transpile(plain_sql(item, self.program), read="spark", write="duckdb")
        return [tuple(map(_aware, row)) for row in base.execute(text).fetchall()]

    def _look(self, base: duckdb.DuckDBPyConnection, step: int) -> None:
        for name in self.program.classes:
            wanted = ", ".join(["occ", *(f'"{one}"' for one in self.program.attributes(name))])
            below = [
                f'SELECT {wanted} FROM "{one} ever" WHERE b <= {step} AND (e IS NULL OR e > {step})'
                for one in sorted(self.program.taxonomy.below(name))
            ]
            base.execute(f'CREATE OR REPLACE TEMP VIEW "{name}" AS {" UNION ALL ".join(below)}')

    def _with_now(self, base: duckdb.DuckDBPyConnection, item: SelectedClass) -> list[Version]:
        """NOW is the step at which a row came to hold that has not ceased to hold since then."""
        special = self.with_now[item.declaration.name]
        since: dict[Row, int] = {}
        told = []
        for step in self.steps:
            there = set(self._rows(base, item, step))
            since = {row: since.get(row, step) for row in there}
            rows = [
                (special.occurs(moment(start), *row[: special.parts]), *row[special.parts :])
                for row, start in since.items()
                if special.counts(moment(start), *row[: special.parts])
            ]
            told.append((step, by_key(item, rows)))
        return lifetimes(told)


def by_key(item: SelectedClass, rows: Iterable[Row]) -> dict[str, Row]:
    """Of several rows with one key the last by time, then by attributes; what is missing comes first."""
    names = list(item.declaration.attributes)
    ordered = sorted(rows, key=lambda row: [(value is not None, value) for value in row])
    return {key_of([row[1 + names.index(name)] for name in item.key]): row for row in ordered}


def key_of(values: Iterable[Any]) -> str:
    texts = [
        None if value is None else str(micros(value) if isinstance(value, datetime) else value) for value in values
    ]
    return "[" + ",".join("null" if text is None else f'"{text}"' for text in texts) + "]"


def lifetimes(told: Sequence[tuple[int, Mapping[str, Row]]]) -> list[Version]:
    """What holds at each step as versions that hold for some time."""
    found: list[Version] = []
    current: dict[str, tuple[Row, int]] = {}
    for step, rows in told:
        for key in [key for key, (row, _) in current.items() if rows.get(key) != row]:
            row, start = current.pop(key)
            found.append(Version(key, row, start, step))
        for key, row in rows.items():
            current.setdefault(key, (row, step))
    return found + [Version(key, row, start) for key, (row, start) in current.items()]


def moment(step: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=step)


def micros(time: datetime) -> int:
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
