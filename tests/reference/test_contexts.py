"""What a context selects at one combining node, compared with everything there is (context `all`).

One node, because below it a selection has been made already: `all` and the others then see different operands.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import atoms, conditions, durations, fixed_intervals, histories
from tests.reference.saying import FEWER, reported

from ensue.algebra import Context, Pattern
from ensue.algebra.patterns import (
    And,
    Aperiodic,
    Inside,
    Or,
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Times,
    Where,
    Within,
    Without,
)
from ensue.model import Event, Occurrence


def under_a_test(combining: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    """The node, alone or under a test."""
    return st.one_of(
        combining,
        st.builds(Within, combining, durations()),
        st.builds(Inside, combining, fixed_intervals()),
        st.builds(Where, combining, conditions()),
    )


def some_of(exactly: st.SearchStrategy[bool]) -> st.SearchStrategy[Pattern]:
    return st.builds(SomeOf, st.integers(1, 3), st.tuples(atoms(), atoms(), atoms()), exactly)


PAIRING = st.one_of(st.builds(And, atoms(), atoms()), st.builds(Then, atoms(), atoms()), some_of(st.just(False)))
GATHERING = st.one_of(
    st.builds(ThenBetween, atoms(), atoms()),
    st.builds(Star, atoms(), atoms(), atoms()),
    st.builds(Aperiodic, atoms(), atoms(), atoms(), st.booleans()),
)
RUNS = st.builds(Times, st.integers(1, 3), atoms())

ONE_NODE = under_a_test(st.one_of(PAIRING, GATHERING, RUNS, some_of(st.just(True)), st.builds(Or, atoms(), atoms())))
ONE_NODE_WITHOUT = st.one_of(ONE_NODE, st.builds(Without, ONE_NODE, atoms()))


@FEWER
@given(q=ONE_NODE_WITHOUT, events=histories())
def test_recent_is_the_latest_begin_of_each_end_and_substitution(q: Pattern, events: tuple[Event, ...]) -> None:
    """A part of everything; every end is represented; one for each end and substitution, and none begins later."""
    everything, found = reported(q, events, Context.ALL), reported(q, events, Context.RECENT)
    assert found <= everything
    assert {(o.end, o.bindings) for o in found} == {(o.end, o.bindings) for o in everything}
    assert len({(o.end, o.bindings) for o in found}) == len(found)
    latest = {(o.end, o.bindings): o.begin for o in sorted(everything, key=lambda o: o.begin)}
    assert all(o.begin == latest[o.end, o.bindings] for o in found)


@pytest.mark.parametrize("context", [Context.CHRONICLE, Context.CONTINUOUS], ids=lambda c: c.value)
@FEWER
@given(q=ONE_NODE_WITHOUT, events=histories())
def test_chronicle_and_continuous_are_parts_of_all(q: Pattern, events: tuple[Event, ...], context: Context) -> None:
    assert reported(q, events, context) <= reported(q, events, Context.ALL)


@FEWER
@given(q=under_a_test(st.one_of(PAIRING, RUNS, st.builds(Or, atoms(), atoms()))), events=histories())
def test_latest_is_a_part_of_all(q: Pattern, events: tuple[Event, ...]) -> None:
    """Not where something is excluded or gathered: then `latest` has not seen what comes later, or holds less."""
    assert reported(q, events, Context.LATEST) <= reported(q, events, Context.ALL)


@FEWER
@given(q=ONE_NODE_WITHOUT, events=histories())
def test_cumulative_is_made_of_parts_of_all(q: Pattern, events: tuple[Event, ...]) -> None:
    """It is no part of `all`, but each of its occurrences is a union of such, of one end and one substitution."""
    everything = reported(q, events, Context.ALL)
    for whole in reported(q, events, Context.CUMULATIVE):
        parts = [o for o in everything if (o.end, o.bindings) == (whole.end, whole.bindings) and _inside(o, whole)]
        assert {c for part in parts for c in part.constituents} == set(whole.constituents)
        assert min(part.begin for part in parts) == whole.begin


@pytest.mark.parametrize("context", [Context.CHRONICLE, Context.CUMULATIVE], ids=lambda c: c.value)
@FEWER
@given(count=st.integers(1, 3), atom=atoms(), events=histories())
def test_runs_are_disjoint_where_events_are_used_up(
    count: int, atom: Pattern, events: tuple[Event, ...], context: Context
) -> None:
    runs = reported(Times(count, atom), events, context)
    assert not any(set(one.ids) & set(two.ids) for one, two in combinations(runs, 2))


@pytest.mark.parametrize("context", [Context.CHRONICLE, Context.CONTINUOUS, Context.CUMULATIVE], ids=lambda c: c.value)
@FEWER
@given(left=atoms(), right=atoms(), events=histories())
def test_an_event_is_used_up_for_good(
    left: Pattern, right: Pattern, events: tuple[Event, ...], context: Context
) -> None:
    """In a sequence, each event initiates once and terminates at one instant, in each group."""
    pairs = reported(Then(left, right), events, context)
    initiators = [
        (o.bindings, c) for o in pairs for c in o.constituents if c.id in _ids(left, events) - _ids(right, events)
    ]
    assert len(initiators) == len(set(initiators))


def _ids(atom: Pattern, events: tuple[Event, ...]) -> set[str]:
    return {name for o in reported(atom, events, Context.ALL) for name in o.ids}


def _inside(part: Occurrence, whole: Occurrence) -> bool:
    return set(part.constituents) <= set(whole.constituents)
