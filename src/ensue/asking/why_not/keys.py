"""What is asked about one key: the pattern with that value for a variable, or for an attribute."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ensue.algebra import Pattern, atoms
from ensue.algebra.expressions import Attribute, Compare, Expression, Literal, OneOf, conjunction, conjuncts
from ensue.algebra.patterns import Atom
from ensue.algebra.rewriting import map_atoms
from ensue.errors import Diagnostic, InputError, near
from ensue.model import Event, Taxonomy, Value, value_key
from ensue.model.values import normal


@dataclass(frozen=True, slots=True)
class Key:
    """Values by the name of a variable or of an attribute; each may be one of several.

    An atom that binds the variable must have the value, and so must one whose events have the attribute.
    """

    of_variables: Mapping[str, tuple[Value, ...]]
    of_attributes: Mapping[str, tuple[Value, ...]]
    owners: Mapping[str, frozenset[str]]
    """For each attribute the classes whose events have it."""

    def __call__(self, pattern: Pattern) -> Pattern:
        return map_atoms(pattern, self._atom) if self.of_variables or self.of_attributes else pattern

    def and_of(self, variable: str, value: Value) -> Key:
        """The same with one more variable."""
        return replace(self, of_variables={**self.of_variables, variable: (value,)})

    @property
    def given(self) -> bool:
        return bool(self.of_variables or self.of_attributes)

    def _atom(self, atom: Atom) -> Atom:
        known = list(conjuncts(atom.condition)) if atom.condition is not None else []
        return replace(atom, condition=conjunction([*known, *(one for one in self._wanted(atom) if one not in known)]))

    def condition(self, atom: Atom) -> Expression | None:
        """What the key asks of the events of an atom."""
        return conjunction(self._wanted(atom))

    def _wanted(self, atom: Atom) -> list[Expression]:
        wanted = [
            _is_one_of(attribute, self.of_variables[variable])
            for variable, attribute in atom.bindings
            if variable in self.of_variables
        ]
        owned = [(name, values) for name, values in self.of_attributes.items() if atom.type in self.owners[name]]
        return [*wanted, *(_is_one_of(name, values) for name, values in owned)]


_SHOWN = 8

NO_KEY = Key({}, {}, {})


def key_of(asked: Mapping[str, object] | None, pattern: Pattern, events: Sequence[Event], taxonomy: Taxonomy) -> Key:
    """The key, with every name known to be a variable of the pattern or an attribute of its events."""
    variables = {variable for atom in atoms(pattern) for variable, _ in atom.bindings}
    owners: dict[str, set[str]] = {}
    for event in events:
        for name, known in event.attributes.items():
            if known is not None:
                owners.setdefault(name, set()).update(taxonomy.above(event.type))
    of_variables, of_attributes = {}, {}
    for name, value in (asked or {}).items():
        plain = name.removeprefix("?")
        if plain in variables:
            of_variables[plain] = _values(plain, value)
        elif name in owners:
            of_attributes[name] = _values(name, value)
        else:
            raise InputError(
                Diagnostic(
                    "E607",
                    f"{name} is neither a variable of the pattern nor an attribute",
                    hint=_known(name, variables, owners),
                )
            )
    return Key(of_variables, of_attributes, {name: frozenset(owners[name]) for name in of_attributes})


def notes(key: Key, pattern: Pattern, events: Sequence[Event]) -> list[str]:
    """Values of the key that no event has, with some of those that there are."""
    found = []
    bound = [(f"?{name}", values, _attributes(name, pattern)) for name, values in key.of_variables.items()]
    bound += [(name, values, {name}) for name, values in key.of_attributes.items()]
    for name, values, attributes in bound:
        there = [event.attributes.get(attribute) for event in events for attribute in attributes]
        known = {value_key(value): value for value in there if value is not None}
        if not any(value_key(value) in known for value in values):
            listed = ", ".join(sorted(str(Literal(value)) for value in known.values())[:_SHOWN])
            more = f" and {len(known) - _SHOWN:,} more" if len(known) > _SHOWN else ""
            found.append(f"No event has {name} = {Literal(values[0])}; there are {listed}{more}.")
    return found


def _attributes(variable: str, pattern: Pattern) -> set[str]:
    return {attribute for atom in atoms(pattern) for name, attribute in atom.bindings if name == variable}


def _known(name: str, variables: Collection[str], attributes: Collection[str]) -> str:
    listed = [*(f"?{one}" for one in sorted(variables)), *sorted(attributes)]
    return near(name, [*variables, *attributes]) or (
        f"there are {', '.join(listed)}" if listed else "leave the key out"
    )


def _values(name: str, value: object) -> tuple[Value, ...]:
    found = [normal(one) for one in value] if isinstance(value, (tuple, list)) else [normal(value)]
    kept = tuple(one for one in found if one is not None)
    if not kept:
        raise InputError(Diagnostic("E607", f"the key {name} has no value", hint="give a number, a text or a time"))
    return kept


def _is_one_of(attribute: str, values: tuple[Value, ...]) -> Expression:
    if len(values) == 1:
        return Compare("=", Attribute(attribute), Literal(values[0]))
    return OneOf(Attribute(attribute), tuple(map(Literal, values)))
