"""A selection as one compact object for the page: columns instead of rows, events by number, times in milliseconds.

Events are numbered through all classes, in the order of the classes; what refers to an event that is not on the page
is written as its class and key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ensue.model.publications import Case
from ensue.report.history import EventTable, History, Ref, Scalar
from ensue.report.links import Links
from ensue.report.selection import Selection

CASES = tuple(case.value for case in Case)
_LONGITUDE = ("longitude", "lon", "lng", "long")
_LATITUDE = ("latitude", "lat")


def encode(history: History, links: Links, selection: Selection) -> dict[str, Any]:
    """What the page's script reads (`assets/data.js`)."""
    numbers = _numbers(selection)
    return {
        "corrects": history.corrects,
        "cases": CASES,
        "program": str(history.program),
        "notes": selection.notes,
        "classes": [_class(table, selection, links, numbers) for table in history.classes.values()],
        "told": _told(history, links, selection, numbers),
    }


def _numbers(selection: Selection) -> dict[Ref, int]:
    refs = (event.ref for events in selection.events.values() for event in events)
    return {ref: number for number, ref in enumerate(refs)}


def _class(table: EventTable, selection: Selection, links: Links, numbers: dict[Ref, int]) -> dict[str, Any]:
    events = selection.events[table.name]
    versions = [version for event in events for version in event.versions]
    return {
        "name": table.name,
        "derived": table.derived,
        "found": table.name in selection.found,
        "attributes": table.attributes,
        "byKey": links.by_key.get(table.name),
        "place": place_of(table.attributes),
        "total": table.total,
        "events": len(table.events),
        "standing": sum(not event.last.withdrawn for event in table.events.values()),
        "aside": {kind: count for kind, count in table.aside.items() if count},
        "keys": [event.ref[1] for event in events],
        "ids": [event.id for event in events] if table.derived else None,
        "count": [len(event.versions) for event in events],
        "detected": [version.detected // 1000 for version in versions],
        "begin": [version.begin // 1000 for version in versions],
        "end": [version.end // 1000 for version in versions],
        "gone": [row for row, version in enumerate(versions) if version.withdrawn],
        "values": [packed([version.values[i] for version in versions]) for i in range(len(table.attributes))],
        "parts": [_refs(links.parts.get(event.ref, ()), numbers) for event in events] if table.derived else None,
    }


def _told(history: History, links: Links, selection: Selection, numbers: dict[Ref, int]) -> dict[str, Any]:
    told = [one for one in selection.told if one.event in numbers]
    names = list(dict.fromkeys(one.name for one in told))
    attributes = {name: table.attributes for name, table in history.classes.items()}
    return {
        "names": names,
        "name": [names.index(one.name) for one in told],
        "event": [numbers[one.event] for one in told],
        "case": [CASES.index(one.case) for one in told],
        "detected": [one.detected // 1000 for one in told],
        "occurred": [one.occurred // 1000 for one in told],
        "values": [[one.values.get(name) for name in attributes[one.event[0]]] for one in told],
        "oldOccurred": [None if one.replaces is None else one.replaces[0] // 1000 for one in told],
        "oldValues": [
            None if one.replaces is None else [one.replaces[1].get(name) for name in attributes[one.event[0]]]
            for one in told
        ],
        "causes": [[[numbers[ref], place] for ref, place in links.causes(one) if ref in numbers] for one in told],
        "counts": [[name, case, count] for (name, case), count in history.cases.items() if name in selection.found],
    }


def _refs(parts: Sequence[Ref], numbers: dict[Ref, int]) -> list[int | list[str]]:
    return [numbers.get(ref, list(ref)) for ref in parts]


def packed(column: Sequence[Scalar]) -> list[Any] | dict[str, list[Any]]:
    """A column in which values repeat, as the different ones and where each stands."""
    texts = [value for value in column if isinstance(value, str)]
    different = dict.fromkeys(texts)
    if len(texts) < len(column) or len(different) * 2 >= len(column):
        return list(column)
    places = {value: place for place, value in enumerate(different)}
    return {"of": list(different), "at": [places[value] for value in texts]}


def place_of(attributes: Sequence[str]) -> tuple[int, int] | None:
    """Where longitude and latitude stand among attributes, if they do."""
    folded = [name.casefold() for name in attributes]
    longitude = next((folded.index(name) for name in _LONGITUDE if name in folded), None)
    latitude = next((folded.index(name) for name in _LATITUDE if name in folded), None)
    return None if longitude is None or latitude is None else (longitude, latitude)
