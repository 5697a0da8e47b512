"""Announcements from the lines of a replay file: `type`, `op`, `time`, `detected`, and the attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.corrections.selecting import as_text, json_key

from ensue.language.program import Program, SubscribedClass
from ensue.model import AttributeType, Value
from ensue.model.announcements import Announcement, Operation
from ensue.time import to_datetime, to_instant


def announcements(program: Program, lines: Iterable[str]) -> Iterator[Announcement]:
    """What the lines of a file announce, in their order."""
    for line in lines:
        yield announcement(program, json.loads(line))


def announcement(program: Program, record: Mapping[str, Any]) -> Announcement:
    """What one record announces; its key is the key attributes as text, a JSON array if there are several."""
    name = record["type"]
    declared = next((one for one in program.subscribed_classes if one.declaration.name == name), None)
    attributes = _attributes(program, declared, record)
    key_names = program.key(name) if declared else ()
    parts = [attributes.get(one) for one in key_names or ("id",)]
    if not key_names:
        parts = [record.get("id")]
    key = None if None in parts or "" in parts[:1] else json_key(parts) if len(parts) > 1 else as_text(parts[0])
    time = record.get((declared.time if declared else None) or "time")
    return Announcement(
        name,
        key,
        None if time is None else to_instant(time),
        to_instant(record["detected"]),
        Operation(record.get("op", "announce")),
        attributes,
    )


def _attributes(
    program: Program, declared: SubscribedClass | None, record: Mapping[str, Any]
) -> dict[str, Value | None]:
    if declared is None:
        return {}
    types = program.attributes(declared.declaration.name)
    return {name: _value(record.get(name), kind) for name, kind in types.items()}


def _value(value: Any, kind: AttributeType) -> Value | None:
    if value is None:
        return None
    match kind:
        case AttributeType.TIME:
            return to_datetime(to_instant(value))
        case AttributeType.NUMBER:
            return float(value)
        case AttributeType.INTEGER:
            return int(value)
        case AttributeType.TRUTH:
            return bool(value)
        case _:
            return str(value)


def retracting(program: Program, given: Iterable[Announcement]) -> list[Announcement]:
    """The same with a retraction for whatever is missing from a newer snapshot of its class.

    What a class with SNAPSHOT SOURCE announces at one detection time is a snapshot: everything there is.
    """
    snapshots = {one.declaration.name for one in program.subscribed_classes if one.snapshots}
    listed = list(given)
    found: list[Announcement] = []
    newest: dict[str, set[str]] = {}
    seen: dict[str, int] = {}
    for one in listed:
        if one.type in snapshots and one.detected > seen.get(one.type, one.detected - 1):
            seen[one.type] = one.detected
            there = {
                other.key
                for other in listed
                if (other.type, other.detected) == (one.type, one.detected) and other.key and not other.retracts
            }
            gone = newest.get(one.type, set()) - there
            found += [Announcement(one.type, key, None, one.detected, Operation.RETRACT) for key in sorted(gone)]
            newest[one.type] = there
        found.append(one)
    return found
