"""A quick look that saves the long one: whether the leaves hold enough for a pattern to hold at all."""

from __future__ import annotations

from collections.abc import Mapping

from ensue.algebra import Pattern
from ensue.algebra.patterns import (
    Absence,
    And,
    Aperiodic,
    AtMost,
    Atom,
    Exactly,
    Or,
    Periodic,
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Without,
)
from ensue.model import Event
from ensue.reference.world import Path


def could_hold(q: Pattern, held: Mapping[Path, tuple[Event, ...]], path: Path = ()) -> bool:
    """False only if no occurrence can be made of what is held."""
    children = q.children()

    def child(place: int) -> bool:
        return could_hold(children[place], held, (*path, place))

    match q:
        case Atom():
            return bool(held.get(path))
        case Or():
            return child(0) or child(1)
        case And() | Then() | ThenBetween():
            return child(0) and child(1)
        case Star() | Aperiodic(collected=True):
            return child(0) and child(2)
        case Aperiodic():
            return child(0) and child(1)
        case Periodic(collected=collected):
            return child(0) and (not collected or child(1))
        case SomeOf(count, operands, _):
            return sum(child(place) for place in range(len(operands))) >= count
        case Absence() | AtMost() | Exactly():
            return True
        case Without():
            return child(0)
        case _:
            return all(child(place) for place in range(len(children)))
