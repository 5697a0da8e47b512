"""Stretches of the history as an engine takes them, and what detection anew says about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from ensue.engine.columns import from_values
from ensue.engine.engine import Engine
from ensue.engine.events import EventBatch, encode_types
from ensue.engine.store import Ids
from ensue.model import Event, Occurrence
from ensue.revisions.versions import Change

Step: TypeAlias = tuple[int, list[Change]]
"""A time, and what became known then."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not found any more, and what is found now."""

    gone: frozenset[Occurrence]
    new: frozenset[Occurrence]


NO_DIFFERENCE = Difference(frozenset(), frozenset())


def advance(engine: Engine, events: Sequence[Event], clock: int, since: int | None = None) -> list[Occurrence]:
    """Give an engine the events up to a clock; says what it finds, or what of that does not end before a time."""
    found = engine.advance(batch_of(events), clock)["q"]
    if since is not None:
        found = found.with_rows(found.rows.where(found.rows.end >= since))
    return found.occurrences() if len(found) else []


def batch_of(events: Sequence[Event]) -> EventBatch:
    """Events as the engine takes them."""
    types, names = encode_types(pa.array([event.type for event in events], pa.string()))
    times = np.array([event.time for event in events], np.int64)
    ids = Ids.from_texts([event.id for event in events])
    return EventBatch(times, ids, types, names, lambda name: from_values([e.attributes.get(name) for e in events]))
