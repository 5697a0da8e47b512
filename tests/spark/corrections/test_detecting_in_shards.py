"""Shards, fed window by window through saved states, hold at each step what the definition derives there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import SECOND, TYPES, patterns
from tests.revisions.lives import announced, held_by_definition, last_of, steps_of
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
from ensue.language import parse_pattern
from ensue.model import Event, Taxonomy
from ensue.model.announcements import SubscribedClass
from ensue.revisions.lives import Lives
from ensue.revisions.stretches import Step
from ensue.revisions.versions import Change

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
    types = {one.key: one.type for one in announced(given_)}
    assert all(kind == types[name] for row in (*found.open.values(), *found.ended) for kind, name in row.parts)
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


@FEWER
@given(
    q=keyed_patterns() | likely_patterns(),
    given_=busy_inputs(),
    cuts=CUTS,
    every=st.integers(1, 3),
    span=st.sampled_from([2, 4, 6]),
    context=st.sampled_from(list(Context)),
)
def test_what_is_final_never_changes(
    q: Pattern, given_: Inputs, cuts: frozenset[int], every: int, span: int, context: Context
) -> None:
    """What is forgotten goes on to hold by the definition, as it was when it was forgotten."""
    declared = pattern_class(q, context)
    subscribed = tuple(SubscribedClass(name, True, span * SECOND) for name in TYPES)
    world = World(subscribed, (declared,), given_)
    found = run(declared, steps_of(world), cuts, last_of(given_), 1, None, every, span * SECOND)
    for step, held in held_by_definition(world).items():
        assert found.at(step) == {e.key: (e.id, e.occurrence.begin, e.time) for e in held.values()}


def test_a_state_that_does_not_grow() -> None:
    """A stream in which now and then something is corrected: states and lives stay as small as they were."""
    declared = pattern_class(parse_pattern("A(v = ?x) then B(v = ?x) within 5 seconds"), "chronicle")
    lives, sizes, final = Lives(declared, Taxonomy(), 8), [], 0
    for second in range(0, 400, 5):
        steps: list[Step] = []
        for now in range(second, second + 5):
            changes = [Change(None, Event(f"e{now}", "AB"[now % 2], now * SECOND, {"v": now // 2 % 3}))]
            if now % 10 == 9:
                old = Event(f"e{now - 5}", "A", (now - 5) * SECOND, {"v": (now - 5) // 2 % 3})
                changes.append(Change(old, None))
            steps.append((now * SECOND, changes))
        at = second // 10 * 10 * SECOND
        final += len(lives.forget(at, at - 20 * SECOND))
        lives.window(steps, (second + 4) * SECOND)
        sizes.append((lives.size, len(lives.save())))
    assert final > 50
    assert max(size for size, _ in sizes[40:]) <= max(size for size, _ in sizes[:40])
    assert max(size for _, size in sizes[40:]) <= 1.1 * max(size for _, size in sizes[:40])
