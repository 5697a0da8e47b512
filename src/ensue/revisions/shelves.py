"""The events of each part of a pattern's world; those that nobody asks for stay as they were saved.

A saved state may hold very many events, and a window touches few of them: what comes in order never asks for what came
before it. So events are read from a state only for the parts that are corrected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ensue.engine.arrays import FOREVER
from ensue.model import Event
from ensue.revisions.history import History
from ensue.revisions.parts import Part
from ensue.revisions.plain import plain_value, value_of

_SHELF = pa.schema(
    [
        ("part", pa.string()),
        ("time", pa.int64()),
        ("id", pa.string()),
        ("type", pa.string()),
        ("attributes", pa.string()),
    ]
)


class Shelves:
    """Events by part: on the shelf, new ones in order behind them, or at hand."""

    def __init__(self, shelf: pa.Table | None = None) -> None:
        self._shelf: pa.Table = _SHELF.empty_table() if shelf is None else shelf
        self._new: dict[Part, list[Event]] = {}
        self._at_hand: dict[Part, History] = {}

    def __len__(self) -> int:
        behind = sum(map(len, self._new.values())) + sum(map(len, self._at_hand.values()))
        return int(self._shelf.num_rows) + behind

    @property
    def parts(self) -> int:
        """How many parts have been asked for, or got something new."""
        return len(self._new) + len(self._at_hand)

    def add(self, part: Part, event: Event) -> None:
        """Add an event to its part; its place among the others is looked for when somebody asks for them."""
        if part in self._at_hand:
            self._at_hand[part].add(event)
        else:
            self._new.setdefault(part, []).append(event)

    def remove(self, part: Part, event: Event) -> None:
        self.fetch([part])
        self._at_hand[part].remove(event)

    def between(self, part: Part, after: int, until: int) -> list[Event]:
        """The events of a part later than one time, and no later than another."""
        self.fetch([part])
        return self._at_hand[part].between(after, until)

    def count(self, part: Part, after: int, until: int) -> int:
        """How many they are."""
        self.fetch([part])
        return max(self._at_hand[part].count(after, until), 0)

    def last(self, part: Part) -> float:
        """The time of the last event of a part."""
        self.fetch([part])
        return self._at_hand[part].last

    def fetch(self, parts: Iterable[Part]) -> None:
        """Have the events of some parts at hand: for many at once it is cheaper."""
        missing = [part for part in parts if part not in self._at_hand]
        if not missing:
            return
        for part in missing:
            self._at_hand[part] = History()
        if self._shelf.num_rows:
            wanted = pc.is_in(self._shelf.column("part"), pa.array([_text(part) for part in missing]))
            for part, event in _events(self._shelf.filter(wanted)):
                self._at_hand[part].add(event)
            self._shelf = self._shelf.filter(pc.invert(wanted))
        for part in missing:
            for event in self._new.pop(part, ()):
                self._at_hand[part].add(event)

    def all_between(self, after: int, until: int) -> list[tuple[Part, Event]]:
        """The events of all parts later than one time, and no later than another, in no order."""
        times = self._shelf.column("time")
        inside = pc.and_(pc.greater(times, after), pc.less_equal(times, until))
        return [
            *_events(self._shelf.filter(inside)),
            *((part, e) for part, some in self._new.items() for e in some if after < e.time <= until),
            *((part, e) for part, some in self._at_hand.items() for e in some.between(after, until)),
        ]

    def forget(self, until: int) -> None:
        """Drop what is no later."""
        self._shelf = self._shelf.filter(pc.greater(self._shelf.column("time"), until))
        for history in self._at_hand.values():
            history.forget(until)
        kept = {part: [event for event in some if event.time > until] for part, some in self._new.items()}
        self._new = {part: some for part, some in kept.items() if some}
        self._at_hand = {part: history for part, history in self._at_hand.items() if len(history)}

    def types_of(self, names: Iterable[str]) -> dict[str, str]:
        """The classes of some events, by id."""
        wanted = set(names)
        near = self._shelf.filter(pc.is_in(self._shelf.column("id"), pa.array(sorted(wanted), pa.string())))
        found = dict(zip(near.column("id").to_pylist(), near.column("type").to_pylist(), strict=True))
        for _, event in self._in_memory():
            if event.id in wanted:
                found[event.id] = event.type
        return found

    def table(self) -> pa.Table:
        """Everything, to be put on a shelf again."""
        columns: dict[str, list[Any]] = {name: [] for name in _SHELF.names}
        texts: dict[Part, str] = {}
        for part, event in self._in_memory():
            columns["part"].append(texts.get(part) or texts.setdefault(part, _text(part)))
            columns["time"].append(event.time)
            columns["id"].append(event.id)
            columns["type"].append(event.type)
            plain = {name: plain_value(value) for name, value in event.attributes.items()}
            columns["attributes"].append(json.dumps(plain))
        return pa.concat_tables([self._shelf, pa.table(columns, _SHELF)]).combine_chunks()

    def _in_memory(self) -> Iterator[tuple[Part, Event]]:
        for part, some in self._new.items():
            yield from ((part, event) for event in some)
        for part, history in self._at_hand.items():
            yield from ((part, event) for event in history.between(-FOREVER, None))


def part_of(text: str) -> Part:
    """The part that a text stands for."""
    return tuple((kind, content) for kind, content in json.loads(text))


def _text(part: Part) -> str:
    return json.dumps(part)


def _events(table: pa.Table) -> Iterator[tuple[Part, Event]]:
    parts: dict[str, Part] = {}
    columns = (table.column(name).to_pylist() for name in _SHELF.names)
    for text, time, name, kind, attributes in zip(*columns, strict=True):
        part = parts.get(text) or parts.setdefault(text, part_of(text))
        yield part, Event(name, kind, time, {n: value_of(plain) for n, plain in json.loads(attributes).items()})
