"""Atoms that ask for a value are looked up by it: whoever would take an event gets it, and few others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND

from ensue.algebra import Context, Pattern
from ensue.algebra.building import attr, event as atom, var
from ensue.algebra.expressions import Literal
from ensue.engine.immediate import Runtime
from ensue.engine.immediate.runtime import occurrence
from ensue.model import Event, Occurrence, Value
from ensue.reference import evaluate

CONTEXTS = [context for context in Context if context is not Context.LATEST]
VALUES: Sequence[Any] = (
    *(0, 1, 1.0, -0.0, 2.5, 2**53, 2**53 + 1, float(2**53), True, False, "", "1", "a"),
    datetime(2026, 7, 10, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
)
"""Of all kinds; some are equal, and some only look like it."""


def rules() -> st.SearchStrategy[Pattern]:
    value = st.sampled_from(VALUES)
    side = st.one_of(
        st.builds(lambda name, k: atom(name, k=k), st.sampled_from("AB"), value),
        st.builds(lambda name, m, k: atom(name, m=m, k=k), st.sampled_from("AB"), value, value),
        st.builds(lambda name, m: atom(name, m=m, k=var.x), st.sampled_from("AB"), value),
        st.builds(lambda name, k: atom(name, (attr.k == k) | (attr.m == k)), st.sampled_from("AB"), value),
        st.builds(lambda name, k: atom(name, attr.k == Literal(None), m=k), st.sampled_from("AB"), value),
        st.sampled_from("AB").map(atom),
    )
    return st.one_of(
        side,
        st.builds(lambda left, right: (left >> right).within(9 * SECOND / 1e6), side, side),
        st.builds(lambda left, right: left | right, side, side),
        st.builds(lambda left, other: left.without(other), side, side),
    )


def histories() -> st.SearchStrategy[list[Event]]:
    given = st.tuples(
        st.sampled_from("ABC"), st.one_of(st.none(), st.sampled_from(VALUES)), st.sampled_from(VALUES), st.booleans()
    )

    def made(rows: list[tuple[str, Any, Any, bool]]) -> list[Event]:
        time, events = 0, []
        for number, (name, k, m, later) in enumerate(rows):
            time += SECOND if later else 0
            events.append(Event(f"e{number}", name, time, {"k": k, "m": m}))
        return events

    return st.lists(given, max_size=12).map(made)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda c: c.value)
@given(patterns=st.lists(rules(), min_size=1, max_size=8), history=histories())
def test_many_patterns_find_what_each_finds_alone(context, patterns, history):
    named = {str(number): (pattern, context) for number, pattern in enumerate(patterns)}
    runtime = Runtime(named)
    found: dict[str, list[Occurrence]] = {name: [] for name in named}
    for time in dict.fromkeys(event.time for event in history):
        for name, part in runtime.feed_instant([event for event in history if event.time == time]):
            found[name].append(occurrence(part))
    assert found == {name: evaluate(pattern, history, context) for name, (pattern, _) in named.items()}


def test_an_event_reaches_only_the_rules_of_its_value():
    rules = {str(key): ((atom("A", k=key) >> atom("B", k=key)).within(60), Context.CHRONICLE) for key in range(1000)}
    rules["any"] = (atom("A", m=1), Context.CHRONICLE)
    runtime = Runtime(rules)
    way = runtime._ways.of(Event("e", "A", 0, {"k": 7, "m": 2}))
    assert len(way.leaves) == 1
    assert {name for name, _ in way.roots} == {"7"}
    both = runtime._ways.of(Event("e", "A", 0, {"k": 7, "m": 1}))
    assert {name for name, _ in both.roots} == {"7", "any"}
    others: list[dict[str, Value | None]] = [{"k": 1000, "m": 2}, {"k": None, "m": None}, {"k": "7", "m": 2}]
    for other in others:
        assert runtime._ways.of(Event("e", "A", 0, other)) == ((), (), ())


def test_of_two_values_that_are_asked_for_the_one_that_tells_more_is_looked_up():
    rules = {str(key): (atom("A", m="same", k=key), Context.ALL) for key in range(100)}
    way = Runtime(rules)._ways.of(Event("e", "A", 0, {"k": 3, "m": "same"}))
    assert [name for name, _ in way.roots] == ["3"]
