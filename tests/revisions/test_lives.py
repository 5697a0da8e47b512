"""From when to when complex events hold: at every step, what the definition derives there, however windows are cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.engine.cases import patterns
from tests.revisions.lives import at, held_by_definition, held_by_lives, last_of, saved, steps_of
from tests.revisions.test_equals_reference import KEYED
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

from ensue.algebra import Context, Pattern
from ensue.errors import StateError
from ensue.language import parse_pattern
from ensue.model import Taxonomy
from ensue.revisions.lives import Lives

FEWER = settings(max_examples=settings().max_examples // 8)
CUTS = st.frozensets(st.integers(0, 12))


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@FEWER
@given(
    q=keyed_patterns() | likely_patterns() | patterns(2),
    given_=busy_inputs() | inputs(),
    cuts=CUTS,
    every=st.integers(1, 3),
    restoring=st.booleans(),
)
def test_lives_are_what_holds_at_each_step(
    context: Context, q: Pattern, given_: Inputs, cuts: frozenset[int], every: int, restoring: bool
) -> None:
    declared = pattern_class(q, context)
    world = World(MUTABLE, (declared,), given_)
    between = saved(declared, every) if restoring else lambda lives: lives
    found = held_by_lives(declared, steps_of(world), cuts, last_of(given_), every, between)
    for step, held in held_by_definition(world).items():
        assert at(found, step) == held


@pytest.mark.parametrize("key", [("x",), ("x", "y")])
@FEWER
@given(given_=busy_inputs(), cuts=CUTS)
def test_lives_of_declared_keys(key: tuple[str, ...], given_: Inputs, cuts: frozenset[int]) -> None:
    declared = pattern_class(KEYED, Context.ALL, key=key)
    world = World(MUTABLE, (declared,), given_)
    found = held_by_lives(declared, steps_of(world), cuts, last_of(given_), 2, saved(declared, 2))
    for step, held in held_by_definition(world).items():
        assert at(found, step) == held


def test_a_state_of_another_kind_is_refused() -> None:
    one, two = (pattern_class(parse_pattern(f"A(v = ?x) then {name}(v = ?x) within 5 seconds")) for name in "BC")
    whole = pattern_class(parse_pattern("A then B within 5 seconds"))
    state = Lives(one, Taxonomy()).save()
    Lives(one, Taxonomy()).restore(state)
    refused = {
        "other patterns": (two, state),
        "another pattern": (whole, state),
        "version None": (one, Lives(one, Taxonomy())._derivation.detection.engine.save() + bytes(16)),
        "damaged": (one, state[:-20] + bytes(20)),
        "no saved state": (one, b"something else"),
    }
    for message, (declared, data) in refused.items():
        with pytest.raises(StateError, match=message):
            Lives(declared, Taxonomy()).restore(data)
