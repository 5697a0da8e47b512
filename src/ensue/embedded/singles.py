"""A single event from the user's dictionary to findings, with nothing in between that is made for columns.

What is not plain (a strange type, time, id or value, a late event, an id that was seen) is left to the long way, so
there is one place that complains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ensue.embedded.findings import Finding
from ensue.embedded.one_by_one import OneByOne
from ensue.embedded.records import is_unicode
from ensue.embedded.session import Session
from ensue.engine.immediate.parts import Part
from ensue.model import Event, Value, occurrence_id
from ensue.time import to_datetime, to_instant
from ensue.time.instants import EARLIEST, LATEST


class Singles:
    """The short way through a session whose patterns are taken event by event."""

    def __init__(self, session: Session, flow: OneByOne) -> None:
        self._session, self._runtime = session, flow.runtime
        names = session.names
        self._type, self._time, self._id, self._event_type = names.type, names.time, names.id, names.event_type
        self._attributes = tuple(session.watchlist.attributes - {names.time})
        self._asks_time = names.time in session.watchlist.attributes
        self._bound = tuple(session.watchlist.bound_attributes)
        self._noted: set[tuple[str, type]] = set()
        self._names = [item.name for item in session.watchlist.watched]
        self._several = session.watchlist.several

    def feed(self, row: Mapping[str, Any]) -> Any:
        """What the event completes, as `Detector.feed` gives it; None if the event has to go the long way."""
        get = row.get
        type_name = self._event_type or get(self._type)
        time = get(self._time)
        try:
            instant = time * 1000 if type(time) is int else to_instant(time)
        except ValueError:
            return None
        if type(type_name) is not str or not type_name or not EARLIEST <= instant <= LATEST:
            return None
        values = self._values(row, instant)
        if values is None or instant < self._runtime.instant:
            return None
        name = self._name(get(self._id), instant)
        if name is None:
            return None
        self._session.position += 1
        for attribute in self._bound:
            value = values[attribute]
            if value is not None and (attribute, type(value)) not in self._noted:
                self._session.kinds.note_one([(attribute, value)])
                self._noted.add((attribute, type(value)))
        found = self._runtime.feed(Event(name, type_name, instant, values))
        if not self._several:
            return [_finding(*one) for one in found]
        results: dict[str, list[Finding]] = {pattern: [] for pattern in self._names}
        for pattern, part in found:
            results[pattern].append(_finding(pattern, part))
        return results

    def _values(self, row: Mapping[str, Any], instant: int) -> dict[str, Value | None] | None:
        """The attributes that patterns look at; None if one of them is not plain."""
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
        if self._asks_time:
            values[self._time] = to_datetime(instant)
        return values

    def _name(self, given: object, instant: int) -> str | None:
        """The id of the event, now seen; None if it was seen before, or is not plain."""
        position, seen = self._session.position, self._session.seen
        if given is None:
            name = str(position)
            if seen.made_from_positions(position, 1):
                return name
        elif type(given) is str and given.isascii():
            name = given
        else:
            return None
        return name if seen.add_one(name, position, instant) < 0 else None


def _finding(pattern: str, part: Part) -> Finding:
    begin, end, members, sigma = part
    ids = tuple([name for _, name in members])
    values = {name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in sigma}
    return Finding(pattern, occurrence_id(pattern, ids, sigma), to_datetime(begin), to_datetime(end), ids, values)
