"""A single event from the user's dictionary to findings, with nothing in between that is made for columns.

What is not plain, comes late or has an id that was seen is left to the session, so there is one place that complains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ensue.embedded.event_by_event import EventByEvent
from ensue.embedded.findings import Finding
from ensue.embedded.session import Session
from ensue.engine.immediate.parts import Part
from ensue.model import Event, occurrence_id
from ensue.time import to_datetime


class SingleEvents:
    """The short way through a session that takes its patterns event by event."""

    def __init__(self, session: Session, flow: EventByEvent) -> None:
        self._session, self._runtime, self._plain = session, flow.runtime, session.plain_events
        self._bound = tuple(session.watchlist.bound_attributes)
        self._noted: set[tuple[str, type]] = set()
        self._names = [item.name for item in session.watchlist.watched]
        self._several = session.watchlist.several

    def feed(self, row: Mapping[str, Any]) -> Any:
        """What the event completes, as `Detector.feed` gives it; None if the event has to go the long way."""
        found = self.findings(row)
        if found is None or not self._several:
            return found
        results: dict[str, list[Finding]] = {pattern: [] for pattern in self._names}
        for one in found:
            results[one.type].append(one)
        return results

    def findings(self, row: Mapping[str, Any]) -> list[Finding] | None:
        """The same of all patterns together."""
        event = self._plain.read(row, self._session.position)
        if event is None or event.time < self._runtime.instant or not self._is_new(event, row):
            return None
        self._session.position += 1
        self._note_kinds(event)
        return [_finding(*one) for one in self._runtime.feed(event)]

    def _is_new(self, event: Event, row: Mapping[str, Any]) -> bool:
        """Whether the id was not seen before; now it is."""
        position, seen = self._session.position, self._session.seen
        if not self._plain.has_id(row) and seen.made_from_positions(position, 1):
            return True
        return seen.add_one(event.id, position, event.time) < 0

    def _note_kinds(self, event: Event) -> None:
        for attribute in self._bound:
            value = event.attributes[attribute]
            if value is not None and (attribute, type(value)) not in self._noted:
                self._session.kinds.note_one(attribute, value)
                self._noted.add((attribute, type(value)))


def _finding(pattern: str, part: Part) -> Finding:
    begin, end, members, sigma = part
    ids = tuple([name for _, name in members])
    values = {name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in sigma}
    return Finding(pattern, occurrence_id(pattern, ids, sigma), to_datetime(begin), to_datetime(end), ids, values)
