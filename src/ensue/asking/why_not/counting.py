"""How many events there are for each atom of a pattern: of its class, with its conditions, and of the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ensue.algebra import Pattern, atoms
from ensue.algebra.expressions import attributes_in
from ensue.algebra.patterns import Atom
from ensue.errors import near
from ensue.model import Event, Taxonomy
from ensue.reference.conditions import holds


@dataclass(frozen=True, slots=True)
class Count:
    """The events that an atom could take: of its class; of these with its conditions; of these of the key."""

    atom: str
    events: int
    passing: int
    of_key: int


def counts(
    pattern: Pattern, keyed: Callable[[Atom], Pattern], events: Sequence[Event], taxonomy: Taxonomy
) -> list[Count]:
    found = []
    for atom in atoms(pattern):
        of_class = [event for event in events if atom.type in taxonomy.above(event.type)]
        passing = [event for event in of_class if _takes(atom, event)]
        asked = keyed(atom)
        found.append(Count(str(atom), len(of_class), len(passing), sum(_takes(asked, event) for event in passing)))
    return found


def _takes(atom: Any, event: Event) -> bool:
    bound = all(event.attributes.get(attribute) is not None for _, attribute in atom.bindings)
    return bound and holds(atom.condition, event.attributes.get)


def near_classes(pattern: Pattern, types: Mapping[str, int], taxonomy: Taxonomy) -> dict[str, tuple[str, ...]]:
    """For each class of which there is no event, those that there are and that are called almost like it."""
    found = {}
    for atom in atoms(pattern):
        if not any(atom.type in taxonomy.above(name) for name in types):
            likely = tuple(name for name in types if near(atom.type, [name]))
            if likely:
                found[atom.type] = likely
    return found


def notes(pattern: Pattern, events: Sequence[Event], types: Counter[str], taxonomy: Taxonomy) -> list[str]:
    """Classes and attributes that no event has: usually a name is misspelt."""
    found: dict[str, None] = {}
    for atom in atoms(pattern):
        of_class = [event for event in events if atom.type in taxonomy.above(event.type)]
        if not of_class:
            found[f"There is no event of class {atom.type}. {_instead(atom.type, types)}"] = None
            continue
        known = Counter(name for event in of_class for name, value in event.attributes.items() if value is not None)
        asked = {attribute for _, attribute in atom.bindings} | attributes_in_condition(atom)
        for name in sorted(asked - set(known)):
            hint = near(name, known)
            listed = f"the attributes are {', '.join(sorted(known))}" if known else "they have no attributes"
            found[f"No {atom.type} has an attribute {name}: {hint or listed}"] = None
    return list(found)


def attributes_in_condition(atom: Atom) -> frozenset[str]:
    return attributes_in(atom.condition) if atom.condition is not None else frozenset()


def _instead(name: str, types: Counter[str]) -> str:
    if not types:
        return "There are no events at all."
    listed = ", ".join(f"{kind} ({count:,})" for kind, count in types.most_common(10))
    more = f" and {len(types) - 10} more" if len(types) > 10 else ""
    guess = near(name, types)
    return f"There are {listed}{more}{f': {guess}' if guess else '.'}"
