"""Labels: `?a : Login` lets a filter above it say `?a.user`.

A label is no variable. The attribute that is used becomes one, called `a.user`, bound by every event with that label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.algebra.rewriting import map_atoms
from ensue.algebra.variables import atoms

if TYPE_CHECKING:
    from ensue.algebra.patterns import Pattern


def labels(pattern: Pattern) -> frozenset[str]:
    """The labels in a pattern."""
    return frozenset(atom.label for atom in atoms(pattern) if atom.label is not None)


def labelled_attribute(variable: str, known: frozenset[str]) -> tuple[str, str] | None:
    """The label and the attribute that a variable such as `a.user` speaks of, if its first part is a known label."""
    for position, character in enumerate(variable):
        if character == "." and variable[:position] in known:
            return variable[:position], variable[position + 1 :]
    return None


def bind_label(pattern: Pattern, label: str, variable: str, attribute: str) -> Pattern:
    """The pattern with the variable bound to the attribute of every event with that label."""
    return map_atoms(pattern, lambda atom: atom.bind(variable, attribute) if atom.label == label else atom)


def bind_mentioned(pattern: Pattern) -> Pattern:
    """`?b : Login(user = ?a.user)` speaks of the event labelled `a`, so that event has to bind the variable as well."""
    known = labels(pattern)
    for atom in atoms(pattern):
        for variable, _ in atom.bindings:
            found = labelled_attribute(variable, known)
            if found and found[0] != atom.label:
                pattern = bind_label(pattern, found[0], variable, found[1])
    return pattern
