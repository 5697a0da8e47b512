"""Detection key by key: a correction of one key is none of the others' business."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import SECOND, TYPES
from tests.revisions.test_cases_of_publication import announce, retract
from tests.revisions.test_purging import timely
from tests.revisions.worlds import MUTABLE, Inputs, World, busy_inputs, cuts, keyed_patterns, pattern_class

from ensue.algebra import Context, Pattern
from ensue.language import parse_pattern
from ensue.model import Taxonomy
from ensue.model.announcements import Clock, SubscribedClass
from ensue.revisions.by_key import KeyedDetection
from ensue.revisions.deriving import detection_of

FEWER = settings(max_examples=settings().max_examples // 8)


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@FEWER
@given(
    q=keyed_patterns(),
    given_=busy_inputs(),
    at=cuts(),
    every=st.integers(1, 3),
    delay=st.sampled_from([0, 0, 3]),
)
def test_corrections_by_key_equal_the_reference(
    context: Context, q: Pattern, given_: Inputs, at: frozenset[int], every: int, delay: int
) -> None:
    declared = pattern_class(q, context)
    assert isinstance(detection_of(declared, Taxonomy()), KeyedDetection)
    world = World(MUTABLE, (declared,), given_, at)
    assert world.run(world.corrections(every=every, delay=delay * SECOND)) == world.reference().notices


@pytest.mark.parametrize("limit", ["_MANY", "_LONG"])
@FEWER
@given(q=keyed_patterns(), given_=busy_inputs(), at=cuts(), every=st.integers(1, 3), context=st.sampled_from(Context))
def test_what_is_done_for_many_keys_and_for_busy_ones_changes_nothing(
    limit: str, q: Pattern, given_: Inputs, at: frozenset[int], every: int, context: Context
) -> None:
    """Many keys apart: everything is detected anew. A busy key: how far a correction reaches is looked for."""
    world = World(MUTABLE, (pattern_class(q, context),), given_, at)
    with mock.patch(f"ensue.revisions.by_key.{limit}", -1):
        assert world.run(world.corrections(every=every)) == world.reference().notices


@FEWER
@given(
    q=keyed_patterns(),
    given_=busy_inputs(),
    at=cuts(),
    every=st.integers(1, 3),
    span=st.integers(1, 6),
    context=st.sampled_from(Context),
)
def test_purging_leaves_no_trace(
    q: Pattern, given_: Inputs, at: frozenset[int], every: int, span: int, context: Context
) -> None:
    subscribed = tuple(SubscribedClass(name, True, span * SECOND) for name in TYPES)
    world = World(subscribed, (pattern_class(q, context),), timely(given_, span * SECOND), at)
    assert world.run(world.corrections(every=every, purging=True)) == world.reference().notices


def test_a_correction_asks_for_the_events_of_its_key_alone() -> None:
    """Of a hundred keys one is corrected: the others are not detected anew."""
    declared = pattern_class(parse_pattern("A(v = ?x) then B(v = ?x) within 5 seconds"), "chronicle")
    inputs = [announce("AB"[i % 2], f"e{i}", i, i, v=i // 2 % 100) for i in range(2000)]
    late = [retract("A", "e1000", 2000), announce("B", "late", 1499, 2001, v=50)]
    world = World(MUTABLE, (declared,), (*inputs, *late, Clock(3000 * SECOND)))
    corrections = world.corrections(every=100)
    told = world.run(corrections)
    assert len([one for one in told if one.detected >= 2000 * SECOND]) == 1
    assert 0 < corrections.anew <= 200
