"""Cases in which the engine once differed from the reference, as they were found."""

from __future__ import annotations

import pytest
from tests.engine.cases import SECOND, Case, run_engine

from ensue.algebra import Context, Pattern
from ensue.algebra.building import absence, at_most, attr, event, periodic
from ensue.algebra.patterns import CalendarInterval, FixedInterval
from ensue.model import Event
from ensue.reference import evaluate
from ensue.time import Calendar

SHIFT = CalendarInterval(Calendar("shift", period=4 * SECOND, length=3 * SECOND))
CASES: dict[str, tuple[Pattern, list[int]]] = {
    "two delays of one event are one temporal event": (
        periodic(event("A") + 0, 1, event("A", attr.v == 1) + 0, collected=True),
        [0],
    ),
    "an interval that is over does not come back": (absence(event("A"), SHIFT), [0, 4]),
    "a stop that has come is a stop, held or not": (periodic(event("A"), 1, event("A")), [0, 0, 6]),
    "an interval is over when what happened a delay before it is forgotten": (
        at_most(0, event("A") + 4, FixedInterval(1 * SECOND, 4 * SECOND)),
        [0, 8, 9],
    ),
    "a stop comes a delay after an event that is held no more": (periodic(event("A"), 1, event("A") + 1), [0, 1]),
}


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@pytest.mark.parametrize("name", CASES)
def test_engine_equals_reference(name: str, context: Context) -> None:
    pattern, times = CASES[name]
    events = tuple(Event(f"e{i}", "A", time * SECOND, {"v": 1}) for i, time in enumerate(times))
    for cuts in [(), (4 * SECOND,), (8 * SECOND, 9 * SECOND)]:
        expected = evaluate(pattern, events, context, until=max(cuts, default=None))
        assert run_engine(Case(pattern, events, cuts), context) == expected
