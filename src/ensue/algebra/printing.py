"""The canonical text of patterns and expressions: the parser reads it back to an equal tree.

Precedence, loosest first: tests (`without`, `within`, `in`, `before`, `where`), `then`, `or`, `and`, the rest. Inside
the rest, what stands behind an operand (`+ 5 minutes`) binds tighter than what stands before it (`3 times`).
"""

from __future__ import annotations

import math
import re
from datetime import datetime

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
    conjuncts,
)
from ensue.algebra.patterns import (
    Absence,
    And,
    Aperiodic,
    At,
    AtLeast,
    AtMost,
    Atom,
    Before,
    CalendarInterval,
    Delay,
    EveryNth,
    Exactly,
    FixedInterval,
    Inside,
    Interval,
    Last,
    Or,
    Pattern,
    Periodic,
    Rank,
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Times,
    Where,
    Within,
    Without,
)
from ensue.model import value_key
from ensue.time import format_duration, format_instant

TEST, THEN, OR, AND, PREFIX, POSTFIX = range(6)
"""How tightly the parts of a pattern bind, loosest first."""

_NAME = re.compile(r"[^\W\d]\w*(?:[:.][^\W\d]\w*)*")
_VARIABLE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
RESERVED = frozenset(
    "and andthen any aperiodic at atleast atmost before between by during every exactly false in is last like not null"
    " of or periodic then times true where withrank within without".split()
)
"""Words that cannot name a class or an attribute unless they stand in backquotes."""


def print_pattern(pattern: Pattern) -> str:
    """The canonical text of a pattern."""
    return _pattern(pattern)[0]


def _pattern(pattern: Pattern) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    match pattern:
        case Atom():
            return _atom(pattern), POSTFIX
        case Or(left, right):
            return f"{_at(left, OR)} or {_at(right, AND)}", OR
        case And(left, right):
            return f"{_at(left, AND)} and {_at(right, PREFIX)}", AND
        case Without(operand, excluded, True):
            return f"{_at(operand, AND)} and !{_at(excluded, POSTFIX)}", AND
        case Then(left, right):
            return f"{_at(left, THEN)} then {_at(right, OR)}", THEN
        case Star(left, repeated, right):
            return f"{_at(left, THEN)} then {_at(repeated, POSTFIX)}* then {_at(right, OR)}", THEN
        case Without(operand, excluded):
            return f"{_at(operand, TEST)} without {_at(excluded, THEN)}", TEST
        case Within(operand, duration):
            return f"{_at(operand, TEST)} within {format_duration(duration)}", TEST
        case Inside(operand, interval):
            return f"{_at(operand, TEST)} in {print_interval(interval)}", TEST
        case Before(operand, instant):
            return f"{_at(operand, TEST)} before {format_instant(instant)}", TEST
        case Where(operand, condition):
            return f"{_at(operand, TEST)} where {print_expression(condition)}", TEST
        case At(operand, instant, unit):
            return f"AT [{format_instant(instant, unit)}] {_at(operand, POSTFIX)}", PREFIX
        case Times(count, operand):
            return f"{count} times {_at(operand, PREFIX)}", PREFIX
        case Delay(operand, duration):
            return f"{_at(operand, POSTFIX)} + {format_duration(duration)}", POSTFIX
        case _:
            return _bracketed(pattern), POSTFIX


def _bracketed(pattern: Pattern) -> str:
    """Operators that carry their own brackets."""
    match pattern:
        case ThenBetween():
            parts: list[Pattern] = []
            inner: Pattern = pattern
            while isinstance(inner, ThenBetween):
                parts.append(inner.right)
                inner = inner.left
            return f"andthen [[{', '.join(map(print_pattern, [inner, *reversed(parts)]))}]]"
        case Absence(excluded, interval):
            return f"without {{{print_pattern(excluded)}}} during {print_interval(interval)}"
        case SomeOf(count, operands, exactly):
            word = "exactly " if exactly else ""
            return f"{word}{count} of {{{', '.join(map(print_pattern, operands))}}}"
        case AtLeast(count, operand, interval):
            return f"atleast {count} times {_during(operand, interval)}"
        case AtMost(count, operand, interval):
            return f"atmost {count} times {_during(operand, interval)}"
        case Exactly(count, operand, interval):
            return f"exactly {count} times {_during(operand, interval)}"
        case EveryNth(count, operand, interval):
            return f"every {count} {_during(operand, interval)}"
        case Rank(count, operand, interval):
            return f"withrank {count} {_during(operand, interval)}"
        case Last(operand, interval):
            return f"last {_during(operand, interval)}"
        case Aperiodic(start, body, stop, collected):
            star = "*" if collected else ""
            return f"aperiodic{star}({', '.join(map(print_pattern, (start, body, stop)))})"
        case Periodic(start, period, stop, collected):
            star = "*" if collected else ""
            return f"periodic{star}({print_pattern(start)}, {format_duration(period)}, {print_pattern(stop)})"
        case _:
            raise TypeError(f"{type(pattern).__name__} is no node of the algebra")


def print_interval(interval: Interval) -> str:
    """The text of an interval, as it stands behind `in` or `during`."""
    match interval:
        case FixedInterval(start, end):
            return f"[{format_instant(start)} .. {format_instant(end)}]"
        case CalendarInterval(calendar):
            return print_name(calendar.name)
        case _:
            return f"{{{print_pattern(interval.pattern)}}}"


def _during(operand: Pattern, interval: Interval) -> str:
    return f"{{{print_pattern(operand)}}} during {print_interval(interval)}"


def _at(pattern: Pattern, level: int) -> str:
    text, binding = _pattern(pattern)
    return text if binding >= level else f"({text})"


def _atom(atom: Atom) -> str:
    parts = [f"{print_name(attribute)} = {_variable(variable)}" for variable, attribute in atom.bindings]
    if atom.condition is not None:
        parts += [_expression(part, _EITHER) for part in conjuncts(atom.condition)]
    label = f"{_variable(atom.label)} : " if atom.label else ""
    name = print_name(atom.type)
    return f"{label}{name}({', '.join(parts)})" if parts else f"{label}{name}"


def print_name(name: str) -> str:
    """A class or attribute name, in backquotes where it would be read as something else."""
    return name if _NAME.fullmatch(name) and name.lower() not in RESERVED else _quoted(name)


def _variable(name: str) -> str:
    return "?" + (name if _VARIABLE.fullmatch(name) else _quoted(name))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


_EITHER, _BOTH, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOMIC = range(8)


def print_expression(expression: Expression) -> str:
    """The canonical text of a condition or a value expression."""
    return _expression(expression, _EITHER)


def _expression(expression: Expression, level: int) -> str:
    text, binding = _bound_expression(expression)
    return text if binding >= level else f"({text})"


def _bound_expression(expression: Expression) -> tuple[str, int]:
    match expression:
        case Literal(value):
            text = _literal(value)
            return text, _SIGN if text.startswith("-") else _ATOMIC
        case Attribute(name):
            return print_name(name), _ATOMIC
        case Variable(name):
            return _variable(name), _ATOMIC
        case Either(left, right):
            return f"{_expression(left, _EITHER)} or {_expression(right, _BOTH)}", _EITHER
        case Both(left, right):
            return f"{_expression(left, _BOTH)} and {_expression(right, _NOT)}", _BOTH
        case Not(operand):
            return f"not {_expression(operand, _NOT)}", _NOT
        case Compare(operator, left, right):
            return f"{_expression(left, _SUM)} {operator} {_expression(right, _SUM)}", _COMPARE
        case OneOf(operand, choices):
            listed = ", ".join(_expression(choice, _SUM) for choice in choices)
            return f"{_expression(operand, _SUM)} in ({listed})", _COMPARE
        case Like(operand, pattern):
            return f"{_expression(operand, _SUM)} like {_literal(pattern)}", _COMPARE
        case IsNull(operand):
            return f"{_expression(operand, _SUM)} is null", _COMPARE
        case Arithmetic(operator, left, right):
            level = _SUM if operator in "+-" else _PRODUCT
            return f"{_expression(left, level)} {operator} {_expression(right, level + 1)}", level
        case Negative(operand):
            return f"-{_expression(operand, _ATOMIC)}", _SIGN
        case Call(function, arguments):
            return f"{function}({', '.join(_expression(argument, _EITHER) for argument in arguments)})", _ATOMIC
        case _:
            raise TypeError(f"{type(expression).__name__} is no expression")


def _literal(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime():
            return f"time('{format_instant(int(value_key(value)[1]))}')"
        case float() if math.isinf(value):
            return "1e999" if value > 0 else "-1e999"
        case _:
            return repr(value)
