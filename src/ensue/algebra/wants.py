"""What patterns want of a history: which events, and whether they look beyond those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ensue.algebra.patterns import (
    Absence,
    AtMost,
    Atom,
    CalendarInterval,
    Exactly,
    Pattern,
    Periodic,
    ThenBetween,
)
from ensue.algebra.variables import walk
from ensue.model import Taxonomy


def any_event(pattern: Pattern) -> bool:
    """Whether events of any type may become part of an occurrence."""
    return any(isinstance(part, ThenBetween) for part in walk(pattern))


def whole_span(pattern: Pattern) -> bool:
    """Whether the answer depends on when the whole history begins and ends, or there may be one without events."""
    return any(
        isinstance(part, (Absence, AtMost, Exactly))
        or (isinstance(part, Periodic) and not part.collected)
        or isinstance(getattr(part, "interval", None), CalendarInterval)
        for part in walk(pattern)
    )


def tests_of(atoms: Iterable[Atom], taxonomy: Taxonomy) -> Mapping[tuple[Atom, ...], frozenset[str]]:
    """What is wanted of which types: atoms without types, of which one has to want the event."""
    wanted: dict[frozenset[str], list[Atom]] = {}
    for atom in atoms:
        test = replace(atom, type="", label=None)  # what it wants, whatever the type
        wanted.setdefault(taxonomy.below(atom.type), []).append(test)
    alike: dict[tuple[Atom, ...], frozenset[str]] = {}
    for types, tests in wanted.items():
        alike[tuple(tests)] = alike.get(tuple(tests), frozenset()) | types
    return alike
