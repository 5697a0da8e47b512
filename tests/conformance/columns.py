"""Which cases Spark can be asked about: those in which every attribute has one type, as columns have.

A history has a frame for each class, a stream one for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa

from ensue.model import Event, Value

if TYPE_CHECKING:
    from tests.conformance.cases import Case

BATCH, STREAMING = "spark batch", "spark streaming"
TYPES = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string(), datetime: pa.timestamp("us", "UTC")}
FIXED = {"type": pa.string(), "time": pa.timestamp("us", "UTC"), "id": pa.string()}


class NoColumnsError(Exception):
    """No table holds these events."""


def suits(runner: str, case: Case) -> bool:
    """Whether a runner on Spark is meant for a case at all."""
    try:
        (tables if runner == BATCH else columns)(case.events)
    except NoColumnsError:
        return False
    return True


def tables(events: Iterable[Event]) -> dict[str, pa.Table]:
    """The events of each class."""
    listed = list(events)
    types = _types(listed)
    kinds = dict.fromkeys(event.type for event in listed) or {"A": None}
    return {kind: _table([event for event in listed if event.type == kind], types) for kind in kinds}


def columns(events: Iterable[Event]) -> pa.Schema:
    """The columns of a stream, which has the events of all classes."""
    listed = list(events)
    if not listed:
        raise NoColumnsError("a stream without any event has no shard")
    types = _types(listed)
    if FIXED.keys() & types.keys():
        raise NoColumnsError("an attribute beside the event's own id, time or type, under one name")
    return pa.schema([*FIXED.items(), *types.items()])


def _table(events: list[Event], types: Mapping[str, pa.DataType]) -> pa.Table:
    fixed = {
        "\0id": pa.array([event.id for event in events], pa.string()),
        "\0time": pa.array([event.time for event in events], pa.int64()).cast(pa.timestamp("us", "UTC")),
    }
    attributes = {name: pa.array(values, types[name]) for name, values in _attributes(events).items()}
    return pa.table(fixed | attributes)


def _attributes(events: list[Event]) -> dict[str, list[Value | None]]:
    """The value of each attribute in each event."""
    names = dict.fromkeys(name for event in events for name in event.attributes)
    return {name: [event.attributes.get(name) for event in events] for name in names}


def _types(events: list[Event]) -> dict[str, pa.DataType]:
    return {name: _type(values) for name, values in _attributes(events).items()}


def _type(values: list[Value | None]) -> pa.DataType:
    types = {TYPES[type(value)] for value in values if value is not None} or {pa.string()}
    if len(types) > 1 and types != {pa.int64(), pa.float64()}:
        raise NoColumnsError("values of several kinds")
    return pa.float64() if len(types) > 1 else types.pop()
