"""What patterns want of a history: which events, and whether they look beyond those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from dataclasses import replace
from typing import TypeAlias

from ensue.algebra.contexts import Context
from ensue.algebra.expressions import Attribute, Compare, Expression, Literal, OneOf, conjunction, conjuncts
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

Tests: TypeAlias = Mapping[tuple[Atom, ...], AbstractSet[str]]
"""What is wanted of which types: atoms without types, of which one has to want the event."""


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


def tests_of(atoms: Iterable[Atom], taxonomy: Taxonomy) -> Tests:
    """What some atoms want of which types, in as few tests as possible."""
    wanted: dict[frozenset[str], list[Atom]] = {}
    for atom in atoms:
        test = replace(atom, type="", label=None)  # what it wants, whatever the type
        wanted.setdefault(taxonomy.below(atom.type), []).append(test)
    alike: dict[tuple[Atom, ...], set[str]] = {}
    for types, tests in wanted.items():
        alike.setdefault(_together(tests), set()).update(types)
    return alike


def _together(tests: Iterable[Atom]) -> tuple[Atom, ...]:
    """Tests of which one has to hold, in fewer: those that differ in the values of one attribute only are one.

    Rules of many shapes over the same events, each for some keys, would look at every event once for each shape.
    """
    alike: dict[object, tuple[Atom, Attribute | None, list[Expression], dict[Expression, None]]] = {}
    for test in tests:
        attribute, choices, others = _choices(test)
        bound = frozenset(name for _, name in test.bindings)
        key = (attribute, tuple(others), bound)
        alike.setdefault(key, (test, attribute, others, {}))[-1].update(dict.fromkeys(choices))
    return tuple(
        test if attribute is None else replace(test, condition=conjunction([OneOf(attribute, tuple(choices)), *others]))
        for test, attribute, others, choices in alike.values()
    )


def _choices(test: Atom) -> tuple[Attribute | None, tuple[Expression, ...], list[Expression]]:
    """The first attribute that has to have one of some values, these, and the test's other conditions."""
    conditions = [] if test.condition is None else list(conjuncts(test.condition))
    for place, condition in enumerate(conditions):
        others = [*conditions[:place], *conditions[place + 1 :]]
        match condition:
            case OneOf(Attribute() as attribute, choices) if all(isinstance(choice, Literal) for choice in choices):
                return attribute, choices, others
            case Compare("=", Attribute() as attribute, Literal() as value):
                return attribute, (value,), others
            case _:
                pass
    return None, (), conditions
