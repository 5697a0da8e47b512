"""A single event, on the short way: what `reading` does for columns, for one dictionary at a time.

Arrow and NumPy pay for long columns; for one value they cost more than everything else. What is not plain (a strange
type, time or id) goes the long way, so there is one place that complains.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.embedded.incoming import Names
from ensue.embedded.reading import Reading
from ensue.embedded.records import column_of, is_unicode
from ensue.engine.columns import Column
from ensue.engine.events import EventBatch
from ensue.engine.store import Ids
from ensue.time import to_instant
from ensue.time.instants import EARLIEST, LATEST

_FIRST_ROW = np.zeros(1, np.int64)
_THERE = np.ones(1, np.bool_)
_NOTHING = Column(1, {})


def read_one(event: Mapping[str, Any], names: Names, position: int) -> Reading | None:
    """One event as a batch; None if it is not plain."""
    type_name = names.event_type or event.get(names.type)
    if type(type_name) is not str or not type_name:
        return None
    if not all(value.isascii() or is_unicode(value) for value in event.values() if type(value) is str):
        return None
    try:
        instant = to_instant(event.get(names.time))
    except ValueError:
        return None
    given = event.get(names.id)
    if (given is not None and type(given) is not str) or not EARLIEST <= instant <= LATEST:
        return None
    times = np.array([instant], np.int64)

    def attribute(name: str) -> Column:
        return Column(1, {"time": (times, _THERE)}) if name == names.time else column_of_one(event.get(name))

    ids = Ids.from_positions(position, 1) if given is None else Ids.from_texts([given])
    return Reading(EventBatch(times, ids, _FIRST_ROW, (type_name,), attribute), _FIRST_ROW, [], given is not None)


def column_of_one(value: Any) -> Column:
    """A column of one value."""
    kind = type(value)
    if kind is str:
        return Column(1, {"text": (pa.array([value], pa.large_string()), _THERE)})
    if kind is int and -(2**63) <= value < 2**63:
        return Column(1, {"number": (np.array([value], np.int64), _THERE)})
    if kind is float:
        return _NOTHING if value != value else Column(1, {"number": (np.array([value]), _THERE)})  # noqa: PLR0124 - NaN
    if kind is bool:
        return Column(1, {"truth": (np.array([value]), _THERE)})
    if value is None:
        return _NOTHING
    if isinstance(value, datetime):
        return Column(1, {"time": (np.array([to_instant(value)], np.int64), _THERE)})
    return column_of([value])
