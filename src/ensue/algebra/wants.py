"""What patterns want of a history: which events, and whether they look beyond those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from dataclasses import replace

from ensue.algebra.contexts import Context
from ensue.algebra.families import families
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
from ensue.algebra.variables import atoms as atoms_in, walk
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


def wanted_atoms(patterns: Mapping[str, tuple[Pattern, Context]]) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """The atoms of patterns that are on their own, and those that cover the rules of each family."""
    together = families(patterns)
    members = {name for family in together for name in family.numbers}
    lone = dict.fromkeys(
        atom for name, (pattern, _) in patterns.items() if name not in members for atom in atoms_in(pattern)
    )
    covering = dict.fromkeys(atom for family in together for atom in atoms_in(family.covering))
    return tuple(lone), tuple(covering)


def tests_of(atoms: Iterable[Atom], taxonomy: Taxonomy) -> Mapping[tuple[Atom, ...], AbstractSet[str]]:
    """What is wanted of which types: atoms without types, of which one has to want the event."""
    wanted: dict[frozenset[str], list[Atom]] = {}
    for atom in atoms:
        test = replace(atom, type="", label=None)  # what it wants, whatever the type
        wanted.setdefault(taxonomy.below(atom.type), []).append(test)
    alike: dict[tuple[Atom, ...], set[str]] = {}
    for types, tests in wanted.items():
        alike.setdefault(tuple(tests), set()).update(types)
    return alike
