"""Windows through shards without Spark: versions of events as Arrow, by shard, and what comes back put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from tests.revisions.lives import windows

from ensue.algebra.classes import PatternClass
from ensue.model import Event, Taxonomy
from ensue.model.values import kind, normal
from ensue.revisions.stretches import Step
from ensue.spark.corrections.in_shards import FINAL, LIFE, SAVED, STATE, Purge, ShardWork

Version = tuple[Event, int, int | None]
"""An event, from which step it holds, and up to which."""

_KINDS = {"number": pa.float64(), "text": pa.string(), "truth": pa.bool_()}
_COLUMNS = {name: tuple(f"{name} {one}" for one in _KINDS) for name in ("v", "w")}
_ROWS = pa.schema(
    [
        ("shard", pa.int32()),
        ("class", pa.string()),
        ("key", pa.string()),
        ("time", pa.int64()),
        ("since", pa.int64()),
        ("until", pa.int64()),
        *((f"{name} {one}", form) for name in _COLUMNS for one, form in _KINDS.items()),
    ]
)


@dataclass
class Versions:
    """What is believed of each event from which step on."""

    open: dict[tuple[str, str], tuple[Event, int]] = field(default_factory=dict)

    def window(self, steps: Sequence[Step]) -> list[Version]:
        """The versions that are touched."""
        touched, ended = set(), list[Version]()
        for now, changes in steps:
            for change in changes:
                event = change.old or change.new
                assert event is not None
                name = event.type, event.id
                touched.add(name)
                if change.old is not None:
                    known, since = self.open.pop(name)
                    ended.append((known, since, now))
                if change.new is not None:
                    self.open[name] = change.new, now
        return ended + [(*self.open[name], None) for name in touched if name in self.open]


@dataclass(frozen=True)
class Row:
    key: str
    since: int
    until: int | None
    id: str
    occurred: int
    begin: int
    parts: tuple[tuple[str | None, str], ...]


@dataclass
class ShardRun:
    """Shards with their states, as a runner has them; `by` is the attribute that tells the shard, if one does."""

    declared: PatternClass
    shards: int
    by: str | None
    every: int
    states: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    open: dict[str, Row] = field(default_factory=dict)
    ended: list[Row] = field(default_factory=list)
    final: list[Row] = field(default_factory=list)

    def window(
        self,
        rows: Iterable[tuple[Event, int, int | None]],
        steps: Iterable[int],
        first: int,
        last: int,
        purge: Purge | None = None,
    ) -> None:
        """One window: each shard that has something new or a state is called."""
        placed: dict[int, list[dict[str, Any]]] = {}
        for event, since, until in rows:
            placed.setdefault(self._shard(event), []).append(_row(self._shard(event), event, since, until))
        if self.by is None:
            placed.setdefault(0, []).extend({"shard": 0, "since": step} for step in steps)
        work = ShardWork(self.declared, Taxonomy(), _COLUMNS, first, last, purge, self.every)
        answers = []
        for shard in sorted(placed.keys() | self.states.keys()):
            new = pa.Table.from_pylist(placed.get(shard, []), _ROWS)
            known = pa.Table.from_pylist(self.states.get(shard, [])[::-1], STATE)
            answer = work(new, known).to_pylist()
            self.states[shard] = [{n: row[n] for n in STATE.names} for row in answer if row["what"] == SAVED]
            answers += [row for row in answer if row["what"] != SAVED]
        self._put(answers)

    def _put(self, answers: Sequence[Mapping[str, Any]]) -> None:
        before = self.open
        told = {row["key"] for row in answers}
        self.final += [before[row["key"]] for row in answers if row["what"] == FINAL]
        found = [_life(row) for row in answers if row["what"] == LIFE]
        self.ended += [row for row in found if row.until is not None]
        self.open = {key: row for key, row in before.items() if key not in told}
        self.open |= {row.key: row for row in found if row.until is None}

    def _shard(self, event: Event) -> int:
        return 0 if self.by is None else hash(event.attributes.get(self.by)) % self.shards

    def at(self, step: int) -> dict[str, tuple[str, int, int]]:
        rows = [*self.ended, *self.open.values()]
        held = [row for row in rows if row.since <= step and (row.until is None or step < row.until)]
        assert len({row.key for row in held}) == len(held), "two versions of one event hold at once"
        return {row.key: (row.id, row.begin, row.occurred) for row in held}


def run(
    declared: PatternClass,
    steps: Sequence[Step],
    cuts: Iterable[int],
    last: int,
    shards: int,
    by: str | None,
    every: int,
) -> ShardRun:
    """All steps in windows, without purging."""
    versions, shards_run = Versions(), ShardRun(declared, shards, by, every)
    for part, end in windows(steps, cuts, last):
        shards_run.window(versions.window(part), [now for now, _ in part], part[0][0], end)
    return shards_run


def _row(shard: int, event: Event, since: int, until: int | None) -> dict[str, Any]:
    found = {"shard": shard, "class": event.type, "key": event.id, "time": event.time, "since": since, "until": until}
    for name in _COLUMNS:
        value = normal(event.attributes.get(name))
        if value is not None:
            found[f"{name} {kind(value)}"] = value
    return found


def _life(row: Mapping[str, Any]) -> Row:
    begin, occurred = (
        int(pa.scalar(row[name]).cast(pa.timestamp("us", "UTC")).value) for name in ("begin", "occurred")
    )
    parts = tuple((part["class"], part["key"]) for part in row["constituents"])
    return Row(row["key"], row["since"], row["until"], row["id"], occurred, begin, parts)
