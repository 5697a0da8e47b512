"""Random patterns and expressions, for every test that wants them.

What comes out is canonical: printing it and parsing the text gives it back. What the parser folds away (a minus sign
before a number, `time('…')` of a constant) is not generated.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from hypothesis import strategies as st

from ensue.algebra import scope
from ensue.algebra.expressions import (
    ARITHMETIC,
    COMPARISONS,
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
    PatternInterval,
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
from ensue.algebra.rewriting import map_parts
from ensue.language import Program, parse_program
from ensue.time import BUILT_IN_CALENDARS, UNITS, format_instant, parse_instant, to_instant

ODD_NAMES = ("odd name", "a-b", "in", "Last", "x`y", "7up", "é", "ns:T", "a.b", "a.in", "_", "create", "µs", "𝑥", "\n")
SECOND = 1_000_000

_texts = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["'", "''", '"', "--", "A%", "\\_", "?x"])
_moments = st.datetimes(datetime(1000, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001  # UTC is given
_instants = _moments.map(to_instant)
_durations = (
    st.integers(1, 10**6)
    | st.integers(1, 10_000).map(SECOND.__mul__)
    | st.integers(1, 9).map((86_400 * SECOND).__mul__)
)
_counts = st.integers(1, 4)
_unit = st.sampled_from(UNITS)


def names(*plain: str) -> st.SearchStrategy[str]:
    """Plain names mostly, and some that have to be quoted."""
    return st.sampled_from([*plain * 4, *ODD_NAMES])


class_names = names("A", "B", "C", "D")
attribute_names = names("x", "y", "user")
variable_names = names("u", "v", "w.x")

values = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | _texts
    | _moments
)


def expressions(
    leaves: st.SearchStrategy[Expression] | None = None, max_leaves: int = 6
) -> st.SearchStrategy[Expression]:
    """Conditions and values over the given leaves; without any, over attributes and variables."""
    names_and_literals = (attribute_names.map(Attribute) | variable_names.map(Variable)) if leaves is None else leaves
    return st.recursive(names_and_literals | values.map(Literal), _larger, max_leaves=max_leaves)


def _larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    not_null = inner.filter(lambda part: part != Literal(None))
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Compare, st.sampled_from(list(COMPARISONS)), not_null, not_null),
        st.builds(Arithmetic, st.sampled_from(ARITHMETIC), inner, inner),
        st.builds(Negative, inner.filter(_takes_a_sign)),
        st.builds(Both, inner, inner),
        st.builds(Either, inner, inner),
        st.builds(Not, inner),
        st.builds(OneOf, inner, some),
        st.builds(Like, inner, _texts),
        st.builds(IsNull, inner),
        st.builds(_call, st.sampled_from(sorted(FUNCTIONS.keys() - {"time"})), some),
    )


def _call(function: str, some: tuple[Expression, ...]) -> Expression:
    """A call with as many arguments as the function takes."""
    fewest, most, _ = FUNCTIONS[function]
    return Call(function, (some * 3)[: min(max(fewest, len(some)), most)])


def _takes_a_sign(operand: Expression) -> bool:
    """Whether a minus sign before it stays one; before a number it becomes part of the number."""
    match operand:
        case Literal(bool()):
            return True
        case Literal(int() | float() as number):
            return number < 0
        case _:
            return True


_conditions = st.none() | expressions(attribute_names.map(Attribute), max_leaves=3)
_bindings = st.lists(st.tuples(variable_names, attribute_names), max_size=2, unique=True).map(tuple)
_labels = st.none() | st.sampled_from(["p", "q", "odd label"])

atoms = st.builds(Atom, class_names, _conditions, _bindings, _labels)
"""One event, with conditions, variables and sometimes a label."""


def intervals(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Interval]:
    """Absolute intervals, calendars, and the occurrences of a pattern."""
    return fixed_intervals() | calendar_intervals() | inner.map(PatternInterval)


def fixed_intervals() -> st.SearchStrategy[FixedInterval]:
    return st.tuples(_instants, _instants).map(lambda pair: FixedInterval(min(pair), max(pair)))


def calendar_intervals() -> st.SearchStrategy[CalendarInterval]:
    return st.sampled_from(list(BUILT_IN_CALENDARS.values())).map(CalendarInterval)


@cache
def patterns(max_depth: int = 4) -> st.SearchStrategy[Pattern]:
    """Patterns with every operator, no deeper than this."""
    if max_depth <= 1:
        return atoms
    inner = st.deferred(lambda: patterns(max_depth - 1))
    return atoms | _combinations(inner) | _tests(inner) | _counts_in_intervals(inner)


def _combinations(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        *(st.builds(kind, inner, inner) for kind in (Or, And, Then, ThenBetween)),
        st.builds(Star, inner, inner, inner),
        st.builds(Aperiodic, inner, inner, inner, st.booleans()),
        st.builds(Periodic, inner, _durations, inner, st.booleans()),
        st.builds(Times, _counts, inner),
        st.builds(
            lambda n, operands, exactly: SomeOf(min(n, len(operands)), operands, exactly), _counts, some, st.booleans()
        ),
    )


def _tests(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    return st.one_of(
        st.builds(Without, inner, inner, st.booleans()),
        st.builds(Absence, inner, fixed_intervals() | calendar_intervals()),
        st.builds(Within, inner, _durations),
        st.builds(Inside, inner, fixed_intervals()),
        st.builds(Before, inner, _instants),
        st.builds(lambda operand, start: At(operand, *start), inner, _units()),
        st.builds(Delay, inner, _durations),
        st.builds(_filtered, inner, _filters),
    )


def _units() -> st.SearchStrategy[tuple[int, str]]:
    """The first instant of a unit of time, and the unit."""
    return st.builds(
        lambda moment, unit: (parse_instant(format_instant(to_instant(moment), unit)), unit), _moments, _unit
    )


_filters = expressions(st.integers(0, 3).map(lambda index: Variable(str(index))), max_leaves=4)


def _filtered(operand: Pattern, condition: Expression) -> Pattern:
    """A condition over the variables that the operand binds, in place of the numbered ones."""
    bound = sorted(scope(operand).sometimes)

    def named(part: Expression) -> Expression:
        if not isinstance(part, Variable):
            return part
        return Variable(bound[int(part.name) % len(bound)]) if bound else Literal(part.name)

    return Where(operand, map_parts(condition, named))


def _counts_in_intervals(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    return st.one_of(
        *(st.builds(kind, _counts, inner, intervals(inner)) for kind in (AtLeast, AtMost, Exactly, EveryNth, Rank)),
        st.builds(Last, inner, intervals(inner)),
    )


_SUBSCRIBED = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(k INT, x DOUBLE, t TIMESTAMP) ID (k){life};
CREATE SUBSCRIBED EVENT CLASS B(k INT, name TEXT) ID (k, name){life};
"""
_LENGTHS = ("1d", "2 hours", "90s", "250 ms", "1h 30m", "3 weeks")
_CONDITIONS = (
    "a.k = b.k", "a < b", "b <= a + {}", "b - {} > a.t", "MAX(a, b) < a.t", "b.name LIKE 'x''%'",
    "NOT EXISTS (SELECT 1 FROM A z WHERE z.k = a.k AND z BETWEEN a AND b + {})", "a.x IN (1, 2.5)", "b IS NOT NULL",
)  # fmt: skip
_CASES = ("CASE RETROACTIVECHANGE C", "CASE REVOKE R", "CASE LATE (0s, 1m) L", "CASE LATE (1m, 2h) `late one`")


@st.composite
def selecting_programs(draw: st.DrawFn) -> Program:
    """Programs with classes defined by SELECTs, read from texts in which every clause may stand."""
    length = st.sampled_from(_LENGTHS)
    time = st.recursive(
        st.sampled_from(["a", "b", "a.t", "`b`"]),
        lambda inner: st.one_of(
            st.builds("{} {} {}".format, inner, st.sampled_from("+-"), length),
            st.builds("{}({}, {})".format, st.sampled_from(["MAX", "min"]), inner, inner),
            st.builds("({})".format, inner),
        ),
        max_leaves=4,
    )
    conditions = [one.format(draw(length)) for one in draw(st.lists(st.sampled_from(_CONDITIONS), max_size=3))]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    when = draw(st.one_of(time, st.just("NOW"), st.builds("NOW + {}".format, length)))
    checks = draw(st.one_of(st.just(""), st.builds("CHECKING AT ({}, {}, {})".format, time, time, length)))
    cases = draw(st.lists(st.sampled_from(_CASES), unique=True))
    publish = draw(st.sampled_from(["", f"PUBLISH P {' '.join(cases)}", "ON TIME TOLERANCE 5s PUBLISH CASE REVOKE R"]))
    life = draw(st.sampled_from(["", " LIFESPAN (2d)", " LIFESPAN 3 hours"]))
    select = draw(st.sampled_from(["a.k, b.name", "b.name, a.k", "b.*", "a.k + 1, 'it''s' || b.name"]))
    return parse_program(
        f"{_SUBSCRIBED.format(life=life)} CREATE COMPLEX EVENT CLASS S(k INT, name TEXT, ID (k)) AS"
        f" SELECT {select} FROM A a JOIN B b ON a.k = b.k {where} OCCURRING AT {when} {checks} {publish};"
        f" CREATE COMPLEX EVENT CLASS D(k INT) AS DETECT S(k = ?k) then A(k = ?k) within 1 hour {publish};"
    )
