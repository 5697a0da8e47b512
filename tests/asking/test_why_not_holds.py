"""Whatever `why_not` claims is true, by the reference: what it names is found for less, and not for what was asked."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings, strategies as st
from tests.engine.cases import histories, patterns

import ensue
from ensue.algebra import Context
from ensue.algebra.bounds import check_legal
from ensue.asking.why_not.asking import nearest
from ensue.asking.why_not.focusing import Stretch
from ensue.asking.why_not.keys import NO_KEY, key_of
from ensue.model import Taxonomy
from ensue.reference import evaluate

CONTEXTS = st.sampled_from([Context.RECENT, Context.RECENT, Context.ALL, Context.CHRONICLE, Context.LATEST])


@given(patterns(1) | patterns(2), histories(most=7), CONTEXTS)
def test_what_is_claimed_is_true(pattern, events, context):
    """Also where the pattern has occurrences elsewhere: they are not told as misses."""
    original = evaluate(pattern, events, context)
    if original and context is not Context.RECENT:
        return
    for _, miss in nearest(pattern, context, Stretch(events, NO_KEY), Taxonomy()):
        assert miss.occurrence in evaluate(miss.evidence, events, miss.context)
        assert all(miss.occurrence.constituents != known.constituents for known in original)
        known = {event.id: event for event in events}
        assert [event.id for event in miss.events] == list(miss.occurrence.ids)
        assert all(known[event.id] == event for event in miss.events if event.id in known)
        assert miss.reasons
        assert all(miss.reasons)


@settings(max_examples=settings().max_examples // 4)
@given(patterns(1) | patterns(2), histories(most=7), CONTEXTS)
def test_whether_it_matches_is_said(pattern, events, context):
    rows = [{"type": e.type, "time": e.time // 1000, "id": e.id, **e.attributes} for e in events]
    try:
        check_legal(pattern, context)
    except ensue.PatternError:
        return
    answer = ensue.why_not(pattern, rows, context)
    assert {one.id for one in answer.matches} == {one.id for one in ensue.detect(pattern, rows, context)}
    original = {one.constituents for one in evaluate(pattern, events, context)}
    assert bool(original) == bool(answer.matches)
    for miss in answer.misses:
        assert miss.occurrence in evaluate(miss.evidence, events, miss.context)


@given(patterns(1), histories(most=7), st.sampled_from([1, 2, "1"]))
def test_what_is_claimed_of_a_key_is_true(pattern, events, value):
    valued = [replace(event, attributes={"v": 1}) for event in events]
    key = key_of({"v": value} if events else {}, pattern, valued, Taxonomy())
    if evaluate(key(pattern), events):
        return
    for _, miss in nearest(pattern, Context.RECENT, Stretch(events, key), Taxonomy()):
        assert miss.occurrence in evaluate(miss.evidence, events, miss.context)
