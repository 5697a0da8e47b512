"""The event-at-a-time runtime agrees with the reference, whatever way the events of an instant come."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, atoms, conditions, durations, fixed_intervals, histories

from ensue.algebra import Context, Pattern, patterns as pt, walk
from ensue.algebra.building import event as atom, some_of, var
from ensue.engine.immediate import Runtime, State
from ensue.engine.immediate.agenda import Agenda, Look
from ensue.engine.immediate.runtime import occurrence
from ensue.model import Event, Occurrence
from ensue.reference import evaluate

CONTEXTS = [context for context in Context if context is not Context.LATEST]


def patterns(depth: int) -> st.SearchStrategy[Pattern]:
    """Patterns of the operators that the runtime knows."""
    if depth == 0:
        return atoms()
    inner = st.deferred(lambda: patterns(depth - 1))
    return st.one_of(
        atoms(),
        *(st.builds(node, inner, inner) for node in (pt.Or, pt.And, pt.And, pt.Then, pt.Then, pt.Then, pt.Without)),
        st.builds(pt.Within, inner, durations()),
        st.builds(pt.Inside, inner, fixed_intervals()),
        st.builds(pt.Before, inner, durations()),
        st.builds(pt.At, inner, st.integers(0, 9).map(lambda n: n * SECOND), st.sampled_from(["second", "minute"])),
        st.builds(_some_of, st.lists(inner, min_size=2, max_size=3), st.integers(1, 3)),
        st.builds(pt.Times, st.integers(1, 3), inner),
        st.builds(pt.Where, inner, conditions()),
    )


def _some_of(operands: list[Pattern], count: int) -> Pattern:
    return pt.SomeOf(min(count, len(operands)), tuple(operands))


def restarted(runtime: Runtime, made: Callable[[], Runtime]) -> Runtime:
    """The same runtime, after its state went through JSON."""
    state = runtime.save()
    nodes, reported = json.loads(json.dumps([state.nodes, state.reported]))
    other = made()
    other.restore(State(nodes, state.instant, list(state.events), reported))
    return other


def run(
    pattern: Pattern, context: Context, events: list[Event], restarts: frozenset[int] = frozenset()
) -> list[Occurrence]:
    def made() -> Runtime:
        return Runtime({"q": (pattern, context)})

    runtime, found = made(), []
    for number, event in enumerate(events):
        found += [occurrence(part) for _, part in runtime.feed(event)]
        if number in restarts:
            runtime = restarted(runtime, made)
    assert len(set(found)) == len(found)
    return found


cases = st.tuples(st.integers(1, 3).flatmap(patterns), histories(), st.frozensets(st.integers(0, 10), max_size=3))


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda c: c.value)
@given(case=cases)
def test_one_by_one_is_the_whole_history(context, case):
    pattern, history, restarts = case
    events = [Event(e.id, e.type, i * SECOND, e.attributes) for i, e in enumerate(history)]
    found = run(pattern, context, events, restarts)
    assert found == evaluate(pattern, events, context)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda c: c.value)
@given(case=cases)
def test_an_instant_at_once_is_the_whole_history(context, case):
    pattern, history, _ = case
    runtime = Runtime({"q": (pattern, context)})
    found = []
    for time in dict.fromkeys(event.time for event in history):
        together = [event for event in history if event.time == time]
        found += [occurrence(part) for _, part in runtime.feed_instant(together)]
    assert found == evaluate(pattern, history, context)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda c: c.value)
@given(case=cases)
def test_simultaneous_events_one_by_one(context, case):
    """Something may be reported before a simultaneous event comes that changes it, but nothing is missing."""
    pattern, history, restarts = case
    expected = evaluate(pattern, history, context)
    found = run(pattern, context, list(history), restarts)
    assert set(found) >= set(expected)
    assert found == run(pattern, context, list(history))
    if context is Context.ALL and not any(isinstance(node, (pt.Without, pt.Times)) for node in walk(pattern)):
        assert set(found) == set(expected)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda c: c.value)
@given(case=cases)
def test_what_is_forgotten_does_not_matter(context, case):
    pattern, history, _ = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Agenda, "work", lambda *_: None)
        nothing_forgotten = run(pattern, context, list(history))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Agenda, "work", _look_at_everything)
        often = run(pattern, context, list(history))
    assert often == run(pattern, context, list(history)) == nothing_forgotten


def _look_at_everything(agenda: Agenda, now: int) -> None:
    agenda._places = deque(entry for entry in agenda._places if entry[0](entry[1], now))


A, B, C = (atom(name, key=var.k) for name in "ABC")
SOONER_OR_LATER_TOO_OLD: dict[str, Pattern] = {
    "sequence": (A >> B >> C).within(20),
    "other keys": (A >> atom("B", key=var.other)).within(3),
    "both": (A & B).within(20),
    "two of three": some_of(2, A, B, C).within(20),
    "with exclusion": (A >> C).within(20) - B,
    "repetition": A.times(3).within(20),
}


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda c: c.value)
@pytest.mark.parametrize("name", SOONER_OR_LATER_TOO_OLD)
def test_what_is_too_old_goes(name, context):
    """Every key is seen for a few seconds and never again: after many, no more is held than after few."""
    runtime = Runtime({"q": (SOONER_OR_LATER_TOO_OLD[name], context)})
    held = []
    for number in range(6000):
        runtime.feed(Event(str(number), "ABC"[number * 7 // 3 % 3], number * SECOND, {"key": number // 7}))
        if number % 2000 == 1999:
            held.append(len(runtime._agenda))
    assert held[0] > 0
    assert held[2] <= held[1] + 5 <= held[0] + 10


def test_no_event_pays_for_all_that_is_too_old():
    """However much waits, an event looks at as much of it as before: nothing is put off and then done at once."""
    looked = 0

    def counting(agenda: Agenda, look: Look, place: object) -> None:
        def counted(where: object, now: int) -> bool:
            nonlocal looked
            looked += 1
            return look(where, now)

        add(agenda, counted, place)

    add, most = Agenda.add, 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Agenda, "add", counting)
        runtime = Runtime({"q": ((A >> B >> C).within(2000), Context.CONTINUOUS)})
        for number in range(10_000):
            before = looked
            runtime.feed(Event(str(number), "ABC"[number % 3], number * SECOND, {"key": number // 2}))
            most = max(most, looked - before)
    assert len(runtime._agenda) > 500
    assert most <= 5
