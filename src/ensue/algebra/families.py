"""Patterns that differ only in constants: one pattern, and a table of what differs.

Rules often come by the hundred, all of one shape. Instead of a plan for each there is one for all of them: the
*template*, whose atoms look at parameters as if these were attributes of the event, and bind a variable to the number
of the rule. Whatever combines has to agree on that variable, so that the rules do not see each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import TypeAlias

from ensue.algebra.contexts import Context
from ensue.algebra.expressions import (
    MIRRORED,
    Attribute,
    Compare,
    Expression,
    Literal,
    OneOf,
    attributes_in,
    conjunction,
    conjuncts,
)
from ensue.algebra.patterns import AtMost, Atom, Delay, Exactly, Pattern, Periodic
from ensue.algebra.rewriting import map_atoms, map_parts
from ensue.algebra.shapes import ANY, Constants, Same, Shape, shapes_of
from ensue.algebra.variables import scope, walk
from ensue.model.values import Value

LEAST = 4
"""So many rules make a family; fewer are as fast, or faster, each on its own."""

_ALONE = (Delay, Periodic, AtMost, Exactly)
"""What makes events of its own, whose ids tell the variables; and what is content with no event, so of no rule."""

_HIDDEN = "\0rule "


@dataclass(frozen=True, slots=True)
class Family:
    """Rules of one shape. Those that are equal in all constants are one rule with several names."""

    template: Pattern
    context: Context
    rule: str
    """The variable, and the attribute, that holds the number of the rule."""
    parameters: Mapping[str, tuple[Value | None, ...]]
    """The constants that differ, by the names that the template has for them: a value for each rule."""
    numbers: Mapping[str, int]
    """The rule of each pattern, by the pattern's name."""

    @property
    def size(self) -> int:
        """How many rules there are."""
        return len(next(iter(self.parameters.values())))

    @property
    def covering(self) -> Pattern:
        """A pattern whose atoms want all events that those of any rule want, and few others.

        An attribute that has to be equal to a parameter is bound to it as to a variable: where all atoms have one in
        common, events with different values never meet.
        """
        return map_atoms(self.template, partial(self._covering, cache(self._cover)))

    def _covering(self, cover_of: Callable[[str, str, str], Expression | None], atom: Atom) -> Atom:
        if (self.rule, self.rule) not in atom.bindings or atom.condition is None:
            return atom
        conditions = list(conjuncts(atom.condition))
        plain = [condition for condition in conditions if not any(map(is_hidden, attributes_in(condition)))]
        tests = [test for condition in conditions if (test := parameter_test(condition)) is not None]
        covers = [cover for test in tests if (cover := cover_of(*test)) is not None]
        own = [binding for binding in atom.bindings if not is_hidden(binding[0])]
        equal = [(parameter, attribute) for attribute, symbol, parameter in tests if symbol == "="]
        return replace(atom, condition=conjunction([*plain, *covers]), bindings=(*own, *equal))

    def _cover(self, attribute: str, symbol: str, parameter: str) -> Expression | None:
        """What holds for an attribute wherever it passes the test of some rule; None if that is not known."""
        values = [value for value in self.parameters[parameter] if value is not None]
        if symbol == "=":
            return OneOf(Attribute(attribute), tuple(dict.fromkeys(map(Literal, values))))
        numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
        if not numbers or len(numbers) < len(values):
            return None
        return Compare(symbol, Attribute(attribute), Literal(min(numbers) if symbol in (">", ">=") else max(numbers)))

    def rule_of(self, part: Pattern, number: int) -> Pattern:
        """A part of the template as the user has written it for one of the rules."""

        def constant(leaf: Expression) -> Expression:
            if isinstance(leaf, Attribute) and leaf.name in self.parameters:
                return Literal(self.parameters[leaf.name][number])
            return leaf

        def change(atom: Atom) -> Atom:
            condition = None if atom.condition is None else map_parts(atom.condition, constant)
            own = tuple(binding for binding in atom.bindings if not is_hidden(binding[0]))
            return replace(atom, condition=condition, bindings=own)

        return map_atoms(part, change)


def is_hidden(name: str) -> bool:
    """Whether a variable or attribute is a family's own, and none that a user has written."""
    return name.startswith(_HIDDEN)


def parameter_test(condition: Expression) -> tuple[str, str, str] | None:
    """The attribute, the symbol and the parameter, if a condition compares the one with the other."""
    match condition:
        case Compare(symbol, Attribute(one), Attribute(two)) if symbol != "!=" and is_hidden(one) != is_hidden(two):
            return (two, MIRRORED[symbol], one) if is_hidden(one) else (one, symbol, two)
        case _:
            return None


def families(patterns: Mapping[str, tuple[Pattern, Context]]) -> tuple[Family, ...]:
    """The families among some patterns. The patterns that are in none are on their own."""
    names = tuple(patterns)
    listed, contexts = (
        (Same(column) for column in zip(*patterns.values(), strict=True)) if names else (Same(()), Same(()))
    )
    return tuple(
        replace(family, numbers={names[place]: rule for place, rule in numbers})
        for family, numbers in _families(listed, contexts, LEAST)
    )


Numbers: TypeAlias = tuple[tuple[int, int], ...]
"""The places of some patterns among all, and their rules."""


@lru_cache(maxsize=8)
def _families(patterns: Same[Pattern], contexts: Same[Context], least: int) -> tuple[tuple[Family, Numbers], ...]:
    """Remembered, because engines for the same patterns are made again and again: one for each partition or shard."""
    alike: dict[tuple[Shape, Context], dict[int, Constants]] = {}
    for place, ((shape, constants), context) in enumerate(
        zip(shapes_of(patterns.things), contexts.things, strict=True)
    ):
        alike.setdefault((shape, context), {})[place] = constants
    together = ((shape, members) for shape, members in alike.items() if _joins(*shape))
    found = (
        _family(number, shape.opened, context, members, least)
        for number, ((shape, context), members) in enumerate(together)
    )
    return tuple(one for one in found if one is not None)


def _joins(shape: Shape, context: Context) -> bool:
    return context is not Context.LATEST and not any(isinstance(part, _ALONE) for part in walk(shape.first))


def _family(
    number: int, shape: Pattern, context: Context, members: Mapping[int, Constants], least: int
) -> tuple[Family, Numbers] | None:
    places: dict[Constants, int] = {}
    numbers = tuple((place, places.setdefault(constants, len(places))) for place, constants in members.items())
    if len(places) < least:
        return None
    rule = f"{_HIDDEN}{number}"
    names: dict[Constants, str] = {}
    fillings: list[Expression] = []
    for column in zip(*places, strict=True):
        differs = any(constant != column[0] for constant in column)
        fillings.append(Attribute(names.setdefault(column, f"{rule}.{len(names)}")) if differs else column[0])
    template = map_atoms(shape, partial(_filled, iter(fillings), rule))
    if not _apart(template, rule):
        return None
    values = {name: tuple(literal.value for literal in column) for column, name in names.items()}
    return Family(template, context, rule, values, {}), numbers


def _filled(fillings: Iterator[Expression], rule: str, atom: Atom) -> Atom:
    """The atom of a template: parameters and common constants where the constants were; bound to the rule if it has
    parameters.
    """
    if atom.condition is None:
        return atom
    condition = map_parts(atom.condition, lambda part: next(fillings) if part == ANY else part)
    if not any(is_hidden(name) for name in attributes_in(condition)):
        return replace(atom, condition=condition)
    return replace(atom, condition=condition, bindings=(*atom.bindings, (rule, rule)))


def _apart(template: Pattern, rule: str) -> bool:
    """Whether no part mixes what belongs to different rules: each that looks at parameters says of which rule it is."""
    return all(
        rule in scope(part).always
        for part in walk(template)
        if any(isinstance(inner, Atom) and (rule, rule) in inner.bindings for inner in walk(part))
    )
