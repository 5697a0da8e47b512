"""The partition key of patterns: which attributes tell where an event is needed.

A variable that every atom of a pattern binds cuts the pattern's world into parts that know nothing of each other,
because whatever combines, excludes or counts has to agree on it: the atoms that only exclude or gather too. So events
with different values of it may go to different places. Two operators look beyond the variables, and forbid it: an
absence (no event at all may lie in the interval) and `[[ ]]` (whatever lies between is taken along). Where none is
enough (`at most`), that counts only if the interval gives the variables, and then it gives the key too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ensue.algebra import Pattern, atoms, walk
from ensue.algebra.patterns import Absence, Atom, ThenBetween
from ensue.model import Taxonomy


@dataclass(frozen=True, slots=True)
class Key:
    """For each event type the attributes whose values decide where an event goes; without any, all go to one place."""

    routes: Mapping[str, tuple[str, ...]]

    def __bool__(self) -> bool:
        return any(self.routes.values())

    def joined(self, other: Key) -> Key | None:
        """A key that serves the patterns of both, if they send every event to the same place."""
        if bool(self) != bool(other) or _width(self) != _width(other):
            return None
        if any(self.routes[name] != other.routes[name] for name in self.routes.keys() & other.routes.keys()):
            return None
        return Key({**self.routes, **other.routes})


NO_KEY = Key({})


def partition_key(pattern: Pattern, taxonomy: Taxonomy) -> Key:
    """The key of a pattern: all variables that all of its atoms bind, and that each type has one attribute for."""
    if any(isinstance(part, (Absence, ThenBetween)) for part in walk(pattern)):
        return NO_KEY
    found = atoms(pattern)
    common = frozenset.intersection(*(frozenset(name for name, _ in atom.bindings) for atom in found))
    routes = [route for name in sorted(common) if (route := route_of(name, found, taxonomy))]
    if not routes:
        return NO_KEY
    routes.sort(key=lambda route: sorted(route.items()))
    return Key({kind: tuple(route[kind] for route in routes) for kind in routes[0]})


def any_event(pattern: Pattern) -> bool:
    """Whether events of any type may become part of an occurrence."""
    return any(isinstance(part, ThenBetween) for part in walk(pattern))


def route_of(variable: str, found: Iterable[Atom], taxonomy: Taxonomy) -> dict[str, str] | None:
    """For each type the attribute that gives the variable; None if two atoms take it from different ones."""
    choices: dict[str, set[str]] = {}
    for atom in found:
        bound = {attribute for name, attribute in atom.bindings if name == variable}
        for kind in taxonomy.below(atom.type):
            choices[kind] = choices.get(kind, bound) & bound
    if not all(choices.values()):
        return None
    return {kind: min(names) for kind, names in choices.items()}


def _width(key: Key) -> int:
    return max((len(route) for route in key.routes.values()), default=0)
