"""The expressions inside conditions: immutable trees over attributes, variables and literals.

Truth has three values, as in SQL: a comparison with a missing value is neither true nor false, and a condition holds
only if it is true.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ensue.model.values import Value

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""The symbols, with what compares values, arrays or columns of one kind."""

MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The symbol that says the same with the sides exchanged."""

ARITHMETIC = ("+", "-", "*", "/", "%")


class Expression:
    """Anything that has a value for each event (over its attributes) or occurrence (over its variables)."""

    __slots__ = ()

    def parts(self) -> tuple[Expression, ...]:
        return ()

    def __str__(self) -> str:
        from ensue.algebra.printing import print_expression

        return print_expression(self)


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    value: Value | None

    def __eq__(self, other: object) -> bool:
        """Equal only with the same Python type: `1`, `1.0` and `true` are three literals, and print differently."""
        return isinstance(other, Literal) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)  # there are thousands of them in rules


@dataclass(frozen=True, slots=True)
class Attribute(Expression):
    """An attribute of the event that an atom looks at."""

    name: str


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    """A variable of the pattern, written `?name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    operator: str
    left: Expression
    right: Expression

    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Arithmetic(Expression):
    operator: str
    left: Expression
    right: Expression

    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    operand: Expression

    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Both(Expression):
    """Both conditions hold (`and`)."""

    left: Expression
    right: Expression

    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Either(Expression):
    """One of the conditions holds (`or`)."""

    left: Expression
    right: Expression

    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Not(Expression):
    operand: Expression

    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class OneOf(Expression):
    """`x in (1, 2, 3)`"""

    operand: Expression
    choices: tuple[Expression, ...]

    def parts(self) -> tuple[Expression, ...]:
        return self.operand, *self.choices


@dataclass(frozen=True, slots=True)
class Like(Expression):
    """`name like 'A%'`: `%` stands for any characters, `_` for one, a backslash takes the next one literally."""

    operand: Expression
    pattern: str

    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    operand: Expression

    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function of `FUNCTIONS`, by its name in small letters."""

    function: str
    arguments: tuple[Expression, ...]

    def parts(self) -> tuple[Expression, ...]:
        return self.arguments


FUNCTIONS: dict[str, tuple[int, int, str]] = {
    "lower": (1, 1, "text"),
    "upper": (1, 1, "text"),
    "trim": (1, 1, "text"),
    "length": (1, 1, "number"),
    "substring": (2, 3, "text"),
    "concat": (1, 16, "text"),
    "replace": (3, 3, "text"),
    "starts_with": (2, 2, "truth"),
    "ends_with": (2, 2, "truth"),
    "contains": (2, 2, "truth"),
    "abs": (1, 1, "number"),
    "round": (1, 1, "number"),
    "floor": (1, 1, "number"),
    "ceil": (1, 1, "number"),
    "sqrt": (1, 1, "number"),
    "least": (2, 16, "number"),
    "greatest": (2, 16, "number"),
    "year": (1, 1, "number"),
    "month": (1, 1, "number"),
    "day": (1, 1, "number"),
    "hour": (1, 1, "number"),
    "minute": (1, 1, "number"),
    "second": (1, 1, "number"),
    "weekday": (1, 1, "number"),
    "epoch": (1, 1, "number"),
    "time": (1, 1, "time"),
}
"""Every function: fewest and most arguments, and the kind of its result. `weekday` is 1 for Monday; `epoch` counts
seconds; `time` reads ISO text. `substring(text, start, length)` counts from 1. A wrong kind of argument gives null."""


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it."""
    waiting = [expression]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.parts()))


def variables_in(expression: Expression) -> frozenset[str]:
    """The names of the variables that an expression mentions."""
    return frozenset(part.name for part in walk(expression) if isinstance(part, Variable))


def attributes_in(expression: Expression) -> frozenset[str]:
    """The names of the attributes that an expression mentions."""
    return frozenset(part.name for part in walk(expression) if isinstance(part, Attribute))


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The parts that `and` joins at the top."""
    waiting = [expression]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Both):
            waiting += [current.right, current.left]
        else:
            yield current


def conjunction(parts: list[Expression]) -> Expression | None:
    """All of the parts joined by `and`, from the left; None if there are none."""
    joined: Expression | None = None
    for part in parts:
        joined = part if joined is None else Both(joined, part)
    return joined
