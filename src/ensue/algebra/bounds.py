"""Bounded lifespan: how long an event can still matter, from the text of the pattern alone (docs/semantics.md §4).

β drives what a detector may forget. A pattern without a finite β is refused where its state would grow for ever, with
an error that names the part that is unbounded and what to add.
"""

from __future__ import annotations

from dataclasses import dataclass

from ensue.algebra.contexts import Context
from ensue.algebra.patterns import (
    Absence,
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
    PatternInterval,
    Periodic,
    Rank,
    Star,
    Then,
    ThenBetween,
    Where,
    Within,
    Without,
)
from ensue.algebra.variables import scope, walk
from ensue.errors import Diagnostic, PatternError
from ensue.time import format_duration, format_instant, unit_end

_COUNTING = (AtLeast, AtMost, Exactly, EveryNth, Rank, Last)


@dataclass(frozen=True, slots=True)
class Lifespan:
    """β: `length` is None where nothing bounds it; `until` is an instant after which nothing matters any more.

    `source` says in words where the figure comes from; `culprit` is the part that is unbounded.
    """

    length: int | None
    source: str
    until: int | None = None
    culprit: Pattern | None = None

    @property
    def why(self) -> str:
        """The same of either in words, made when someone asks: each part of a chain would print all that is in it."""
        if self.culprit is None:
            return self.source
        return f"nothing limits how far apart the parts of `{self.culprit}` may lie"

    @property
    def bounded(self) -> bool:
        return self.length is not None or self.until is not None

    def __str__(self) -> str:
        if self.length is not None:
            return format_duration(self.length)
        return f"until {format_instant(self.until)}" if self.until is not None else "unbounded"


def lifespan(q: Pattern) -> Lifespan:
    """β(q)."""
    match q:
        case Atom():
            return Lifespan(0, "a single event matters only when it comes")
        case Or(left, right):
            return _larger(lifespan(left), lifespan(right))
        case Delay(operand, duration):
            return _plus(lifespan(operand), duration, f"the delay of {format_duration(duration)}")
        case Without(operand, excluded):
            return _sum(lifespan(operand), _delays(excluded))
        case Within(operand, duration):
            return _sum(
                Lifespan(duration, f"within {format_duration(duration)}", lifespan(operand).until), _delays(operand)
            )
        case Inside(operand, interval):
            return _sum(_fixed(interval), _delays(operand))
        case Before(operand, instant):
            return Lifespan(lifespan(operand).length, f"before {format_instant(instant)}", instant)
        case At(operand, instant, unit):
            return Lifespan(lifespan(operand).length, f"at {format_instant(instant, unit)}", unit_end(instant, unit))
        case Where(operand, _):
            return lifespan(operand)
        case Absence(excluded, interval):
            return _sum(_interval(interval), _delays(excluded))
        case AtLeast() | AtMost() | Exactly() | EveryNth() | Rank() | Last():
            inside, counted = _interval(q.interval), lifespan(q.operand)
            return _sum(inside if counted.length is None else _larger(inside, counted), _delays(q.operand))
        case _:
            untils = [lifespan(child).until for child in q.children()]
            known = [until for until in untils if until is not None]
            return Lifespan(None, "", max(known) if len(known) == len(untils) else None, q)


def longest(q: Pattern, limit: int | None = None) -> int | None:
    """The longest that an occurrence of q can last under a limit from above; None where nothing bounds it."""
    match q:
        case Atom() | Delay() | Periodic(collected=False):
            return 0
        case Within(operand, duration):
            return longest(operand, duration if limit is None else min(limit, duration))
        case Inside(operand, interval):
            length = interval.end - interval.start
            return longest(operand, length if limit is None else min(limit, length))
        case Before(operand, _) | At(operand, _, _) | Where(operand, _) | Without(operand, _, _):
            return longest(operand, limit)
        case Or(left, right):
            both = longest(left, limit), longest(right, limit)
            return None if None in both else max(both)  # type: ignore[type-var]  # none of them is None
        case Absence() | AtMost() | Exactly():
            return _least(limit, interval_length(q.interval))
        case AtLeast() | EveryNth() | Rank() | Last():
            inner = interval_length(q.interval)
            return _least(limit, inner if isinstance(q, AtLeast) else _least(inner, longest(q.operand)))
        case _:
            return limit


def check_legal(q: Pattern, context: Context) -> None:
    """Refuse a pattern whose state would grow for ever in this context."""
    span = lifespan(q)
    if span.bounded:
        span = (_counted_without_end(q) if context.consumes else None) or span
    if span.bounded or (not scope(q).sometimes and _constant_state(q, context)):
        return
    culprit = span.culprit or q
    raise PatternError(
        Diagnostic(
            "E140",
            f"the pattern is unbounded: {span.why}",
            hint=f"add a limit, for example `{culprit} within 1 hour`"
            if len(str(culprit)) < 60
            else "add a limit such as `within 1 hour` to it",
        )
    )


def _counted_without_end(q: Pattern) -> Lifespan | None:
    """In the contexts that use events up, an event from long before an interval decides what is reported inside it.

    So what is counted there must be bounded on its own. In the others only events inside the interval matter.
    """
    for node in walk(q):
        if isinstance(node, _COUNTING) and not (counted := lifespan(node.operand)).bounded:
            return counted
    return None


def _constant_state(q: Pattern, context: Context) -> bool:
    """Whether the state has constant size although nothing bounds the pattern, which has no variables.

    In `latest` it has, unless everything since the last firing is counted, or every instance of a calendar is looked
    at; in `recent`, unless something unbounded must be kept whole.
    """
    if context is Context.LATEST:
        return not any(_counts_for_ever(node) for node in walk(q))
    if context is not Context.RECENT:
        return False
    if lifespan(q).bounded:
        return True
    match q:
        case Then(left, right) | Aperiodic(left, right, _, False):
            return lifespan(right).bounded and _constant_state(left, context)
        case Star() | ThenBetween() | Delay() | Aperiodic() | Periodic():
            return False
        case AtLeast() | AtMost() | Exactly() | EveryNth() | Rank() | Last() | Absence():
            return False
        case _:
            return all(_constant_state(child, context) for child in q.children())


def _counts_for_ever(q: Pattern) -> bool:
    return isinstance(q, (*_COUNTING, Absence)) and not isinstance(q.interval, FixedInterval)


def further_back(q: Pattern) -> int | None:
    """How long before an interval that q lies in events of q can lie; None where nothing bounds it."""
    return _delays(q).length


def _delays(q: Pattern) -> Lifespan:
    """δ: how much further back than an enclosing limit the pattern reaches, on its worst path.

    Limits do not reach through a delay, `periodic` or `during`, so what lies under those counts with its own lifespan.
    """
    match q:
        case Delay() | Absence() | AtLeast() | AtMost() | Exactly() | EveryNth() | Rank() | Last():
            return lifespan(q)
        case Periodic(start, period, stop, _):
            return _plus(_larger(lifespan(start), lifespan(stop)), period, f"the period of {format_duration(period)}")
        case _:
            total = Lifespan(0, "")
            for child in q.children():
                total = _larger(total, _delays(child))
            return total


def _interval(interval: Interval) -> Lifespan:
    match interval:
        case FixedInterval():
            return _fixed(interval)
        case CalendarInterval(calendar):
            return Lifespan(calendar.length, f"the length of a {calendar.name}")
        case PatternInterval(pattern):
            return lifespan(pattern)


def interval_length(interval: Interval) -> int | None:
    """How long an instance of an interval can last; None where nothing bounds it."""
    match interval:
        case FixedInterval(start, end):
            return end - start
        case CalendarInterval(calendar):
            return calendar.length - 1
        case PatternInterval(pattern):
            return longest(pattern)


def _fixed(interval: FixedInterval) -> Lifespan:
    length = interval.end - interval.start
    return Lifespan(length, f"the interval of {format_duration(length)}", interval.end)


def _least(one: int | None, two: int | None) -> int | None:
    return two if one is None else one if two is None else min(one, two)


def _larger(one: Lifespan, two: Lifespan) -> Lifespan:
    if one.length is None or two.length is None:
        unbounded = one if one.length is None else two
        untils = [span.until for span in (one, two) if span.length is None]
        known = [until for until in untils if until is not None]
        return Lifespan(None, unbounded.source, max(known) if len(known) == len(untils) else None, unbounded.culprit)
    return one if one.length >= two.length else two


def _sum(one: Lifespan, two: Lifespan) -> Lifespan:
    if one.length is None or two.length is None:
        unbounded = two if two.length is None else one
        return Lifespan(None, unbounded.source, one.until if two.length is not None else None, unbounded.culprit)
    why = f"{one.source} + {two.source}" if two.length else one.source
    return Lifespan(one.length + two.length, why, one.until)


def _plus(span: Lifespan, duration: int, why: str) -> Lifespan:
    if span.length is None:
        return Lifespan(None, span.source, None, span.culprit)
    return Lifespan(span.length + duration, f"{span.source} + {why}" if span.length else why)
