"""Immediate mode answers the same, whether events are taken one by one or in columns."""

from __future__ import annotations

from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import TYPES, values

import ensue
from ensue.embedded.event_by_event import EventByEvent
from ensue.embedded.flows import Immediate

PATTERNS = (
    "A(v = ?x) then B(v = ?x) within 4 seconds",
    "2 times A(w = ?y) within 5 seconds",
    "A then C without B within 6 seconds",
    "A(v = ?x) or B(w = ?x)",
    "2 of {A(v = ?x), B(v = ?x), C} within 3 seconds",
    "A(time = ?t, v > 1) and B(v = ?x) within 3 seconds where ?x > 0",
)
ODD = st.sampled_from(
    [float("nan"), 10**30, 2**60 + 1, 2.0, "é", [1], datetime(2026, 1, 1, tzinfo=UTC), date(2026, 1, 1)]
)

rows = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES), "time": st.integers(0, 9), "v": values() | ODD, "w": values()},
    optional={"id": st.sampled_from(["x", "y", "1", "2", None, 7])},
)


def detector(pattern: object, context: str, *, columnar: bool) -> ensue.Detector:
    with pytest.MonkeyPatch.context() as patch:
        if columnar:
            patch.setattr("ensue.embedded.session.knows", lambda _: False)
        made = ensue.Detector(pattern, context, immediate=True)  # type: ignore[arg-type]
    assert isinstance(made._session.flow, Immediate if columnar else EventByEvent)
    return made


def fed(made: ensue.Detector, events: object) -> object:
    try:
        found = made.feed(events)
    except ensue.InputError as error:
        return str(error)
    if isinstance(found, pa.Table):
        return found.schema, found.to_pylist()
    return found


@given(
    history=st.lists(rows, max_size=12),
    pattern=st.sampled_from(PATTERNS) | st.just(PATTERNS),
    context=st.sampled_from(["all", "recent", "chronicle", "continuous", "cumulative"]),
    data=st.data(),
)
def test_columns_or_not(history, pattern, context, data):
    """Single events, batches and tables, good ones and bad, in order and late, with restarts in between."""
    one, other = detector(pattern, context, columnar=False), detector(pattern, context, columnar=True)
    waiting: list[object] = [
        {**row, "time": row["time"] * 1000} for row in sorted(history, key=lambda row: row["time"])
    ]
    if data.draw(st.booleans()):
        waiting.reverse()
    while waiting:
        size = data.draw(st.sampled_from([1, 1, 1, 2, 4]))
        events: object = waiting[0] if size == 1 else waiting[:size]
        waiting = waiting[size:]
        if data.draw(st.integers(0, 5)) == 0:
            events = pa.Table.from_pylist([{"type": "A", "time": 9000, "v": 1}])
        assert fed(one, events) == fed(other, events)
        if data.draw(st.integers(0, 3)) == 0:
            one, other = ensue.Detector.restore(one.save()), ensue.Detector.restore(other.save())
            assert isinstance(one._session.flow, EventByEvent)
    assert (repr(one.late), one.late_count) == (repr(other.late), other.late_count)  # not-a-number is not itself
    assert one._session.position == other._session.position
    assert one.finish() == other.finish()


@given(
    history=st.lists(rows, max_size=12),
    pattern=st.sampled_from(PATTERNS) | st.just(PATTERNS),
    context=st.sampled_from(["all", "recent", "chronicle", "continuous", "cumulative"]),
    immediate=st.booleans(),
)
def test_one_list_of_what_all_patterns_find(history, pattern, context, immediate):
    """`feed_one` gives what `feed` does, in the order in which it ends, and refuses what that refuses."""
    one, other = (ensue.Detector(pattern, context, immediate=immediate) for _ in range(2))
    for row in history:
        event = {**row, "time": row["time"] * 1000}
        expected = fed(one, event)
        if isinstance(expected, str):
            with pytest.raises(ensue.InputError) as refused:
                other.feed_one(event)
            assert str(refused.value) == expected
            continue
        found = other.feed_one(event)
        assert found == sorted(found, key=lambda finding: finding.end)
        several: dict[str, Any] = expected if isinstance(expected, dict) else {"": expected}
        assert sorted(map(repr, found)) == sorted(repr(it) for some in several.values() for it in some)
    assert (one.late_count, one._session.position) == (other.late_count, other._session.position)


@pytest.mark.parametrize("event", [[{"type": "A", "time": 0}], pa.table({"type": ["A"], "time": [0]}), "A", None])
def test_what_is_not_a_single_event(event):
    with pytest.raises(
        ensue.InputError, match=r"(?s)E400.*a single event is a dictionary.*feed takes lists and tables"
    ):
        ensue.Detector(PATTERNS, immediate=True).feed_one(event)


def test_thousands_of_rules_name_only_those_that_found_something():
    rules = {f"rule {key}": f"A(v = {key}) then B(v = {key}) within 1 minute" for key in range(2_000)}
    made = ensue.Detector(rules, "chronicle", immediate=True)
    found = [
        made.feed_one({"type": name, "time": second * 1000, "id": f"{name}{second}", "v": value})
        for second, (name, value) in enumerate(
            [("A", 7), ("A", 1999), ("B", 5), ("B", 7.0), ("B", "1999"), ("B", 1999)]
        )
    ]
    assert [[(one.type, one.constituents) for one in some] for some in found] == [
        *([], [], [], [("rule 7", ("A0", "B3"))], [], [("rule 1999", ("A1", "B5"))])
    ]


def test_what_needs_a_clock_goes_through_columns():
    for pattern in ("A + 5 seconds", "A then B* then C within 5 seconds", "atleast 2 times {A} during day", "A then B"):
        assert isinstance(ensue.Detector(pattern, immediate=True)._session.flow, Immediate)
    assert isinstance(ensue.Detector("2 times A within 5", "latest", immediate=True)._session.flow, Immediate)


def test_states_of_another_version_are_refused():
    state = ensue.Detector(PATTERNS, immediate=True).save()
    newer = state[:-16].replace(b'"one by one": 1', b'"one by one": 9')
    with pytest.raises(ensue.StateError, match=r"E503.*runtime is of version 9"):
        ensue.Detector.restore(newer + blake2b(newer, digest_size=16).digest())


def test_state_does_not_grow():
    made = ensue.Detector(PATTERNS, immediate=True)
    sizes = []
    for n in range(1000):
        made.feed({"type": TYPES[n % 3], "time": n * 1000, "v": n, "w": n})
        sizes.append(len(made.save()) if n % 200 == 150 else 0)
    assert max(sizes) < 2 * min(size for size in sizes if size)
