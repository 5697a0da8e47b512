"""Patterns over many types sort the events by type once, and find the same."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, Case, batch, run_engine

from ensue.algebra import Context, Pattern
from ensue.algebra.patterns import Atom, Or, Then, Within
from ensue.engine.engine import Engine
from ensue.engine.events import MANY_TYPES
from ensue.model import Event, Taxonomy
from ensue.reference import evaluate

TYPES = tuple(f"T{number}" for number in range(MANY_TYPES + 2))


@st.composite
def histories(draw: st.DrawFn) -> tuple[Event, ...]:
    times = sorted(draw(st.lists(st.integers(0, 12), max_size=16)))
    drawn = [draw(st.sampled_from(TYPES)) for _ in times]
    return tuple(Event(f"e{i}", drawn[i], time * SECOND, {}) for i, time in enumerate(times))


@given(events=histories(), names=st.frozensets(st.sampled_from([*TYPES, "never"])))
def test_each_type_has_the_rows_that_comparing_gives(events: tuple[Event, ...], names: frozenset[str]) -> None:
    found = batch(events)
    rows = found.by_type(names)
    present = names & {event.type for event in events}
    assert rows.keys() == (present if len(present) >= MANY_TYPES else set())
    for name in rows:
        assert rows[name].tolist() == found.of_types(frozenset({name})).tolist()


@st.composite
def wide_patterns(draw: st.DrawFn) -> Pattern:
    """Chains and choices that look at more types than are compared one by one."""
    operands: list[Pattern] = [Atom(name) for name in draw(st.permutations(TYPES))]
    while len(operands) > 1:
        left, right = operands.pop(0), operands.pop(0)
        operands.append(draw(st.sampled_from([Or, Or, Then]))(left, right))
    return Within(operands[0], draw(st.integers(1, 12)) * SECOND)


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@given(pattern=wide_patterns(), events=histories(), cut=st.integers(0, 12))
def test_many_types_are_found_as_the_reference_says(
    context: Context, pattern: Pattern, events: tuple[Event, ...], cut: int
) -> None:
    case = Case(pattern, events, (cut * SECOND,))
    expected = evaluate(pattern, events, context, until=cut * SECOND)
    assert sorted(run_engine(case, context), key=lambda o: o.order) == expected


def test_a_class_above_many_types_takes_its_events_in_order():
    taxonomy = Taxonomy(dict.fromkeys(TYPES, frozenset({"Any"})))
    events = tuple(Event(f"e{i}", name, i * SECOND, {}) for i, name in enumerate((*TYPES, *reversed(TYPES))))
    found = Engine({"any": (Atom("Any"), Context.ALL)}, taxonomy).advance(batch(events), 100 * SECOND)["any"]
    assert found.rows.members.tolist() == list(range(len(events)))
