"""Shards, fed window by window through saved states, hold at each step what the definition derives there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import patterns
from tests.revisions.lives import held_by_definition, last_of, steps_of
from tests.revisions.worlds import (
    MUTABLE,
    Inputs,
    World,
    busy_inputs,
    inputs,
    keyed_patterns,
    likely_patterns,
    pattern_class,
)
from tests.spark.corrections.shard_runs import run

from ensue.algebra import Context, Pattern

FEWER = settings(max_examples=settings().max_examples // 10)
CUTS = st.frozensets(st.integers(0, 12))


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@FEWER
@given(q=keyed_patterns(), given_=busy_inputs(), cuts=CUTS, shards=st.integers(1, 3), every=st.integers(1, 3))
def test_shards_by_key(
    context: Context, q: Pattern, given_: Inputs, cuts: frozenset[int], shards: int, every: int
) -> None:
    declared = pattern_class(q, context)
    world = World(MUTABLE, (declared,), given_)
    found = run(declared, steps_of(world), cuts, last_of(given_), shards, "v", every)
    types = {one.key: one.type for one in given_ if hasattr(one, "key")}
    assert all(kind == types[name] for row in found.open.values() for kind, name in row.parts)
    for step, held in held_by_definition(world).items():
        assert found.at(step) == {e.key: (e.id, e.occurrence.begin, e.time) for e in held.values()}


@FEWER
@given(
    q=likely_patterns() | patterns(2),
    given_=busy_inputs() | inputs(),
    cuts=CUTS,
    every=st.integers(1, 3),
    context=st.sampled_from(list(Context)),
)
def test_one_shard(q: Pattern, given_: Inputs, cuts: frozenset[int], every: int, context: Context) -> None:
    """Without a key, and with timers: then every step of the window is made, and those at which something is due."""
    declared = pattern_class(q, context)
    world = World(MUTABLE, (declared,), given_)
    found = run(declared, steps_of(world), cuts, last_of(given_), 1, None, every)
    for step, held in held_by_definition(world).items():
        assert found.at(step) == {e.key: (e.id, e.occurrence.begin, e.time) for e in held.values()}
