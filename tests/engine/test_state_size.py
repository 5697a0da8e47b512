"""State does not grow with the length of the stream."""

from __future__ import annotations

import pytest
from tests.engine.cases import SECOND, batch

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import check_legal
from ensue.algebra.building import absence, at_least, event, star, var
from ensue.algebra.patterns import CalendarInterval
from ensue.engine.engine import Engine
from ensue.errors import PatternError
from ensue.model import Event
from ensue.time import Calendar

A, B, C, D = (event(name) for name in "ABCD")
KEYED = [event(name, key=var.k) for name in "ABCD"]
MINUTE = CalendarInterval(Calendar("minute", period=60 * SECOND, length=60 * SECOND))
BOUNDED: dict[str, Pattern] = {
    "sequence": (KEYED[0] >> KEYED[1] >> KEYED[2]).within(20),
    "never completed": (KEYED[0] >> event("Never", key=var.k)).within(20),
    "with exclusion": ((A >> B).within(20) - (C >> D)),
    "values never seen before": (event("A", n=var.n) >> event("B", n=var.n)).within(20),
    "absence": absence(A >> B, MINUTE),
    "counting": at_least(2, (A >> B).within(5), (C >> D).within(30)),
    "star": star(A, B, C).within(20),
    "repetition": KEYED[0].times(3).within(60),
}
UNBOUNDED: dict[str, Pattern] = {
    "sequence": A >> B,
    "longer sequence": A >> B >> C,
    "never completed": A >> event("Never"),
    "both": A & event("Never"),
    "with exclusion": (A >> B) - C,
    "repetition": A.times(3),
}


def carried_after(pattern: Pattern, context: Context, events: int) -> int:
    """How many rows the engine carries after so many events, in batches of a hundred."""
    engine = Engine({"q": (pattern, context)})
    for start in range(0, events, 100):
        part = [
            Event(f"e{i}", "ABCD"[i * 7 // 3 % 4], i * SECOND, {"key": i % 5, "n": i})
            for i in range(start, start + 100)
        ]
        engine.advance(batch(tuple(part)), (start + 99) * SECOND)
    engine.compact()
    rows = sum(len(rows) for node in engine.plan.nodes for _, rows in node.carried())
    return rows + len(engine.store) + len(engine.book.keys)


@pytest.mark.parametrize("context", [c for c in Context if c is not Context.LATEST], ids=lambda c: c.value)
@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_patterns(name: str, context: Context) -> None:
    pattern = BOUNDED[name]
    check_legal(pattern, context)
    assert carried_after(pattern, context, 4000) <= carried_after(pattern, context, 2000) + 50


@pytest.mark.parametrize("name", UNBOUNDED)
def test_unbounded_patterns_in_recent(name: str) -> None:
    pattern = UNBOUNDED[name]
    check_legal(pattern, Context.RECENT)
    assert carried_after(pattern, Context.RECENT, 4000) <= carried_after(pattern, Context.RECENT, 2000) + 5


@pytest.mark.parametrize("context", [Context.CHRONICLE, Context.CONTINUOUS, Context.CUMULATIVE], ids=lambda c: c.value)
def test_what_is_counted_must_be_bounded_where_events_are_used_up(context: Context) -> None:
    with pytest.raises(PatternError, match="unbounded"):
        check_legal(at_least(1, A >> B, "hour"), context)
    check_legal(at_least(1, A >> B, "hour"), Context.ALL)
