"""Event classes: what events of a type look like, and which types lie below which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum


class AttributeType(Enum):
    """The declared type of an attribute, by the kind of its values."""

    NUMBER = "number"
    INTEGER = "integer"
    TEXT = "text"
    TRUTH = "truth"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class EventClass:
    """A declared class: its attributes in order, its key, and the class it refines, if any."""

    name: str
    attributes: Mapping[str, AttributeType] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Which classes lie directly below which; a class in a pattern matches events of every class below it."""

    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, classes: Iterable[EventClass]) -> Taxonomy:
        return cls({c.name: frozenset({c.parent}) for c in classes if c.parent})

    def above(self, name: str) -> frozenset[str]:
        """The class itself and every class above it."""
        found = {name}
        waiting = [name]
        while waiting:
            for parent in self.parents.get(waiting.pop(), ()):
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return frozenset(found)

    def below(self, name: str) -> frozenset[str]:
        """The class itself and every class below it."""
        return frozenset(c for c in {name, *self.parents} if name in self.above(c))
