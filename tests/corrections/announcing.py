"""Announcements from the lines of a replay file: `type`, `op`, `time`, `detected`, and the attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.corrections.selecting import as_text, json_key

from ensue.language.program import Program
from ensue.model import AttributeType, Value
from ensue.model.announcements import Announcement, Operation
from ensue.time import to_datetime, to_instant


@dataclass(frozen=True)
class Shape:
    """The attributes of a class with their types, which of them is its time, and which make up its key."""

    attributes: Mapping[str, AttributeType] = field(default_factory=dict)
    time: str = "time"
    key: tuple[str, ...] = ()


def shapes(program: Program) -> dict[str, Shape]:
    """The shape of each subscribed class."""
    return {
        name: Shape(program.attributes(name), one.time or "time", program.key(name))
        for one in program.subscribed_classes
        for name in [one.declaration.name]
    }


def announcements(program: Program, lines: Iterable[str]) -> Iterator[Announcement]:
    """What the lines of a file announce, in their order."""
    known = shapes(program)
    for line in lines:
        record = json.loads(line)
        yield _announcement(known.get(record["type"], Shape()), record)


def announcement(program: Program, record: Mapping[str, Any]) -> Announcement:
    """What one record announces."""
    return _announcement(shapes(program).get(record["type"], Shape()), record)


def _announcement(shape: Shape, record: Mapping[str, Any]) -> Announcement:
    """The key is the key attributes as text, a JSON array if there are several; without a declared one, `id`."""
    attributes = {name: _value(record.get(name), kind) for name, kind in shape.attributes.items()}
    parts = [attributes[name] for name in shape.key] if shape.key else [record.get("id")]
    known = None not in parts and parts[0] != ""
    time = record.get(shape.time)
    return Announcement(
        record["type"],
        (json_key(parts) if len(parts) > 1 else as_text(parts[0])) if known else None,
        None if time is None else to_instant(time),
        to_instant(record["detected"]),
        Operation(record.get("op", "announce")),
        attributes,
    )


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
