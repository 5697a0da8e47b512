"""A sequence whose later side binds only some of the variables of the earlier one: the kernel selects there, too."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, TYPES, Case, batch, durations, histories, run_engine

from ensue.algebra import Context, Pattern, patterns as pt
from ensue.engine.engine import Engine
from ensue.engine.nodes.pairs import Pairs
from ensue.reference import evaluate

X, Y = ("x", "v"), ("y", "w")
MAYBE = [(), (X,), (Y,), (X, Y)]


def binding(*bindings: tuple[str, str]) -> st.SearchStrategy[Pattern]:
    return st.sampled_from(TYPES).map(lambda kind: pt.Atom(kind, None, bindings))


@st.composite
def narrowing(draw: st.DrawFn) -> Pattern:
    """Sequences that begin with both variables, and go on with fewer; a window somewhere, or none."""
    pattern = draw(binding(X, Y))
    for bindings in draw(st.lists(st.sampled_from(MAYBE), min_size=1, max_size=3)):
        pattern = pt.Then(pattern, draw(binding(*bindings)))
        if draw(st.booleans()):
            pattern = pt.Within(pattern, draw(durations()))
    return pattern


@st.composite
def cases(draw: st.DrawFn) -> Case:
    cuts = draw(st.lists(st.integers(-1, 10), max_size=4, unique=True).map(sorted))
    return Case(draw(narrowing()), draw(histories(most=14)), tuple(cut * SECOND for cut in cuts))


@pytest.mark.parametrize("restarts", [False, True], ids=["", "with restarts"])
@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@given(case=cases())
def test_a_narrower_side_is_answered_as_the_reference_does(context: Context, restarts: bool, case: Case) -> None:
    expected = evaluate(case.pattern, case.events, context, until=max(case.cuts, default=None))
    assert sorted(run_engine(case, context, restarts), key=lambda o: o.order) == expected


@given(case=cases())
def test_what_was_saved_while_it_was_enumerated_goes_on(case: Case) -> None:
    """A state of the release before says which rows are used up in its own way; it is believed."""
    cut = case.cuts[len(case.cuts) // 2] if case.cuts else 5 * SECOND
    before = tuple(event for event in case.events if event.time <= cut)
    after = tuple(event for event in case.events if event.time > cut)
    asked = {"q": (case.pattern, Context.CONTINUOUS)}
    engine = Engine(asked)
    for node in engine.plan.nodes:
        if isinstance(node, Pairs):
            node.exact = False
    found = engine.advance(batch(before), cut)["q"].occurrences()
    saved = engine.save()
    engine = Engine(asked)
    engine.restore(saved)
    if after:
        found += engine.advance(batch(after), max(event.time for event in after))["q"].occurrences()
    found += engine.finish()["q"].occurrences()
    assert sorted(found, key=lambda o: o.order) == evaluate(case.pattern, case.events, Context.CONTINUOUS, until=cut)
