"""Detection key by key: a correction of one key is none of the others' business."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import SECOND
from tests.revisions.worlds import MUTABLE, Inputs, World, busy_inputs, cuts, keyed_patterns, pattern_class

from ensue.algebra import Context, Pattern
from ensue.model import Taxonomy
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
