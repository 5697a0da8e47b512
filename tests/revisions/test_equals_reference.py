"""Corrections are right when they publish, step by step, what the definition publishes, however they are fed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import SECOND, TYPES, patterns
from tests.revisions.worlds import EVERY_DELAY, MUTABLE, Inputs, World, cuts, inputs, likely_patterns, pattern_class

from ensue.algebra import Context, Pattern, patterns as pt
from ensue.model.announcements import SubscribedClass
from ensue.model.publications import Case, Publication

FEWER = settings(max_examples=settings().max_examples // 4)

SOME_DELAYS = (
    Publication("found", Case.ON_TIME),
    Publication("a bit late", Case.LATE, 0, 3 * SECOND),
    Publication("late", Case.LATE, 2 * SECOND, 5 * SECOND),
    Publication("withdrawn", Case.REVOKE),
)


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@FEWER
@given(
    q=likely_patterns() | patterns(2),
    given_=inputs(),
    at=cuts(),
    delay=st.sampled_from([0, 3, 20]),
    every=st.integers(1, 3),
    cases=st.sampled_from([EVERY_DELAY, SOME_DELAYS]),
    tolerance=st.sampled_from([0, 0, 2]),
)
def test_corrections_equal_the_reference(
    context: Context,
    q: Pattern,
    given_: Inputs,
    at: frozenset[int],
    delay: int,
    every: int,
    cases: tuple[Publication, ...],
    tolerance: int,
) -> None:
    declared = pattern_class(q, context, cases=cases, tolerance=tolerance * SECOND)
    world = World(MUTABLE, (declared,), given_, at)
    expected = world.reference()
    corrections = world.corrections(delay=delay * SECOND, every=every)
    assert world.run(corrections) == expected.notices
    assert corrections.outcomes == expected.outcomes
    assert corrections.published == expected.standing


@FEWER
@given(given_=inputs(), at=cuts(), mutable=st.tuples(*[st.booleans()] * 3), span=st.sampled_from([None, 2, 6]))
def test_every_announcement_has_the_same_outcome(
    given_: Inputs, at: frozenset[int], mutable: tuple[bool, ...], span: int | None
) -> None:
    """Immutable classes and lifespans, too."""
    lifespan = None if span is None else span * SECOND
    subscribed = tuple(SubscribedClass(n, m, lifespan) for n, m in zip(TYPES[:2], mutable, strict=False))
    q = pt.Within(pt.Then(pt.Atom("A", None, (("x", "v"),)), pt.Atom("B")), 5 * SECOND)
    world = World(subscribed, (pattern_class(q, "all"),), given_, at)
    expected, corrections = world.reference(), world.corrections()
    assert world.run(corrections) == expected.notices
    assert corrections.outcomes == expected.outcomes


@pytest.mark.parametrize("context", [Context.RECENT, Context.CHRONICLE], ids=lambda c: c.value)
@FEWER
@given(
    lower=likely_patterns() | patterns(1), upper=patterns(1), given_=inputs(), at=cuts(), delay=st.sampled_from([0, 3])
)
def test_classes_upon_classes(
    context: Context, lower: Pattern, upper: Pattern, given_: Inputs, at: frozenset[int], delay: int
) -> None:
    first = pattern_class(lower, context, "L")
    second = pattern_class(pt.Within(pt.Then(upper, pt.Atom("L")), 6 * SECOND), context, "U")
    world = World(MUTABLE, (first, second), given_, at)
    assert world.run(world.corrections(delay=delay * SECOND)) == world.reference().notices


KEYED = pt.Within(pt.Then(pt.Atom("A", None, (("x", "v"),)), pt.Atom("B", None, (("y", "v"),))), 6 * SECOND)


@pytest.mark.parametrize("key", [("x",), ("x", "y")])
@pytest.mark.parametrize("context", [Context.ALL, Context.CONTINUOUS], ids=lambda c: c.value)
@FEWER
@given(given_=inputs(), at=cuts())
def test_declared_keys(context: Context, key: tuple[str, ...], given_: Inputs, at: frozenset[int]) -> None:
    world = World(MUTABLE, (pattern_class(KEYED, context, key=key),), given_, at)
    assert world.run(world.corrections()) == world.reference().notices
