"""Which occurrence stands for a key, where several current ones have the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ensue.algebra.classes import PatternClass
from ensue.model import Occurrence
from ensue.model.notices import ComplexEvent
from ensue.revisions.stretches import Difference

Key: TypeAlias = tuple[str, str]
"""The class and the key of a complex event."""


@dataclass(frozen=True, slots=True)
class Restated:
    """A key whose complex event is another than before: None where there is none."""

    key: Key
    old: ComplexEvent | None
    new: ComplexEvent | None


class Standing:
    """The current occurrences of a class by key; of several, the last in the order of §1 stands."""

    def __init__(self, declared: PatternClass) -> None:
        self._class = declared
        self._events: dict[str, list[ComplexEvent]] = {}

    def __len__(self) -> int:
        return len(self._events)

    def get(self, key: str) -> ComplexEvent | None:
        """What stands for a key."""
        known = self._events.get(key)
        return known[-1] if known else None

    def apply(self, difference: Difference) -> list[Restated]:
        """Take in what was found and what was lost; says for which keys something else stands now."""
        before: dict[str, ComplexEvent | None] = {}
        for event in map(self._class.event, difference.gone):
            known = self._events.get(event.key, [])
            before.setdefault(event.key, known[-1] if known else None)
            known.remove(event)
        for event in map(self._class.event, difference.new):
            known = self._events.setdefault(event.key, [])
            before.setdefault(event.key, known[-1] if known else None)
            known.append(event)
        found = []
        for key, old in before.items():
            known = self._events[key]
            known.sort(key=lambda event: event.occurrence.order)
            if not known:
                del self._events[key]
            new = known[-1] if known else None
            if new != old:
                found.append(Restated((self._class.name, key), old, new))
        return found

    def forget(self, final: Iterable[Occurrence]) -> list[Key]:
        """Forget occurrences that are final; gives the keys for which none is left."""
        gone = []
        for event in map(self._class.event, final):
            known = self._events.get(event.key, [])
            if event in known:
                known.remove(event)
            if not known and event.key in self._events:
                del self._events[event.key]
                gone.append((self._class.name, event.key))
        return gone
