"""From syntax trees to patterns. Each rule of patterns.lark has one method here, with its name.

What stands before or behind an operand (`3 times`, `within 2 minutes`, `[F]`) becomes a function from pattern to
pattern, which the operand is then given to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ensue.algebra.patterns import (
    Absence,
    And,
    Aperiodic,
    At,
    AtLeast,
    AtMost,
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
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Times,
    Within,
    Without,
)
from ensue.errors import PatternError, near
from ensue.language.conditions import ConditionBuilder
from ensue.language.moments import read_point, read_subscript
from ensue.time import Calendar

if TYPE_CHECKING:
    from collections.abc import Callable

    from lark import Token, Tree

    from ensue.language.source import Place

_COUNTED = {"ATLEAST": AtLeast, "ATMOST": AtMost, "EXACTLY": Exactly, "EVERY": EveryNth, "WITHRANK": Rank}


@dataclass(frozen=True, slots=True)
class Negated:
    """`!B`: no pattern by itself; a conjunction or a sequence takes it up."""

    pattern: Pattern
    place: Place


@dataclass(frozen=True, slots=True)
class Starred:
    """`B*`: no pattern by itself; a sequence takes it up."""

    pattern: Pattern
    place: Place


class PatternBuilder(ConditionBuilder):
    """Builds patterns."""

    def pattern(self, tree: Tree[Token]) -> Pattern:
        """The pattern that a whole tree stands for."""
        return self.plain(self.build(tree))

    def plain(self, value: Any) -> Pattern:
        """A pattern that stands by itself; reports a negation or a star that does not belong there."""
        match value:
            case Negated(pattern, place):
                message = "a negation can only stand beside something that happens"
                hint = (
                    "write `A and !B`, `A then !B then C`, or `without {B} during …` for an interval; where"
                    " nothing comes after A: `A(id = ?a) then A(id = ?a) + 1 hour without B within 1 hour`,"
                    " by what only one A has"
                )
                self.source.report("E231", message, place, hint=hint)
                return pattern
            case Starred(pattern, place):
                message = "a star can only stand between two others"
                self.source.report("E230", message, place, hint="write `A then B* then C`")
                return pattern
            case _:
                return value  # type: ignore[no-any-return]  # whatever is no marker is a pattern

    # tests

    def make_tested(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        result, *tests = values
        result = self.plain(result)
        for test in tests:
            result = test(result)
        return result  # type: ignore[no-any-return]  # tests are functions from pattern to pattern

    def make_without(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        excluded = self.plain(values[-1])
        return lambda operand: Without(operand, excluded)

    def make_within(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: Within(operand, values[-1])

    def make_inside(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: Inside(operand, values[-1])

    def make_before(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: Before(operand, values[-1][0])

    def make_where(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: self.where(operand, values[-1])

    # chains

    def make_sequence(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        """From left to right; what is starred or negated waits for what follows it."""
        first, *rest = _operands(values)
        result = self.plain(first)
        middle: list[Negated | Starred] = []
        for value in rest:
            if isinstance(value, (Negated, Starred)):
                middle.append(value)
            else:
                result = self._joined(result, middle, value)
                middle = []
        for marker in middle:
            self.plain(marker)
        return result

    def make_alternative(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        return self._nested(Or, _operands(values))

    def make_conjunction(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        """From left to right; a negation is taken from what stands before it, or else from what first follows."""
        result: Pattern | None = None
        waiting: list[Negated] = []
        for value in _operands(values):
            if isinstance(value, Negated):
                waiting.append(value)
            else:
                operand = self.plain(value)
                result = operand if result is None else And(result, operand)
            if result is not None:
                for negated in waiting:
                    result = Without(result, negated.pattern, since_firing=True)
                waiting = []
        return result or self.plain(waiting[0])

    def _joined(self, left: Pattern, middle: list[Negated | Starred], right: Pattern) -> Pattern:
        if not middle:
            return Then(left, right)
        if len(middle) == 1 and isinstance(middle[0], Starred):
            return Star(left, middle[0].pattern, right)
        negated = [marker for marker in middle if isinstance(marker, Negated)]
        for marker in middle:
            if isinstance(marker, Starred):
                self.plain(marker)
        return Aperiodic(left, right, self._nested(Or, [marker.pattern for marker in negated])) if negated else left

    def _nested(self, kind: type[Or | And | Then | ThenBetween], values: list[Any]) -> Pattern:
        result, *rest = [self.plain(value) for value in values]
        for operand in rest:
            result = kind(result, operand)
        return result

    # what stands before or behind an operand

    def make_prefixed(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        *prefixes, result = values
        for prefix in reversed(prefixes):
            result = prefix(result)
        return result  # type: ignore[no-any-return]  # prefixes are functions from pattern to pattern

    def make_postfixed(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        result, *postfixes = values
        for postfix in postfixes:
            result = postfix(result)
        return result  # type: ignore[no-any-return]  # postfixes are functions from pattern to pattern

    def make_times(self, tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: self._checked(tree, Times, self._count(values[0]), self.plain(operand))

    def make_at(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: At(self.plain(operand), *values[-1])

    def make_by(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: Before(self.plain(operand), values[-1][0])

    def make_between_times(self, tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        interval = self._fixed(tree, values[-2][0], values[-1][0])
        return lambda operand: Inside(self.plain(operand), interval)

    def make_negation(self, tree: Tree[Token], _values: list[Any]) -> Callable[[Pattern], Negated]:
        return lambda operand: Negated(self.plain(operand), tree.meta)

    def make_delay(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: Delay(self.plain(operand), values[-1])

    def make_subscript(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        try:
            duration = read_subscript(values[0])
        except ValueError as error:
            self.source.report("E221", str(error), values[0])
            duration = 1
        return lambda operand: Within(self.plain(operand), duration)

    def make_filter(self, _tree: Tree[Token], values: list[Any]) -> Callable[[Pattern], Pattern]:
        return lambda operand: self.filtered(self.plain(operand), values[0])

    def make_star(self, tree: Tree[Token], _values: list[Any]) -> Callable[[Pattern], Starred]:
        return lambda operand: Starred(self.plain(operand), tree.meta)

    # what carries its own brackets

    def make_patterns(self, _tree: Tree[Token], values: list[Any]) -> list[Pattern]:
        return [self.plain(value) for value in values]

    def make_any_of(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        return self._nested(Or, values[-1])

    def make_all_of(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        return self._nested(And, values[-1])

    def make_in_turn(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        return self._nested(Then, values[-1])

    def make_in_turn_with_between(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        return self._nested(ThenBetween, values[-1])

    def make_repeated(self, tree: Tree[Token], values: list[Any]) -> Pattern:
        return self._checked(tree, Times, self._count(values[0]), self.plain(values[-1]))

    def make_some_of(self, tree: Tree[Token], values: list[Any]) -> Pattern:
        count = next(value for value in values if _type(value) == "NUMBER")
        return self._checked(tree, SomeOf, self._count(count), tuple(values[-1]), values[0].type == "EXACTLY")

    def make_absence(self, tree: Tree[Token], values: list[Any]) -> Pattern:
        _word, excluded, _during, interval = values
        if isinstance(interval, PatternInterval):
            return Without(interval.pattern, self.plain(excluded))
        return self._checked(tree, Absence, self.plain(excluded), interval)

    def make_counted(self, tree: Tree[Token], values: list[Any]) -> Pattern:
        word, count, *_times, operand, _during, interval = values
        return self._checked(tree, _COUNTED[word.type], self._count(count), self.plain(operand), interval)

    def make_last(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        _word, operand, _during, interval = values
        return Last(self.plain(operand), interval)

    def make_aperiodic(self, _tree: Tree[Token], values: list[Any]) -> Pattern:
        start, body, stop = map(self.plain, values[-3:])
        return Aperiodic(start, body, stop, collected=_has_star(values))

    def make_periodic(self, tree: Tree[Token], values: list[Any]) -> Pattern:
        start, period, stop = values[-3:]
        return self._checked(tree, Periodic, self.plain(start), period, self.plain(stop), _has_star(values))

    # times and intervals

    def make_point(self, tree: Tree[Token], values: list[Any]) -> tuple[int, str]:
        try:
            return read_point(values)
        except ValueError as error:
            hint = "write it like 2026-07-10T09:20:00Z, or year month day hour minute second in brackets"
            self.source.report("E220", str(error), tree.meta, hint=hint)
            return 0, "second"

    def make_range(self, tree: Tree[Token], values: list[Any]) -> Interval:
        return self._fixed(tree, values[0][0], values[-1][0])

    def make_calendar(self, _tree: Tree[Token], values: list[Any]) -> Interval:
        name = values[0]
        found = self.environment.calendars.get(name)
        if found is None:
            known = self.environment.calendars
            hint = near(name, known) or f"the calendars are {', '.join(known)}"
            self.source.report("E306", f"there is no calendar {name!s}", name, hint=hint)
        return CalendarInterval(found or Calendar(str(name)))

    def make_occurrences(self, _tree: Tree[Token], values: list[Any]) -> Interval:
        return PatternInterval(self.plain(values[0]))

    def _fixed(self, tree: Tree[Token], start: int, end: int) -> FixedInterval:
        try:
            return FixedInterval(start, end)
        except PatternError as error:
            self.source.report_again(error, tree.meta)
            return FixedInterval(end, start)

    def _count(self, token: Token) -> int:
        number = self.number(token)
        if isinstance(number, int):
            return number
        self.source.report("E212", f"{token!s} is not a whole number", token)
        return 1

    def _checked(self, tree: Tree[Token], make: Callable[..., Pattern], *arguments: Any) -> Pattern:
        """A node, with what the algebra refuses reported at its place; then its operands go on without it."""
        try:
            return make(*arguments)
        except PatternError as error:
            self.source.report_again(error, tree.meta)
            found = [argument for argument in arguments if isinstance(argument, (Pattern, tuple))]
            return self._nested(And, list(found[0]) if isinstance(found[0], tuple) else found)


def _operands(values: list[Any]) -> list[Any]:
    return [value for value in values if not isinstance(value, str)]


def _has_star(values: list[Any]) -> bool:
    return any(_type(value) == "STAR" for value in values)


def _type(value: Any) -> str | None:
    return getattr(value, "type", None)
