"""Whatever `why_not` claims is true, by the reference: what it names is found for less, and not for what was asked."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st
from tests.engine.cases import histories, patterns

from ensue.algebra import Context
from ensue.asking.why_not.asking import nearest
from ensue.asking.why_not.focusing import Stretch
from ensue.asking.why_not.keys import NO_KEY, key_of
from ensue.model import Taxonomy
from ensue.reference import evaluate

CONTEXTS = st.sampled_from([Context.RECENT, Context.RECENT, Context.ALL, Context.CHRONICLE, Context.LATEST])


@given(patterns(1) | patterns(2), histories(most=7), CONTEXTS)
def test_what_is_claimed_is_true(pattern, events, context):
    original = evaluate(pattern, events, context)
    if original:
        return
    for _, miss in nearest(pattern, context, Stretch(events, NO_KEY), Taxonomy()):
        assert miss.occurrence in evaluate(miss.evidence, events, miss.context)
        assert miss.occurrence not in original
        known = {event.id: event for event in events}
        assert [event.id for event in miss.events] == list(miss.occurrence.ids)
        assert all(known[event.id] == event for event in miss.events if event.id in known)
        assert miss.reasons
        assert all(miss.reasons)


@given(patterns(1), histories(most=7), st.sampled_from([1, 2, "1"]))
def test_what_is_claimed_of_a_key_is_true(pattern, events, value):
    valued = [replace(event, attributes={"v": 1}) for event in events]
    key = key_of({"v": value} if events else {}, pattern, valued, Taxonomy())
    if evaluate(key(pattern), events):
        return
    for _, miss in nearest(pattern, Context.RECENT, Stretch(events, key), Taxonomy()):
        assert miss.occurrence in evaluate(miss.evidence, events, miss.context)
