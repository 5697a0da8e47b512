"""The nodes of the event algebra: one frozen class for each operator of docs/semantics.md §2.

Nodes are values: two patterns are equal if they are written alike, which is what lets a plan share equal parts. The
methods and operators of `Pattern` build larger patterns; they make the same objects as the text language.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TypeAlias

from ensue.algebra.expressions import Both, Expression, conjunction, conjuncts
from ensue.errors import Diagnostic, PatternError
from ensue.time import Calendar, parse_duration, parse_instant_with_unit, to_instant

Moment: TypeAlias = str | datetime | date
Length: TypeAlias = str | float | timedelta


class Pattern:
    """A situation: anything that has occurrences in a history."""

    __slots__ = ()

    def children(self) -> tuple[Pattern, ...]:
        """The patterns directly inside this one, from left to right."""
        return ()

    def then(self, *others: Pattern) -> Pattern:
        """This, then the others, one after another."""
        result: Pattern = self
        for other in others:
            result = Then(result, other)
        return result

    def without(self, excluded: Pattern) -> Pattern:
        """This, with no occurrence of `excluded` from its begin to its end."""
        return Without(self, excluded)

    def within(self, duration: Length) -> Pattern:
        """This, if it is no longer than the duration."""
        return Within(self, parse_duration(duration))

    def between(self, start: Moment, end: Moment) -> Pattern:
        """This, if it lies in the closed interval (`A in [s .. t]`)."""
        return Inside(self, FixedInterval(to_instant(start), to_instant(end)))

    def before(self, moment: Moment) -> Pattern:
        """This, if it ends no later than the moment."""
        return Before(self, to_instant(moment))

    def at(self, moment: str) -> Pattern:
        """This, if it ends in the unit that the moment is written to."""
        return At(self, *parse_instant_with_unit(moment))

    def after(self, duration: Length) -> Pattern:
        """A temporal event, the duration after the end of this (`A + 5 minutes`)."""
        return Delay(self, parse_duration(duration))

    def times(self, count: int) -> Pattern:
        """Each run of `count` successive occurrences."""
        return Times(count, self)

    def where(self, condition: Expression | object) -> Pattern:
        """The occurrences for which a condition over the variables holds."""
        from ensue.algebra.building import as_expression

        return Where(self, as_expression(condition))

    def __rshift__(self, other: Pattern) -> Pattern:
        return Then(self, other) if isinstance(other, Pattern) else NotImplemented

    def __and__(self, other: Pattern) -> Pattern:
        return And(self, other) if isinstance(other, Pattern) else NotImplemented

    def __or__(self, other: Pattern) -> Pattern:
        return Or(self, other) if isinstance(other, Pattern) else NotImplemented

    def __sub__(self, other: Pattern) -> Pattern:
        return Without(self, other) if isinstance(other, Pattern) else NotImplemented

    def __add__(self, duration: Length) -> Pattern:
        return NotImplemented if isinstance(duration, Pattern) else self.after(duration)

    def __str__(self) -> str:
        from ensue.algebra.printing import print_pattern

        return print_pattern(self)

    def _repr_html_(self) -> str:
        """The pattern as a tree: notebooks show it."""
        from ensue.algebra.drawing import draw

        return draw(self)


@dataclass(frozen=True, slots=True)
class FixedInterval:
    """A closed interval of time."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise _invalid("an interval cannot end before it starts", "exchange the two times")


@dataclass(frozen=True, slots=True)
class CalendarInterval:
    """Each instance of a calendar."""

    calendar: Calendar


@dataclass(frozen=True, slots=True)
class PatternInterval:
    """The interval of each occurrence of another pattern (`during {C}`)."""

    pattern: Pattern


Interval: TypeAlias = FixedInterval | CalendarInterval | PatternInterval


@dataclass(frozen=True, slots=True)
class Atom(Pattern):
    """One event of a class or below it, that passes the condition; binds variables to attributes.

    A `label` names the event in filters (`?a : Login`, then `?a.user`); the attributes used that way are bound to
    variables called `a.user`. The label itself is no variable: it does not take part in grouping.
    """

    type: str
    condition: Expression | None = None
    bindings: tuple[tuple[str, str], ...] = ()
    label: str | None = None

    def __post_init__(self) -> None:
        """Conditions joined by `and` are kept as one chain, so that `A(x, y)` is equal however it was put together."""
        if isinstance(self.condition, Both):
            object.__setattr__(self, "condition", conjunction(list(conjuncts(self.condition))))

    def bind(self, variable: str, attribute: str) -> Atom:
        """The same atom, with one more variable bound."""
        pair = (variable, attribute)
        return self if pair in self.bindings else replace(self, bindings=(*self.bindings, pair))


@dataclass(frozen=True, slots=True)
class _Binary(Pattern):
    left: Pattern
    right: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Or(_Binary):
    """Either occurs."""


@dataclass(frozen=True, slots=True)
class And(_Binary):
    """Both occur, in any order; the same event may serve both sides."""


@dataclass(frozen=True, slots=True)
class Then(_Binary):
    """The left one ends no later than the right one begins, and they share no event."""


@dataclass(frozen=True, slots=True)
class ThenBetween(_Binary):
    """As `Then`, plus every event received from the end of the left to the begin of the right (`andthen [[A, B]]`)."""


@dataclass(frozen=True, slots=True)
class Without(Pattern):
    """The operand, if no agreeing occurrence of `excluded` lies inside it.

    `since_firing` marks the spelling `A and !B`: in context `latest` it asks for no B since the last firing.
    """

    operand: Pattern
    excluded: Pattern
    since_firing: bool = False

    def children(self) -> tuple[Pattern, ...]:
        return self.operand, self.excluded


@dataclass(frozen=True, slots=True)
class Absence(Pattern):
    """An interval in which nothing of the kind occurs; known when it has passed."""

    excluded: Pattern
    interval: FixedInterval | CalendarInterval

    def children(self) -> tuple[Pattern, ...]:
        return (self.excluded,)


@dataclass(frozen=True, slots=True)
class Within(Pattern):
    """The operand, if it is no longer than `duration` (in microseconds)."""

    operand: Pattern
    duration: int

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Inside(Pattern):
    """The operand, if it lies in a closed interval (`A in [s .. t]`)."""

    operand: Pattern
    interval: FixedInterval

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Before(Pattern):
    """The operand, if it ends no later than an instant."""

    operand: Pattern
    instant: int

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class At(Pattern):
    """The operand, if it ends in the unit of time that begins at an instant."""

    operand: Pattern
    instant: int
    unit: str

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Delay(Pattern):
    """A temporal event, `duration` after the end of each occurrence of the operand."""

    operand: Pattern
    duration: int

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class SomeOf(Pattern):
    """`count` of the operands, each serving once; if `exactly`, none of the others inside the interval."""

    count: int
    operands: tuple[Pattern, ...]
    exactly: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.count <= len(self.operands):
            raise _invalid(
                f"{self.count} of {len(self.operands)} operands cannot be asked for",
                f"the number must be from 1 to {len(self.operands)}",
            )

    def children(self) -> tuple[Pattern, ...]:
        return self.operands


@dataclass(frozen=True, slots=True)
class Times(Pattern):
    """Each run of `count` successive occurrences of the operand, by substitution."""

    count: int
    operand: Pattern

    def __post_init__(self) -> None:
        _at_least_one(self.count, "times")

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class _During(Pattern):
    """What counts the occurrences of an operand that lie in an interval."""

    count: int
    operand: Pattern
    interval: Interval

    def children(self) -> tuple[Pattern, ...]:
        inner = (self.interval.pattern,) if isinstance(self.interval, PatternInterval) else ()
        return self.operand, *inner


@dataclass(frozen=True, slots=True)
class AtLeast(_During):
    """The first `count` occurrences in the interval, once."""

    def __post_init__(self) -> None:
        _at_least_one(self.count, "atleast")


@dataclass(frozen=True, slots=True)
class AtMost(_During):
    """All occurrences in the interval, if they are no more than `count`; known when the interval has ended."""

    def __post_init__(self) -> None:
        _at_least_zero(self.count, "atmost")


@dataclass(frozen=True, slots=True)
class Exactly(_During):
    """All occurrences in the interval, if they are `count`; known when the interval has ended."""

    def __post_init__(self) -> None:
        _at_least_zero(self.count, "exactly")


@dataclass(frozen=True, slots=True)
class EveryNth(_During):
    """The n-th, 2n-th, 3n-th … occurrence in the interval, each alone."""

    def __post_init__(self) -> None:
        _at_least_one(self.count, "every")


@dataclass(frozen=True, slots=True)
class Rank(_During):
    """The n-th occurrence in the interval."""

    def __post_init__(self) -> None:
        _at_least_one(self.count, "withrank")


@dataclass(frozen=True, slots=True)
class Last(Pattern):
    """The last occurrence in the interval; known when the interval has ended."""

    operand: Pattern
    interval: Interval

    def children(self) -> tuple[Pattern, ...]:
        inner = (self.interval.pattern,) if isinstance(self.interval, PatternInterval) else ()
        return self.operand, *inner


@dataclass(frozen=True, slots=True)
class Star(Pattern):
    """`left then right`, with every agreeing occurrence of `repeated` between the two (`A then B* then C`)."""

    left: Pattern
    repeated: Pattern
    right: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return self.left, self.repeated, self.right


@dataclass(frozen=True, slots=True)
class Aperiodic(Pattern):
    """`start` and a later `body` with no agreeing `stop` between; if `collected`, all bodies up to the stop, once."""

    start: Pattern
    body: Pattern
    stop: Pattern
    collected: bool = False

    def children(self) -> tuple[Pattern, ...]:
        return self.start, self.body, self.stop


@dataclass(frozen=True, slots=True)
class Periodic(Pattern):
    """Temporal events every `period` after `start`, up to the next agreeing `stop`; if `collected`, once, at the
    stop.
    """

    start: Pattern
    period: int
    stop: Pattern
    collected: bool = False

    def __post_init__(self) -> None:
        if self.period < 1:
            raise _invalid("the period of `periodic` must be longer than nothing", "write a duration such as 5 minutes")

    def children(self) -> tuple[Pattern, ...]:
        return self.start, self.stop


@dataclass(frozen=True, slots=True)
class Where(Pattern):
    """The occurrences of the operand for which a condition over its variables is true."""

    operand: Pattern
    condition: Expression

    def children(self) -> tuple[Pattern, ...]:
        return (self.operand,)


def _invalid(message: str, hint: str) -> PatternError:
    return PatternError(Diagnostic("E110", message, hint=hint))


def _at_least_one(count: int, word: str) -> None:
    if count < 1:
        raise _invalid(f"`{word} {count}` asks for nothing", "the number must be 1 or more")


def _at_least_zero(count: int, word: str) -> None:
    if count < 0:
        raise _invalid(f"`{word} {count}` asks for less than nothing", "the number must be 0 or more")
