"""Conditions as closures, with the answers of `ensue.reference.conditions`.

Numbers are compared and added on a short way; everything else asks the functions that the reference asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ensue.algebra.expressions import (
    COMPARISONS,
    Arithmetic,
    Attribute,
    Both,
    Compare,
    Either,
    Expression,
    Literal,
    Variable,
)
from ensue.algebra.functions import arithmetic, compare
from ensue.algebra.variables import Scope
from ensue.engine.immediate.parts import is_fixed
from ensue.model.occurrences import Bindings
from ensue.model.values import Value
from ensue.reference.conditions import evaluate
from ensue.time import to_datetime

Read: TypeAlias = Callable[[Any], Value | None]
"""From where values are (the attributes of an event, or a substitution) to one value."""

_NUMBERS = frozenset({int, float})


def over_attributes(condition: Expression) -> Read:
    """A condition over the attributes of an event, which are given as a mapping; it holds if the answer is True."""
    return _compiled(condition, _attribute, lambda values: values.get)


def over_variables(condition: Expression, scope: Scope) -> Read:
    """A condition over a substitution."""
    return _compiled(condition, lambda name: _variable(name, scope), _lookup)


def _attribute(name: str) -> Read:
    return lambda values: values.get(name)


def _variable(name: str, scope: Scope) -> Read:
    if is_fixed(scope) and name in scope.always:
        place = sorted(scope.always).index(name)

        def at_place(sigma: Bindings) -> Value | None:
            kind, content = sigma[place][1]
            return to_datetime(int(content)) if kind == "time" else content

        return at_place
    return lambda sigma: _lookup(sigma)(name)


def _lookup(sigma: Bindings) -> Callable[[str], Value | None]:
    values: Mapping[str, Value] = {
        name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in sigma
    }
    return values.get


def _compiled(
    expression: Expression, read: Callable[[str], Read], lookup: Callable[[Any], Callable[[str], Value | None]]
) -> Read:
    def again(part: Expression) -> Read:
        return _compiled(part, read, lookup)

    match expression:
        case Literal(value):
            return lambda _: value
        case Attribute(name) | Variable(name):
            return read(name)
        case Both(left, right):
            return _both(again(left), again(right))
        case Either(left, right):
            return _either(again(left), again(right))
        case Compare(sign, left, right):
            return _comparing(sign, again(left), again(right))
        case Arithmetic(sign, left, right):
            return _calculating(sign, again(left), again(right))
        case _:
            return lambda source: evaluate(expression, lookup(source))


def _both(one: Read, two: Read) -> Read:
    def both(source: Any) -> Value | None:
        first = one(source)
        if first is False:
            return False
        second = two(source)
        return False if second is False else True if first is True and second is True else None

    return both


def _either(one: Read, two: Read) -> Read:
    def either(source: Any) -> Value | None:
        first = one(source)
        if first is True:
            return True
        second = two(source)
        return True if second is True else False if first is False and second is False else None

    return either


def _comparing(sign: str, one: Read, two: Read) -> Read:
    numbers = COMPARISONS[sign]

    def comparing(source: Any) -> Value | None:
        left, right = one(source), two(source)
        if type(left) in _NUMBERS and type(right) in _NUMBERS:
            return numbers(left, right)
        return None if left is None or right is None else compare(sign, left, right)

    return comparing


def _calculating(sign: str, one: Read, two: Read) -> Read:
    product = sign == "*"

    def calculating(source: Any) -> Value | None:
        left, right = one(source), two(source)
        if product and type(left) is float and type(right) is float:
            result = left * right
            return None if result != result else result  # noqa: PLR0124 - NaN
        return None if left is None or right is None else arithmetic(sign, left, right)

    return calculating
