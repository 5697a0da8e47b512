"""After the last correction, what is published is what a run over the corrected history gives; and on the way there
nothing is said twice, or contradicted without a revoke or a change.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from tests.engine.cases import patterns
from tests.revisions.worlds import MUTABLE, Inputs, World, cuts, inputs, likely_patterns, pattern_class

from ensue.algebra import Context, Pattern
from ensue.model.announcements import Announcement
from ensue.model.notices import ComplexEvent
from ensue.model.occurrences import Bindings
from ensue.model.publications import Case
from ensue.reference import evaluate

FEWER = settings(max_examples=settings().max_examples // 2)


def final_history(given_: Inputs) -> list[Announcement]:
    """The newest version of each event: the perfect history, known only afterwards."""
    newest: dict[str | None, Announcement] = {}
    for one in given_:
        if isinstance(one, Announcement):
            known = newest.get(one.key)
            if known is None or (one.detected, one.retracts, one.content) >= (
                known.detected,
                known.retracts,
                known.content,
            ):
                newest[one.key] = one
    return [one for one in newest.values() if not one.retracts]


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@FEWER
@given(q=likely_patterns() | patterns(2), given_=inputs(), at=cuts())
def test_publications_add_up_to_the_batch_run(context: Context, q: Pattern, given_: Inputs, at: frozenset[int]) -> None:
    declared = pattern_class(q, context)
    world = World(MUTABLE, (declared,), given_, at)
    standing: dict[str, ComplexEvent] = {}
    seen = set()
    for notice in world.run(world.corrections()):
        event, before = notice.event, standing.get(notice.event.key)
        assert notice.identity not in seen, "told twice"
        seen.add(notice.identity)
        assert event.time <= notice.detected, "told before it happened"
        match notice.case:
            case Case.REVOKE:
                assert before == event, "a revoke of what was not told"
                del standing[event.key]
            case Case.CHANGE:
                assert before is not None
                assert before == notice.replaces
                assert not before.says_the_same(event)
                standing[event.key] = event
            case _:
                assert before is None, "announced twice"
                standing[event.key] = event
    last = world.reference().last
    if last is None:
        assert not standing
        return
    events = [one.event for one in final_history(given_)]
    batch = [declared.event(one) for one in evaluate(q, events, context, until=last) if one.end <= last]
    assert told(standing.values()) == told(batch)


def told(events: Iterable[ComplexEvent]) -> set[tuple[str, int, Bindings]]:
    return {(event.key, event.time, event.attributes) for event in events}
