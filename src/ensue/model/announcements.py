"""What a source says about events, and what became of it (docs/semantics.md §5).

An event has two times: when it occurred, and when we learnt of it. What we learn is an announcement; later ones with
the same key correct it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ensue.model.events import Event
from ensue.model.identity import occurrence_id
from ensue.model.occurrences import Bindings
from ensue.model.values import Value, normal, value_key


class Operation(Enum):
    """What an announcement does to the event that it is about."""

    ANNOUNCE = "announce"
    CHANGE = "change"
    RETRACT = "retract"


@dataclass(frozen=True, slots=True)
class Announcement:
    """One version of an event: its class, its key as text, when it occurs, and when that was detected.

    The key is the event's id. It is None if a key attribute is missing; a retraction needs no `time`.
    """

    type: str
    key: str | None
    time: int | None
    detected: int
    operation: Operation = Operation.ANNOUNCE
    attributes: Mapping[str, Value | None] = field(default_factory=dict, compare=False)

    @property
    def retracts(self) -> bool:
        return self.operation is Operation.RETRACT

    @property
    def content(self) -> int:
        """A hash of what is said: equal for the same time and attributes; the larger one wins a tie."""
        time = self.time or 0
        return int(occurrence_id(self.type, [self.key or ""], content_of(self.attributes), (time, time)), 16)

    @property
    def event(self) -> Event:
        """The event as this version has it."""
        if self.key is None or self.time is None:
            raise ValueError("an announcement without a key or a time describes no event")
        return Event(self.key, self.type, self.time, self.attributes)


@dataclass(frozen=True, slots=True)
class Clock:
    """It is now this time, though nothing was announced: what is due no later falls due."""

    time: int


@dataclass(frozen=True, slots=True)
class SubscribedClass:
    """A class whose events come from outside: whether they may be corrected, and for how long after they occur."""

    name: str
    mutable: bool = True
    lifespan: int | None = None


class Outcome(Enum):
    """What became of an announcement. Each is counted; none stops the stream."""

    ANNOUNCED = "announced"
    CHANGED = "changed"
    RETRACTED = "retracted"
    REPEATED = "repeated"
    OLDER = "older than what is known"
    DUPLICATE = "duplicate in an immutable class"
    CHANGED_UNKNOWN = "change of an unknown event"
    RETRACTED_UNKNOWN = "retraction of an unknown event"
    EXPIRED = "after the lifespan of its event"
    WITHOUT_KEY = "without a key"
    WITHOUT_TIME = "without a time"
    UNKNOWN_CLASS = "of an unknown class"
    BACKWARDS = "detected before what had come already"
    """Counted besides what became of it: it counts from the newest detection time that had come."""
    FUTURE = "detected in the future"
    """Counted besides, too: it is taken as detected now, by the clock of the run."""


def content_of(attributes: Mapping[str, Value | None]) -> Bindings:
    """The attributes that have a value, in order of name, so that equal ones compare equal: 1 and 1.0 are the same."""
    known = ((name, normal(value)) for name, value in sorted(attributes.items()))
    return tuple((name, value_key(value)) for name, value in known if value is not None)
