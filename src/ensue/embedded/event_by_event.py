"""Immediate mode without columns: where the runtime knows all patterns, each event goes through it as it comes."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import numpy as np

from ensue.algebra import scope
from ensue.embedded.batches import joined
from ensue.embedded.levels import Report
from ensue.embedded.patterns import Watchlist
from ensue.engine.arrays import Ints
from ensue.engine.codes import UNBOUND, Codebook
from ensue.engine.events import EventBatch
from ensue.engine.found import Found
from ensue.engine.immediate import Runtime, State, supported
from ensue.engine.immediate.parts import Part
from ensue.engine.rows import Rows
from ensue.engine.store import Ids, Store
from ensue.model import Event, Value, value_key
from ensue.time import to_datetime

VERSION = 1
"""Of the saved state."""


def knows(watchlist: Watchlist) -> bool:
    """Whether all patterns can be taken event by event."""
    return all(supported(item.pattern, item.context) for item in watchlist.watched)


class EventByEvent:
    """Each event as it comes, in order of time; what was reported for the newest instant is not reported again."""

    def __init__(self, watchlist: Watchlist) -> None:
        patterns = {item.name: (item.pattern, item.context) for item in watchlist.watched}
        self.runtime = Runtime(patterns, watchlist.taxonomy)
        self._variables = {name: tuple(sorted(scope(q).sometimes)) for name, (q, _) in patterns.items()}
        self._attributes = watchlist.attributes
        self._waiting: list[EventBatch] = []

    def late(self, times: Ints) -> Ints:
        return np.flatnonzero(times < self.runtime.instant)

    def add(self, batch: EventBatch) -> None:
        if len(batch):
            self._waiting.append(batch)

    def release(self) -> list[Report]:
        if not self._waiting:
            return []
        batch, self._waiting = joined(self._waiting, self._attributes), []
        events = sorted(_events(batch, self._attributes), key=lambda event: event.time)
        found: dict[str, list[Part]] = {name: [] for name in self._variables}
        for _, together in groupby(events, key=lambda event: event.time):
            for name, part in self.runtime.feed_instant(list(together)):
                found[name].append(part)
        return [{name: _columns(parts, self._variables[name]) for name, parts in found.items() if parts}]

    def advance_to(self, instant: int) -> list[Report]:
        if instant > self.runtime.instant:
            self.runtime.advance_to(instant)
        return []

    def finish(self) -> list[Report]:
        return []

    def save(self) -> bytes:
        """The state of the runtime, as JSON."""
        state = self.runtime.save()
        events = [
            [event.id, event.type, event.time, [[name, *value_key(value)] for name, value in _values(event)]]
            for event in state.events
        ]
        return json.dumps(state._replace(events=events)).encode()  # type: ignore[arg-type]  # as lists

    def restore(self, saved: bytes) -> None:
        """Go on from what `save` gave."""
        nodes, instant, events, reported = json.loads(saved)
        restored = [
            Event(name, type_name, time, {attribute: _value(*key) for attribute, *key in values})
            for name, type_name, time, values in events
        ]
        self.runtime.restore(State(nodes, instant, restored, reported))


def _events(batch: EventBatch, attributes: frozenset[str]) -> list[Event]:
    columns = {name: batch.column(name).to_pylist() for name in attributes}
    rows = zip(batch.ids.to_pylist(), batch.types.tolist(), batch.times.tolist(), strict=True)
    return [
        Event(name, batch.type_names[type_], time, {attribute: column[row] for attribute, column in columns.items()})
        for row, (name, type_, time) in enumerate(rows)
    ]


def _values(event: Event) -> list[tuple[str, Value]]:
    return [(name, value) for name, value in event.attributes.items() if value is not None]


def _value(kind: str, content: Any) -> Value:
    return to_datetime(content) if kind == "time" else content


def _columns(parts: list[Part], variables: tuple[str, ...]) -> Found:
    """What was found, as the engine would report it."""
    book = Codebook()
    members = dict.fromkeys(member for part in parts for member in part[2])
    handles = {member: handle for handle, member in enumerate(members)}
    store = Store(np.array([time for time, _ in members], np.int64), Ids.from_texts([name for _, name in members]))
    bound = [dict(part[3]) for part in parts]
    codes = [[book.code(sigma[name]) if name in sigma else UNBOUND for name in variables] for sigma in bound]
    rows = Rows(
        np.array([part[0] for part in parts], np.int64),
        np.array([part[1] for part in parts], np.int64),
        np.cumsum([0, *(len(part[2]) for part in parts)], dtype=np.int64),
        np.array([handles[member] for part in parts for member in part[2]], np.int64),
        np.array(codes, np.int64).reshape(len(parts), len(variables)),
    )
    return Found(rows, variables, store, book)
