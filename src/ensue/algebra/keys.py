"""Variables that cut a pattern's world into parts that know nothing of each other.

What every atom of a pattern binds, whatever combines, excludes or counts has to agree on: the atoms that only exclude
or gather too. Two operators look beyond the variables, and forbid it: an absence (no event at all may lie in the
interval) and `[[ ]]` (whatever lies between is taken along). Where none is enough (`at most`), that counts only if the
interval gives the variables, and then it gives the key too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ensue.algebra.patterns import Absence, Atom, Pattern, ThenBetween
from ensue.algebra.variables import atoms, walk
from ensue.model import Taxonomy


def common_routes(pattern: Pattern, taxonomy: Taxonomy) -> dict[str, Mapping[str, str]]:
    """The variables that all atoms bind, each with the attribute that gives it, for each type."""
    if any(isinstance(part, (Absence, ThenBetween)) for part in walk(pattern)):
        return {}
    found = atoms(pattern)
    common = frozenset.intersection(*(frozenset(name for name, _ in atom.bindings) for atom in found))
    routes = {name: route_of(name, found, taxonomy) for name in sorted(common)}
    return {name: route for name, route in routes.items() if route}


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
