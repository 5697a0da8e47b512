"""Conditions, one event or occurrence at a time, in three-valued logic."""

from __future__ import annotations

from collections.abc import Callable

from ensue.algebra.expressions import (
    Arithmetic,
    Attribute,
    Both,
    Call,
    Compare,
    Either,
    Expression,
    IsNull,
    Like,
    Literal,
    Negative,
    Not,
    OneOf,
    Variable,
)
from ensue.algebra.functions import arithmetic, call, compare, like
from ensue.model.values import Value


def holds(condition: Expression | None, lookup: Callable[[str], Value | None]) -> bool:
    """Whether a condition is true; `lookup` gives the value of an attribute or variable by name."""
    return condition is None or evaluate(condition, lookup) is True


def evaluate(expression: Expression, lookup: Callable[[str], Value | None]) -> Value | None:
    """The value of an expression; None is null, and for a condition "unknown"."""
    match expression:
        case Literal(value):
            return value
        case Attribute(name) | Variable(name):
            return lookup(name)
        case Both(left, right):
            one, two = evaluate(left, lookup), evaluate(right, lookup)
            return False if one is False or two is False else True if one is True and two is True else None
        case Either(left, right):
            one, two = evaluate(left, lookup), evaluate(right, lookup)
            return True if one is True or two is True else False if one is False and two is False else None
        case Not(operand):
            value = evaluate(operand, lookup)
            return not value if isinstance(value, bool) else None
        case IsNull(operand):
            return evaluate(operand, lookup) is None
        case OneOf(operand, choices):
            value = evaluate(operand, lookup)
            answers = [_compared("=", value, evaluate(choice, lookup)) for choice in choices]
            return True if True in answers else None if None in answers else False
        case Compare(operator, left, right):
            return _compared(operator, evaluate(left, lookup), evaluate(right, lookup))
        case Like(operand, pattern):
            value = evaluate(operand, lookup)
            return like(value, pattern) if isinstance(value, str) else None
        case Arithmetic(operator, left, right):
            one, two = evaluate(left, lookup), evaluate(right, lookup)
            return None if one is None or two is None else arithmetic(operator, one, two)
        case Negative(operand):
            value = evaluate(operand, lookup)
            return None if value is None else arithmetic("-", 0.0, value)
        case Call(function, arguments):
            values = [evaluate(argument, lookup) for argument in arguments]
            present = [value for value in values if value is not None]
            return call(function, present) if len(present) == len(values) else None
        case _:
            raise TypeError(f"{type(expression).__name__} is no expression")


def _compared(operator: str, left: Value | None, right: Value | None) -> bool | None:
    return None if left is None or right is None else compare(operator, left, right)
