"""What the reference evaluator looks at: a finite history, and the limits that reach down into a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ensue.algebra.patterns import Atom
from ensue.model import Event, Occurrence, Taxonomy

Path = tuple[int, ...]
"""Where a node stands in the pattern: the child to take at each step from the root."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`within`, `in` and `before` reach down: no node under them sees an occurrence that is longer or outside."""

    longest: int | None = None
    start: int | None = None
    end: int | None = None

    def admit(self, occurrence: Occurrence) -> bool:
        return (
            (self.longest is None or occurrence.end - occurrence.begin <= self.longest)
            and (self.start is None or self.start <= occurrence.begin)
            and (self.end is None or occurrence.end <= self.end)
        )

    def within(self, duration: int) -> Limits:
        return replace(self, longest=duration if self.longest is None else min(self.longest, duration))

    def inside(self, start: int | None, end: int) -> Limits:
        later = [s for s in (self.start, start) if s is not None]
        return replace(self, start=max(later, default=None), end=end if self.end is None else min(self.end, end))


UNLIMITED = Limits()

Place = tuple[int, str]
"""A place in the order in which events are taken, (time, id)."""

AFTER_ALL = "\U0010ffff"
"""Stands for the id of the moment after every event of an instant."""


@dataclass(frozen=True, slots=True)
class World:
    """A history as a pattern sees it, from its first event to its last (`span`).

    In context `latest` the leaves see only what they hold (`held`), nothing beyond the place `now` is known yet, and
    `A and !B` asks for the time since the last firing (`since`). Who runs it for ever may forget: events before
    `remembered` are gone, and intervals that need some of them are over and not looked at again.
    """

    events: tuple[Event, ...]
    taxonomy: Taxonomy = field(default_factory=Taxonomy)
    span: tuple[int, int] | None = None
    held: Mapping[Path, tuple[Event, ...]] | None = None
    now: Place | None = None
    since: Place | None = None
    remembered: int | None = None

    @classmethod
    def of(cls, events: Iterable[Event], taxonomy: Taxonomy | None, until: int | None = None) -> World:
        ordered = tuple(sorted(events, key=place))
        last = max((event.time for event in ordered), default=0)
        end = last if until is None else max(last, until)
        return cls(ordered, taxonomy or Taxonomy(), (ordered[0].time, end) if ordered else None)

    def leaf(self, path: Path, atom: Atom) -> tuple[Event, ...]:
        """The events of an atom's class or below it."""
        seen = self.events if self.held is None else self.held.get(path, self.events)
        return tuple(event for event in seen if self.is_a(event, atom))

    def is_a(self, event: Event, atom: Atom) -> bool:
        """Whether the event's type is the atom's, or below it."""
        return atom.type in self.taxonomy.above(event.type)

    def received(self) -> tuple[Event, ...]:
        """Every event, whatever its class; in `latest`, every event that is held."""
        if self.held is None:
            return self.events
        return tuple({event.id: event for events in self.held.values() for event in events}.values())

    def known(self, occurrence: Occurrence) -> bool:
        """Whether all of an occurrence's events, temporal ones included, have come."""
        return self.now is None or all((c.time, c.id) <= self.now for c in occurrence.constituents)

    def ended(self, instant: int) -> bool:
        """Whether the instant has passed, with every event of it."""
        return self.now is None or (instant, AFTER_ALL) <= self.now


def place(event: Event) -> Place:
    return event.time, event.id


Test = Callable[[Occurrence], bool]
