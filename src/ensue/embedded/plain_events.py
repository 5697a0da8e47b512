"""Plain events: single dictionaries that need none of what `reading` does for columns.

Arrow and NumPy pay for long columns; for one value they cost more than everything else. What is not plain (a strange
type, time, id or value) is left to `reading`, so there is one place that complains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.embedded.incoming import Names
from ensue.embedded.reading import Reading
from ensue.embedded.records import is_unicode
from ensue.engine.columns import Column
from ensue.engine.events import EventBatch
from ensue.engine.store import Ids
from ensue.model import Event, Value
from ensue.time import to_datetime, to_instant
from ensue.time.instants import EARLIEST, LATEST

_FIRST_ROW = np.zeros(1, np.int64)
_THERE = np.ones(1, np.bool_)
_NOTHING = Column(1, {})


class PlainEvents:
    """Reads dictionaries with these names, and of their attributes just those that patterns look at."""

    def __init__(self, names: Names, attributes: frozenset[str]) -> None:
        self._type, self._time, self._id, self._event_type = names.type, names.time, names.id, names.event_type
        self._attributes = tuple(attributes - {names.time})
        self._asks_time = names.time in attributes

    def read(self, row: Mapping[str, Any], position: int) -> Event | None:
        """The event, called by its position if it has no id; None if it is not plain."""
        get = row.get
        type_name, time, name = self._event_type or get(self._type), get(self._time), get(self._id)
        if type(type_name) is not str or not type_name:
            return None
        try:
            instant = time * 1000 if type(time) is int else to_instant(time)
        except ValueError:
            return None
        values = self._values(row)
        if values is None or not EARLIEST <= instant <= LATEST:
            return None
        if self._asks_time:
            values[self._time] = to_datetime(instant)
        if name is None:
            name = str(position)
        elif type(name) is not str or not (name.isascii() or is_unicode(name)):
            return None
        return Event(name, type_name, instant, values)

    def has_id(self, row: Mapping[str, Any]) -> bool:
        """Whether the event has an id of its own."""
        return row.get(self._id) is not None

    def _values(self, row: Mapping[str, Any]) -> dict[str, Value | None] | None:
        values: dict[str, Value | None] = {}
        for name in self._attributes:
            value = row.get(name)
            kind = type(value)
            if kind is float:
                if value != value:  # noqa: PLR0124 - NaN
                    value = None
            elif kind is int:
                if not -(2**63) <= value < 2**63:  # type: ignore[operator]  # it is an integer
                    return None
            elif kind is str:
                if not value.isascii() and not is_unicode(value):  # type: ignore[union-attr, arg-type]  # it is a text
                    return None
            elif value is not None and kind is not bool:
                return None
            values[name] = value
        return values


def batch_of_one(event: Event, *, has_id: bool) -> Reading:
    """A plain event as what `reading` would make of it."""
    ids = Ids.from_texts([event.id]) if has_id else Ids.from_positions(int(event.id), 1)
    times = np.array([event.time], np.int64)
    values = event.attributes
    batch = EventBatch(times, ids, _FIRST_ROW, (event.type,), lambda name: _column(values.get(name), times))
    return Reading(batch, _FIRST_ROW, [], has_id)


def _column(value: Value | None, times: np.ndarray[Any, np.dtype[np.int64]]) -> Column:
    match value:
        case None:
            return _NOTHING
        case bool():
            return Column(1, {"truth": (np.array([value]), _THERE)})
        case int() | float():
            return Column(1, {"number": (np.array([value]), _THERE)})
        case str():
            return Column(1, {"text": (pa.array([value], pa.large_string()), _THERE)})
        case _:  # of times there is only the event's own
            return Column(1, {"time": (times, _THERE)})
