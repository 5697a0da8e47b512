"""Events, occurrences and values of keys as JSON can write them, column by column, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ensue.model import Event, Occurrence
from ensue.model.occurrences import Bindings, Constituent
from ensue.model.values import normal
from ensue.time import to_datetime, to_instant


def plain_events(events: Sequence[Event]) -> dict[str, Any]:
    names = sorted({name for event in events for name in event.attributes})
    return {
        "ids": [event.id for event in events],
        "types": [event.type for event in events],
        "times": [event.time for event in events],
        "attributes": {name: [_plain(event.attributes.get(name)) for event in events] for name in names},
    }


def events_of(plain: dict[str, Any]) -> list[Event]:
    columns = [[_value(item) for item in column] for column in plain["attributes"].values()]
    rows: Iterable[tuple[Any, ...]] = zip(*columns, strict=True) if columns else ((),) * len(plain["ids"])
    names = list(plain["attributes"])
    return [
        Event(name, kind, time, dict(zip(names, row, strict=True)))
        for name, kind, time, row in zip(plain["ids"], plain["types"], plain["times"], rows, strict=True)
    ]


def plain_occurrences(found: Iterable[Occurrence]) -> list[Any]:
    return [[one.begin, one.end, [[c.time, c.id] for c in one.constituents], one.bindings] for one in found]


def occurrences_of(plain: Iterable[Any]) -> list[Occurrence]:
    return [
        Occurrence(begin, end, tuple(Constituent(time, name) for time, name in parts), bindings_of(bound))
        for begin, end, parts, bound in plain
    ]


def bindings_of(plain: Iterable[Any]) -> Bindings:
    return tuple((name, (kind, content)) for name, (kind, content) in plain)


def _plain(value: object) -> Any:
    found = normal(value)
    return [to_instant(found)] if isinstance(found, datetime) else found


def _value(plain: Any) -> Any:
    return to_datetime(plain[0]) if isinstance(plain, list) else plain
