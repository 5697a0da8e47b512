"""PEACE's Theorem 1: under its conditions, forgetting what has outlived its lifespan changes nothing that is published.

A1 the patterns are monotone; A2 their keys contain the keys of their constituents; B1 nothing is updated after its
lifespan; B2 the constituents of a complex event have overlapping lifespans.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import SECOND, TYPES
from tests.revisions.test_cases_of_publication import Line, announce, change, lines, retract
from tests.revisions.worlds import Inputs, World, cuts, inputs, pattern_class

from ensue.algebra import Context, Pattern, patterns as pt
from ensue.algebra.bounds import lifespan
from ensue.algebra.classes import PatternClass
from ensue.language import parse_pattern
from ensue.model.announcements import Announcement, Clock, Outcome, SubscribedClass
from ensue.reference import purge_by_lifespan

FEWER = settings(max_examples=settings().max_examples // 4)


def monotone() -> st.SearchStrategy[Pattern]:
    """A1: more events never make less. A2 holds for every class whose key is the occurrence's id."""
    atom = st.builds(pt.Atom, st.sampled_from(TYPES), st.none(), st.sampled_from([(), (("x", "v"),)]))
    pairs = st.one_of([st.builds(node, atom, atom) for node in (pt.Then, pt.And, pt.Or)])
    return st.builds(pt.Within, st.one_of(pairs, st.builds(pt.Then, pairs, atom)), st.integers(1, 4).map(_seconds))


def _seconds(count: int) -> int:
    return count * SECOND


def timely(given_: Inputs, span: int) -> Inputs:
    """B1: leave out what would update an event after its lifespan, whichever version of it one looks at."""
    earliest = {
        one.key: min(o.time for o in given_ if isinstance(o, Announcement) and o.key == one.key and o.time is not None)
        for one in given_
        if isinstance(one, Announcement)
    }
    in_order = sorted((one for one in given_ if isinstance(one, Announcement)), key=lambda one: one.detected)
    kept = [one for one in in_order if one.detected <= earliest[one.key] + span]
    return (*kept, Clock(40 * SECOND))


@FEWER
@given(q=monotone(), given_=inputs(), at=cuts(), span=st.integers(4, 9))
def test_theorem_1(q: Pattern, given_: Inputs, at: frozenset[int], span: int) -> None:
    """B2: β is no longer than the lifespan, so the lifespans of constituents overlap."""
    subscribed = tuple(SubscribedClass(name, True, span * SECOND) for name in TYPES)
    beta = lifespan(q).length
    assert beta is not None
    assert beta <= span * SECOND
    world = World(subscribed, (pattern_class(q, "all"),), timely(given_, span * SECOND), at)
    ideal = world.reference()
    assert Outcome.EXPIRED not in ideal.outcomes
    assert world.reference(purge_by_lifespan(subscribed, beta)).notices == ideal.notices
    assert world.run(world.corrections(every=1, purging=True)) == ideal.notices


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@FEWER
@given(q=monotone(), excluded=st.sampled_from(TYPES), given_=inputs(), at=cuts(), span=st.integers(1, 9))
def test_corrections_purge_without_a_trace_for_every_pattern(
    context: Context, q: Pattern, excluded: str, given_: Inputs, at: frozenset[int], span: int
) -> None:
    """What is kept is the engine's state, not only events: so A1 and B2 are not needed, and B1 is seen to."""
    subscribed = tuple(SubscribedClass(name, True, span * SECOND) for name in TYPES)
    for pattern in (q, pt.Without(q, pt.Atom(excluded))):
        world = World(subscribed, (pattern_class(pattern, context),), timely(given_, span * SECOND), at)
        assert world.run(world.corrections(every=1, purging=True)) == world.reference().notices


def test_a_state_that_does_not_grow() -> None:
    """An endless stream, now and then corrected: what is kept has a size that does not depend on how long it runs."""
    subscribed = tuple(SubscribedClass(name, True, 20 * SECOND) for name in "AB")
    declared = pattern_class(parse_pattern("A then B within 5 seconds"), "chronicle")
    corrections = World(subscribed, (declared,), ()).corrections(every=8, purging=True)
    sizes = []
    for second in range(400):
        batch = [announce("AB"[second % 2], f"e{second}", second, second)]
        if second % 10 == 9:
            batch.append(change("AB"[(second - 4) % 2], f"e{second - 4}", second - 3, second))
        corrections.feed(batch)
        sizes.append(corrections.size + len(corrections.published))
    assert max(sizes[200:]) <= max(sizes[:200])
    assert max(sizes) < 150


STEP = "a retraction of nothing: it makes a step, after which what has expired is forgotten"


def idealized_and_purging(
    declared: PatternClass, spans: dict[str, int], inputs_: Inputs, beta: int = 0
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """What is published by the definition, and what is published if events are purged by their lifespans alone."""
    subscribed = tuple(SubscribedClass(name, True, span * SECOND) for name, span in spans.items())
    world = World(subscribed, (declared,), (*inputs_, Clock(40 * SECOND)))
    purging = world.reference(purge_by_lifespan(subscribed, beta))
    return lines(world.reference().notices), lines(purging.notices)


def test_without_a1_a_forgotten_event_excludes_nothing_any_more() -> None:
    declared = pattern_class(parse_pattern("B then B without A within 1 hour"), "all")
    inputs_ = (
        announce("B", "b1", 1, 1),
        announce("A", "a", 2, 2),
        retract("A", STEP, 15),
        announce("B", "b2", 20, 20),
    )
    spans = {"A": 5, "B": 30}
    assert idealized_and_purging(declared, spans, inputs_) == ((), ((20, "on time", 20),))
    assert idealized_and_purging(declared, spans, inputs_, beta=3600 * SECOND) == ((), ())


def test_without_a2_a_forgotten_occurrence_does_not_stand_again() -> None:
    declared = pattern_class(parse_pattern("B(k = ?k, n = ?n)"), "all", key=("k",))
    inputs_ = (
        announce("B", "b1", 1, 1, k=7, n=1),
        announce("B", "b2", 9, 9, k=7, n=2),
        retract("B", STEP, 14),
        retract("B", "b2", 15),
    )
    first = ((1, "on time", 1), (9, "change", 9))
    ideal, purging = idealized_and_purging(declared, {"B": 10}, inputs_)
    assert ideal == (*first, (15, "change", 1))
    assert purging == (*first, (15, "revoke", 9))


def test_without_b1_a_correction_comes_after_the_lifespan_and_is_refused() -> None:
    """Not even the definition takes it, so that what is published does not depend on what happens to be kept."""
    declared = pattern_class(parse_pattern("B"), "all")
    inputs_ = (announce("B", "b", 1, 1), change("B", "b", 2, 12), Clock(40 * SECOND))
    for span, published in ((10, ((1, "on time", 1),)), (11, ((1, "on time", 1), (12, "change", 2)))):
        world = World((SubscribedClass("B", True, span * SECOND),), (declared,), inputs_)
        told = world.reference()
        assert lines(told.notices) == published
        assert told.outcomes[Outcome.EXPIRED] == (span == 10)
        assert world.run(world.corrections(purging=True)) == told.notices


def test_without_b2_a_constituent_is_gone_before_the_other_comes() -> None:
    declared = pattern_class(parse_pattern("A then B within 1 hour"), "all")
    inputs_ = (announce("A", "a", 1, 1), retract("A", STEP, 14), announce("B", "b", 20, 20))
    spans = {"A": 10, "B": 10}
    found = ((20, "on time", 20),)
    assert idealized_and_purging(declared, spans, inputs_) == (found, ())
    assert idealized_and_purging(declared, spans, inputs_, beta=3600 * SECOND) == (found, found)
