"""The parts into which the values of a key cut a pattern's world, and what happens in each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ensue.engine.arrays import FOREVER
from ensue.model import Event, Occurrence
from ensue.model.values import ValueKey, normal, value_key
from ensue.revisions.stretches import Step

Part: TypeAlias = tuple[ValueKey, ...]
"""The values of the key: which part of the world."""

Run: TypeAlias = tuple[float, Sequence[int], Sequence[int]]
"""Of a key whose events come in order: up to when they went before, and of each step the last time and the place."""
NEVER: Run = (FOREVER, (), ())


@dataclass(slots=True)
class Touch:
    """What one step changes in one part: events that go, and events that come."""

    place: int
    gone: list[Event] = field(default_factory=list)
    new: list[Event] = field(default_factory=list)

    @property
    def times(self) -> list[int]:
        return [event.time for event in (*self.gone, *self.new)]


@dataclass(slots=True)
class Apart:
    """A key for which the engine's state may be wrong: since when, and what the engine was given of it."""

    first: int
    last: int
    seen: list[Event]
    again: int
    """The clock from which on it is worth the while to compare."""


class Parting:
    """Which part events and occurrences belong to: for each variable, the attribute that gives it, for each type."""

    def __init__(self, routes: Mapping[str, Mapping[str, str]]) -> None:
        self._variables = tuple(routes)
        kinds = next(iter(routes.values()))
        self._attributes = {kind: tuple(route[kind] for route in routes.values()) for kind in kinds}

    def of_event(self, event: Event) -> Part | None:
        """The values of an event's key; None if one is missing, or nothing looks at its class."""
        names = self._attributes.get(event.type)
        values = [normal(event.attributes.get(name)) for name in names or ()]
        known = [value_key(value) for value in values if value is not None]
        return tuple(known) if names and len(known) == len(names) else None

    def of_found(self, occurrence: Occurrence) -> Part:
        """The values of an occurrence's key."""
        bound = dict(occurrence.bindings)
        return tuple(bound[name] for name in self._variables)

    def touched(self, steps: Sequence[Step]) -> dict[Part, list[Touch]]:
        """For each part that some step changes, what each step changes there."""
        touched: dict[Part, list[Touch]] = {}
        for place, (_, changes) in enumerate(steps):
            for change in changes:
                for event, goes in ((change.old, True), (change.new, False)):
                    part = None if event is None else self.of_event(event)
                    if event is None or part is None:
                        continue
                    each = touched.setdefault(part, [])
                    if not each or each[-1].place != place:
                        each.append(Touch(place))
                    (each[-1].gone if goes else each[-1].new).append(event)
        return touched
