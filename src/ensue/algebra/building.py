"""The Python spelling of patterns: `event("Login", user=var.u, ok=False)`, which is not text in strings.

`var.x` and `attr.x` are terms: arithmetic and comparison on them make conditions. They wrap the expressions of the
algebra instead of being them, because `==` on a term has to build a condition while expressions compare as values.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from ensue.algebra.expressions import (
    FUNCTIONS,
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
    conjunction,
    variables_in,
)
from ensue.algebra.patterns import (
    Absence,
    Aperiodic,
    AtLeast,
    AtMost,
    Atom,
    CalendarInterval,
    EveryNth,
    Exactly,
    FixedInterval,
    Interval,
    Last,
    Length,
    Pattern,
    PatternInterval,
    Periodic,
    Rank,
    SomeOf,
    Star,
    ThenBetween,
)
from ensue.errors import Diagnostic, PatternError, near
from ensue.model.values import normal
from ensue.time import BUILT_IN_CALENDARS, Calendar, parse_duration, to_instant


class Term:
    """An expression under construction; see the module's text."""

    __slots__ = ("expression",)
    __hash__ = None  # type: ignore[assignment]  # `==` makes a condition, so a term cannot be a key

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __lt__(self, other: object) -> Term:
        return self._compare("<", other)

    def __le__(self, other: object) -> Term:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Term:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Term:
        return self._compare(">=", other)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]  # a condition, not a truth value
        return self._compare("=", other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]  # a condition, not a truth value
        return self._compare("!=", other)

    def __add__(self, other: object) -> Term:
        return self._arithmetic("+", other)

    def __radd__(self, other: object) -> Term:
        return self._reflected("+", other)

    def __sub__(self, other: object) -> Term:
        return self._arithmetic("-", other)

    def __rsub__(self, other: object) -> Term:
        return self._reflected("-", other)

    def __mul__(self, other: object) -> Term:
        return self._arithmetic("*", other)

    def __rmul__(self, other: object) -> Term:
        return self._reflected("*", other)

    def __truediv__(self, other: object) -> Term:
        return self._arithmetic("/", other)

    def __rtruediv__(self, other: object) -> Term:
        return self._reflected("/", other)

    def __mod__(self, other: object) -> Term:
        return self._arithmetic("%", other)

    def __neg__(self) -> Term:
        return Term(Negative(self.expression))

    def __and__(self, other: object) -> Term:
        return Term(Both(self.expression, as_expression(other)))

    def __or__(self, other: object) -> Term:
        return Term(Either(self.expression, as_expression(other)))

    def __invert__(self) -> Term:
        return Term(Not(self.expression))

    def __bool__(self) -> bool:
        raise PatternError(
            Diagnostic(
                "E130",
                "a condition has no truth value while the pattern is being built",
                hint="join conditions with &, | and ~ instead of and, or and not, each in parentheses",
            )
        )

    def is_in(self, *choices: object) -> Term:
        """Whether it equals one of the choices."""
        return Term(OneOf(self.expression, tuple(as_expression(choice) for choice in choices)))

    def like(self, pattern: str) -> Term:
        """Whether it matches a pattern with `%` and `_`."""
        return Term(Like(self.expression, pattern))

    def is_null(self) -> Term:
        """Whether it is missing."""
        return Term(IsNull(self.expression))

    def __str__(self) -> str:
        return str(self.expression)

    def __repr__(self) -> str:
        return f"<term {self.expression}>"

    def _compare(self, operator: str, other: object) -> Term:
        return Term(Compare(operator, self.expression, as_expression(other)))

    def _arithmetic(self, operator: str, other: object) -> Term:
        return Term(Arithmetic(operator, self.expression, as_expression(other)))

    def _reflected(self, operator: str, other: object) -> Term:
        return Term(Arithmetic(operator, as_expression(other), self.expression))


class _Names:
    """Makes terms from attribute access: `var.user`, `var["odd name"]`."""

    def __init__(self, make: type[Variable | Attribute]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Term:
        if name.startswith("__"):
            raise AttributeError(name)
        return Term(self._make(name))

    def __getitem__(self, name: str) -> Term:
        return Term(self._make(name))


var = _Names(Variable)
"""The variables of a pattern: `var.u` is `?u`."""

attr = _Names(Attribute)
"""The attributes of the event that an atom looks at, for conditions other than equality."""


class _Functions:
    """The functions of the expression language: `fn.lower(attr.name)`."""

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            if name.startswith("__"):
                raise AttributeError(name)
            raise PatternError(Diagnostic("E131", f"there is no function {name!r}", hint=near(name, FUNCTIONS)))
        return lambda *arguments: Term(Call(name, tuple(as_expression(argument) for argument in arguments)))


fn = _Functions()


def event(type: str, *conditions: Term, **attributes: object) -> Pattern:
    """An atom: an event of a class, with conditions on its attributes.

    A keyword binds the attribute to a variable (`user=var.u`) or asks for a value (`ok=False`); other conditions are
    terms over `attr` (`attr.amount > 10`).

    >>> print(event("Payment", attr.amount < 10, order=var.o))
    Payment(order = ?o, amount < 10)
    """
    bindings: list[tuple[str, str]] = []
    parts: list[Expression] = []
    for name, value in attributes.items():
        expression = as_expression(value)
        if isinstance(expression, Variable):
            bindings.append((expression.name, name))
        else:
            parts.append(Compare("=", Attribute(name), expression))
    parts += [as_expression(condition) for condition in conditions]
    for part in parts:
        if variables_in(part):
            raise PatternError(
                Diagnostic(
                    "E132",
                    f"the condition {part} of {type} compares with a variable inside an atom",
                    hint="bind the attribute to a variable of its own and compare the two with .where(...)",
                )
            )
    return Atom(type, conjunction(parts), tuple(bindings))


def some_of(count: int, *patterns: Pattern) -> Pattern:
    """Any `count` of the patterns."""
    return SomeOf(count, patterns)


def exactly_of(count: int, *patterns: Pattern) -> Pattern:
    """`count` of the patterns, and none of the others inside their interval."""
    return SomeOf(count, patterns, exactly=True)


def absence(excluded: Pattern, during: object) -> Pattern:
    """Nothing of the kind in an interval: a pair of times, or the name of a calendar."""
    interval = as_interval(during)
    if isinstance(interval, PatternInterval):
        return interval.pattern.without(excluded)
    return Absence(excluded, interval)


def at_least(count: int, pattern: Pattern, during: object) -> Pattern:
    return AtLeast(count, pattern, as_interval(during))


def at_most(count: int, pattern: Pattern, during: object) -> Pattern:
    return AtMost(count, pattern, as_interval(during))


def exactly(count: int, pattern: Pattern, during: object) -> Pattern:
    return Exactly(count, pattern, as_interval(during))


def every(count: int, pattern: Pattern, during: object) -> Pattern:
    return EveryNth(count, pattern, as_interval(during))


def rank(count: int, pattern: Pattern, during: object) -> Pattern:
    return Rank(count, pattern, as_interval(during))


def last(pattern: Pattern, during: object) -> Pattern:
    return Last(pattern, as_interval(during))


def star(left: Pattern, repeated: Pattern, right: Pattern) -> Pattern:
    """`left then repeated* then right`."""
    return Star(left, repeated, right)


def then_between(first: Pattern, *others: Pattern) -> Pattern:
    """A sequence with every event received between its parts."""
    result = first
    for other in others:
        result = ThenBetween(result, other)
    return result


def aperiodic(start: Pattern, body: Pattern, stop: Pattern, *, collected: bool = False) -> Pattern:
    return Aperiodic(start, body, stop, collected)


def periodic(start: Pattern, period: Length, stop: Pattern, *, collected: bool = False) -> Pattern:
    return Periodic(start, parse_duration(period), stop, collected)


def as_interval(value: object) -> Interval:
    """An interval from a pattern, a pair of times, a calendar, or a calendar's name."""
    match value:
        case Pattern():
            return PatternInterval(value)
        case FixedInterval() | CalendarInterval() | PatternInterval():
            return value
        case Calendar():
            return CalendarInterval(value)
        case str() if value in BUILT_IN_CALENDARS:
            return CalendarInterval(BUILT_IN_CALENDARS[value])
        case (start, end):
            return FixedInterval(to_instant(start), to_instant(end))
        case _:
            known = [*BUILT_IN_CALENDARS]
            hint = (
                near(value, known) if isinstance(value, str) else None
            ) or "give a pair of times, a pattern or a calendar"
            raise PatternError(Diagnostic("E133", f"{value!r} is no interval", hint=hint))


def as_expression(value: object) -> Expression:
    """An expression from a term, an expression or a plain value."""
    if isinstance(value, Term):
        return value.expression
    if isinstance(value, Expression):
        return value
    if value is None or isinstance(value, (bool, int, float, str, datetime, date)):
        return Literal(normal(value))
    raise PatternError(
        Diagnostic("E134", f"{value!r} cannot stand in a condition", hint="use numbers, texts, truth values or times")
    )
