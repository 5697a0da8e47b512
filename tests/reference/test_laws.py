"""The laws of the algebra in context `all`, for every kind of operand, on the reference and on the engine.

What looks like a law and is none stands in test_no_laws.py, with a counter-example each.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, fixed_intervals, histories, patterns
from tests.reference.saying import FEWER, everything

from ensue.algebra import Pattern, walk
from ensue.algebra.patterns import And, Before, FixedInterval, Inside, Or, SomeOf, Then, Times, Within, Without
from ensue.model import Event

OPERANDS = patterns(1)
Law = Callable[[Pattern, Pattern, Pattern], tuple[Pattern, Pattern]]

LAWS: dict[str, Law] = {
    "or is commutative": lambda a, b, _: (Or(a, b), Or(b, a)),
    "or is associative": lambda a, b, c: (Or(Or(a, b), c), Or(a, Or(b, c))),
    "or is idempotent": lambda a, _, __: (Or(a, a), a),
    "and is commutative": lambda a, b, _: (And(a, b), And(b, a)),
    "and is associative": lambda a, b, c: (And(And(a, b), c), And(a, And(b, c))),
    "and distributes over or": lambda a, b, c: (And(a, Or(b, c)), Or(And(a, b), And(a, c))),
    "then is associative": lambda a, b, c: (Then(Then(a, b), c), Then(a, Then(b, c))),
    "then distributes over or on its left": lambda a, b, c: (Then(Or(a, b), c), Or(Then(a, c), Then(b, c))),
    "then distributes over or on its right": lambda a, b, c: (Then(a, Or(b, c)), Or(Then(a, b), Then(a, c))),
    "without distributes over or on its left": lambda a, b, c: (Without(Or(a, b), c), Or(Without(a, c), Without(b, c))),
    "to exclude either is to exclude each": lambda a, b, c: (Without(a, Or(b, c)), Without(Without(a, b), c)),
    "exclusions have no order": lambda a, b, c: (Without(Without(a, b), c), Without(Without(a, c), b)),
    "one of several is or": lambda a, b, c: (SomeOf(1, (a, b, c)), Or(Or(a, b), c)),
    "all of several is and": lambda a, b, c: (SomeOf(3, (a, b, c)), And(And(a, b), c)),
    "exactly all of several is and": lambda a, b, _: (SomeOf(2, (a, b), exactly=True), And(a, b)),
    "the operands of m of n have no order": lambda a, b, c: (SomeOf(2, (a, b, c)), SomeOf(2, (c, a, b))),
    "once is each": lambda a, _, __: (Times(1, a), a),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
@FEWER
@given(a=OPERANDS, b=OPERANDS, c=OPERANDS, events=histories(8))
def test_law(law: Law, a: Pattern, b: Pattern, c: Pattern, events: tuple[Event, ...]) -> None:
    left, right = law(a, b, c)
    assert everything(left, events) == everything(right, events)


@FEWER
@given(q=patterns(2), events=histories())
def test_nothing_happens_without_itself(q: Pattern, events: tuple[Event, ...]) -> None:
    assert everything(Without(q, q), events) == set()


NO_RUNS = patterns(2).filter(lambda q: not any(isinstance(part, Times) for part in walk(q)))
"""Under `times` a limit decides what is successive: see test_no_laws.py."""


@FEWER
@given(q=NO_RUNS, length=st.integers(0, 9), events=histories())
def test_within_takes_what_is_short_enough(q: Pattern, length: int, events: tuple[Event, ...]) -> None:
    """So it is monotone: a longer limit gives what a shorter one gives, and more."""
    limit = length * SECOND
    assert everything(Within(q, limit), events) == {o for o in everything(q, events) if o.end - o.begin <= limit}


@FEWER
@given(q=NO_RUNS, window=fixed_intervals(), events=histories())
def test_in_and_before_take_what_lies_inside(q: Pattern, window: FixedInterval, events: tuple[Event, ...]) -> None:
    """So they are monotone: a larger window gives what a smaller one gives, and more."""
    early = {o for o in everything(q, events) if o.end <= window.end}
    assert everything(Before(q, window.end), events) == early
    assert everything(Inside(q, window), events) == {o for o in early if window.start <= o.begin}
