"""Which events an occurrence is made of, and which of their changes led to a publication.

Tables note the constituents of patterns and of joins. Of a group they are not known (docs/semantics.md): there, events
of the classes that it is counted from are taken to belong to it if they have the attributes of its key, with the same
values. The page says where that is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ensue.report.history import Event, EventTable, History, Ref, Scalar, Told

Cause: TypeAlias = tuple[Ref, int]
"""A version of an event, by its place among the versions."""


@dataclass(frozen=True)
class Links:
    """The parts of each derived event, and of which classes they are found by their keys."""

    parts: Mapping[Ref, tuple[Ref, ...]]
    by_key: Mapping[str, tuple[str, ...]]
    """For each such class the attributes of its key by which parts are found."""
    history: History = field(repr=False)

    def within(self, ref: Ref) -> list[Ref]:
        """All that an event is made of, at any depth, each once."""
        found: dict[Ref, None] = {}
        waiting = list(self.parts.get(ref, ()))
        while waiting:
            part = waiting.pop()
            if part not in found:
                found[part] = None
                waiting += self.parts.get(part, ())
        return list(found)

    def causes(self, told: Told) -> list[Cause]:
        """The versions of events from outside that came at the step of a publication, of what it is made of.

        None means that it fell due, or that only events changed that are not there any more.
        """
        said = None if told.why is None else [*told.why, *(deep for part in told.why for deep in self.within(part))]
        found = []
        for ref in self.within(told.event) if said is None else dict.fromkeys(said):
            event = self.history.event(ref)
            if event is None or self.history.classes[ref[0]].derived:
                continue
            found += [(ref, place) for place, one in enumerate(event.versions) if one.detected == told.detected]
        return sorted(found)


def link(history: History) -> Links:
    """Find the parts of all derived events."""
    parts: dict[Ref, tuple[Ref, ...]] = {}
    by_key: dict[str, tuple[str, ...]] = {}
    for table in history.classes.values():
        if not table.derived:
            continue
        unknown = [event for event in table.events.values() if all(one.parts is None for one in event.versions)]
        for event in table.events.values():
            known = next((one.parts for one in reversed(event.versions) if one.parts is not None), None)
            if known is not None:
                parts[event.ref] = known
        sharing = _sharing(history, table) if unknown else []
        if sharing:
            by_key[table.name] = table.key
            parts |= _grouped(table, unknown, sharing)
    return Links(parts, by_key, history)


def _sharing(history: History, table: EventTable) -> list[EventTable]:
    """The classes that a class looks at, and those under them, that have all attributes of its key."""
    names = {below for name in table.uses for below in history.program.taxonomy.below(name)}
    used = (history.classes[name] for name in sorted(names) if name in history.classes)
    return [one for one in used if table.key and set(table.key) <= set(one.attributes)]


def _grouped(table: EventTable, groups: Iterable[Event], sharing: Iterable[EventTable]) -> dict[Ref, tuple[Ref, ...]]:
    members: dict[tuple[Scalar, ...], list[tuple[int, Ref]]] = {}
    for used in sharing:
        places = [used.attributes.index(name) for name in table.key]
        for event in used.events.values():
            key = tuple(event.last.values[place] for place in places)
            members.setdefault(key, []).append((event.last.end, event.ref))
    places = [table.attributes.index(name) for name in table.key]
    found = {}
    for event in groups:
        key = tuple(event.last.values[place] for place in places)
        found[event.ref] = tuple(ref for _, ref in sorted(members.get(key, ())))
    return found
