"""What one shard does in a window: its versions come as Arrow, and lives and its new state go back. Spark is not here.

A row says that a version of an event holds from one step up to another. Of the rows that are touched the shard needs
no more than that: where one begins it is new, where one ends it is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ensue.algebra.classes import PatternClass
from ensue.model import AttributeType, Event, Taxonomy
from ensue.model.values import ValueKey
from ensue.revisions.lives import Life, Lives
from ensue.revisions.stretches import Step
from ensue.revisions.versions import Change

INSTANT = pa.timestamp("us", "UTC")
PART = pa.struct([("class", pa.string()), ("key", pa.string())])
STATE = pa.schema([("shard", pa.int32()), ("chunk", pa.int32()), ("bytes", pa.binary())])
KINDS: Mapping[AttributeType, pa.DataType] = {
    AttributeType.INTEGER: pa.int64(),
    AttributeType.NUMBER: pa.float64(),
    AttributeType.TEXT: pa.string(),
    AttributeType.TRUTH: pa.bool_(),
    AttributeType.TIME: INSTANT,
}
CHUNK = 1 << 24
"""How many bytes of a state stand in one row."""

LIFE, FINAL, SAVED, LOOK, OPEN = 0, 1, 2, 3, 4
"""What a row of the answer is: a life, a key that is final, a piece of the state, when it looks, what is open."""


@dataclass(frozen=True, slots=True)
class Besides:
    """What the shards of a class say in a window, besides what holds from when to when."""

    looks: tuple[int, ...] = ()
    """When the class looks at what time alone brings, in the window and next."""
    open: int = 0
    """How many parts of patterns have occurred and wait for the rest."""

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> Besides:
        """Of rows that say what they are, and a number."""
        listed = list(rows)
        return cls(
            tuple(number for what, number in listed if what == LOOK),
            sum(number for what, number in listed if what == OPEN),
        )


@dataclass(frozen=True, slots=True)
class Purge:
    """The last moment of purging, and the time before which nothing is corrected after it."""

    at: int
    before: int


@dataclass(frozen=True, slots=True)
class ShardWork:
    """One class, in one window; `attributes` has for each attribute its columns, one for each type that it has."""

    declared: PatternClass
    taxonomy: Taxonomy
    attributes: Mapping[str, tuple[str, ...]]
    first: int
    last: int
    purge: Purge | None
    every: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """What comes back, the attributes under numbers: their names may be those of other columns."""
        own = [(f"value{i}", KINDS[kind]) for i, kind in enumerate(self.declared.declared.attributes.values())]
        return pa.schema(
            [
                ("what", pa.int32()),
                *STATE,
                ("key", pa.string()),
                ("since", pa.int64()),
                ("until", pa.int64()),
                ("occurred", INSTANT),
                *own,
                ("id", pa.string()),
                ("begin", INSTANT),
                ("constituents", pa.list_(PART)),
            ]
        )

    def __call__(self, rows: pa.Table, state: pa.Table) -> pa.Table:
        """The window's versions and the state of one shard; either may be empty."""
        lives = Lives(self.declared, self.taxonomy, self.every)
        if state.num_rows:
            lives.restore(b"".join(state.sort_by("chunk").column("bytes").to_pylist()))
        final = lives.forget(self.purge.at, self.purge.before) if self.purge else []
        found = lives.window(self._steps(rows), self.last)
        types = lives.types_of(found)
        began = {one.event.key for one in found}
        shard = next(n for table in (rows, state) for n in table.column("shard").to_pylist()[:1])
        answer = [
            *(self._row(one, types) for one in found),
            *({"what": FINAL, "key": key} for key in final if key not in began),
            *_saved(shard, lives.save()),
            *({"what": LOOK, "since": time} for time in lives.looks),
            {"what": OPEN, "since": lives.open},
        ]
        return pa.Table.from_pylist(answer, self.schema)

    def _steps(self, rows: pa.Table) -> list[Step]:
        """The changes of each step; rows without a class only say that there is a step."""
        gone: dict[int, list[Change]] = {}
        new: dict[int, list[Change]] = {}
        for event, since, until in self._versions(rows):
            if since >= self.first:
                new.setdefault(since, []).extend([Change(None, event)] if event else [])
            if until is not None and event is not None:
                gone.setdefault(until, []).append(Change(event, None))
        return [(step, [*gone.get(step, ()), *new.get(step, ())]) for step in sorted({*gone, *new})]

    def _versions(self, rows: pa.Table) -> Iterator[tuple[Event | None, int, int | None]]:
        listed = {name: rows.column(name).to_pylist() for name in rows.column_names}
        values = [_first([listed[column] for column in columns]) for columns in self.attributes.values()]
        names = list(self.attributes)
        order = ("class", "key", "time", "since", "until")
        for place, (kind, key, time, since, until) in enumerate(zip(*(listed[n] for n in order), strict=True)):
            content = {
                name: value for name, column in zip(names, values, strict=True) if (value := column[place]) is not None
            }
            yield (None if kind is None else Event(key, kind, time, content)), since, until

    def _row(self, life: Life, types: Mapping[str, str]) -> dict[str, Any]:
        event = life.event
        known = dict(event.attributes)
        declared = self.declared.declared.attributes.items()
        return {
            "what": LIFE,
            "key": event.key,
            "since": life.since,
            "until": life.until,
            "occurred": event.time,
            **{f"value{i}": as_declared(kind, known.get(name)) for i, (name, kind) in enumerate(declared)},
            "id": event.id,
            "begin": event.occurrence.begin,
            "constituents": [{"class": types.get(name), "key": name} for name in event.occurrence.ids],
        }


def as_declared(kind: AttributeType, value: ValueKey | None) -> Any:
    """A value as its attribute is declared; null if it is none of that kind."""
    known, content = value or ("missing", "")
    match kind:
        case AttributeType.INTEGER:
            return int(content) if known == "number" and abs(float(content)) < 2.0**63 else None
        case AttributeType.NUMBER:
            return float(content) if known == "number" else None
        case AttributeType.TEXT:
            return content if known == "text" else None
        case AttributeType.TRUTH:
            return bool(content) if known == "truth" else None
        case AttributeType.TIME:
            return int(content) if known == "time" else None


def _first(columns: Sequence[list[Any]]) -> list[Any]:
    """Of each row the one value that there is."""
    if len(columns) == 1:
        return columns[0]
    return [next((value for value in row if value is not None), None) for row in zip(*columns, strict=True)]


def _saved(shard: int, data: bytes) -> Iterator[dict[str, Any]]:
    for chunk, start in enumerate(range(0, len(data), CHUNK)):
        yield {"what": SAVED, "shard": shard, "chunk": chunk, "bytes": data[start : start + CHUNK]}
