"""Events little by little: however they come, the findings are those of the whole history."""

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from hashlib import blake2b

import pandas as pd  # type: ignore[import-untyped]  # only tests use it
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, TYPES, values

import ensue
from ensue.algebra import Context
from ensue.engine.engine import Engine
from ensue.engine.state import VERSION
from ensue.time import Calendar

PAIR = "A(k = ?k) then B(k = ?k) within 1 minute"


def event(type: str, second: float, **attributes: object) -> dict[str, object]:
    return {"type": type, "time": int(second * 1000), **attributes}


def members(found: list[ensue.Finding]) -> list[tuple[str, ...]]:
    return [one.constituents for one in found]


@given(
    st.fixed_dictionaries(
        {"time": st.integers(0, 10**15) | st.datetimes() | st.just("2026-01-01") | st.just("soon")},
        optional={
            "type": st.sampled_from(["A", "", 5]),
            "id": st.sampled_from(["x", 5, None, [1]]),
            "v": values() | st.sampled_from([float("nan"), 10**30, 2**60 + 1, date(2026, 1, 1), [1], {}]),
        },
    )
)
def test_a_single_event_is_read_as_a_batch_of_one(row):
    def outcome(fed: object) -> object:
        detector = ensue.Detector("A(v = ?v) or A")
        try:
            return detector.feed(fed), detector.finish(), detector._session.kinds.as_dict()
        except ensue.InputError as error:
            return str(error)

    single = outcome(row)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ensue.embedded.plain_events.PlainEvents.read", lambda *_: None)
        assert outcome([row]) == single


def test_batches_and_single_events():
    detector = ensue.Detector(PAIR)
    assert detector.feed([event("A", 1, k=1), event("A", 2, k=2)]) == []
    assert detector.feed(event("B", 3, k=1)) == []
    assert members(detector.feed(event("C", 4))) == [("0", "2")]
    assert members(detector.feed(event("B", 5, k=2))) == []
    assert members(detector.finish()) == [("1", "4")]


def test_same_kind_in_same_kind_out():
    detector = ensue.Detector("A(k = ?k)")
    frame = detector.feed(pd.DataFrame([event("A", 1, k=1), event("A", 2, k=2)]))
    assert isinstance(frame, pd.DataFrame)
    assert frame["k"].tolist() == [1]
    assert isinstance(detector.finish(), pd.DataFrame)


def test_simultaneous_events_are_taken_together():
    detector = ensue.Detector("A without B within 1 minute")
    assert detector.feed([event("A", 1)]) == []
    assert detector.feed([event("B", 1)]) == []
    assert detector.finish() == []


def test_a_clock_without_events():
    detector = ensue.Detector("A + 5 seconds")
    assert detector.feed(event("A", 1)) == []
    assert detector.advance_to(6000) == []
    (found,) = detector.advance_to("1970-01-01T00:00:06.000001Z")
    assert found.end.timestamp() == 6
    with pytest.raises(ensue.InputError, match="E401"):
        detector.advance_to("soon")


def test_events_may_come_as_late_as_the_delay_allows():
    detector = ensue.Detector(PAIR, delay="2 seconds")
    assert detector.feed([event("B", 3, k=1)]) == []
    assert detector.feed([event("A", 1, k=1)]) == []
    assert detector.late == []
    assert members(detector.feed([event("C", 6)])) == [("1", "0")]


def test_late_events_are_kept_and_counted():
    detector = ensue.Detector(PAIR)
    detector.feed([event("A", 1, k=1), event("C", 5)])
    assert detector.feed([event("B", 2, k=1), event("C", 6)]) == []
    assert detector.late == [event("B", 2, k=1)]
    assert detector.late_count == 1
    detector.late.clear()
    detector.feed(pa.Table.from_pylist([event("B", 2, k=1), event("B", 7, k=1)]))
    assert detector.late == [event("B", 2, k=1)]
    assert detector.late_count == 2
    assert detector.finish()["constituents"].to_pylist() == [["0", "5"]]


def test_late_events_can_be_refused_or_handed_on():
    strict = ensue.Detector(PAIR, on_late="raise")
    strict.feed([event("C", 5), event("C", 6)])
    with pytest.raises(
        ensue.InputError, match=r"E407: row 2: the event comes too late: its time, 1970-01-01T00:00:01Z"
    ):
        strict.feed(event("A", 1))
    handed: list[object] = []
    detector = ensue.Detector(PAIR, on_late=handed.extend)
    detector.feed([event("C", 5), event("C", 6)])
    detector.feed(event("A", 1))
    assert (handed, detector.late, detector.late_count) == ([event("A", 1)], [], 1)


def test_a_refused_batch_changes_nothing():
    detector = ensue.Detector("2 times A within 1 hour")
    detector.feed([{**event("A", 1), "id": "x"}])
    for bad in (
        [{**event("A", 2), "id": "y"}, {**event("A", 2), "id": "x"}],
        [{**event("A", 2), "id": "y"}, {"type": "A"}],
    ):
        with pytest.raises(ensue.InputError):
            detector.feed(bad)
    detector.feed([{**event("A", 2), "id": "y"}])
    assert members(detector.finish()) == [("x", "y")]


def test_duplicate_ids_across_batches_name_both_rows():
    detector = ensue.Detector("A")
    detector.feed([{**event("A", 1), "id": "x"}, {**event("A", 2), "id": "y"}])
    with pytest.raises(ensue.InputError, match="row 2: the id 'x' was already given to row 0"):
        detector.feed({**event("A", 2), "id": "x"})


def test_ids_made_from_positions_and_given_ones():
    detector = ensue.Detector("A")
    detector.feed([event("A", 1), event("A", 2)])
    with pytest.raises(ensue.InputError, match="row 2: the id '1' was already given to row 1"):
        detector.feed({**event("A", 2), "id": 1})
    detector.feed({**event("A", 2), "id": "3"})
    with pytest.raises(ensue.InputError, match="row 3: the id '3' was already given to row 2"):
        detector.feed(event("A", 2))


def test_ids_are_forgotten_when_they_cannot_matter():
    detector = ensue.Detector("2 times A within 1 second")
    for batch in range(20):
        detector.feed([{**event("A", batch * 1000 + n), "id": f"{batch}-{n}"} for n in range(1000)])
    assert len(detector._session.seen.contents().times) < 5000


def test_ids_of_an_unbounded_pattern_are_forgotten_too(monkeypatch):
    monkeypatch.setattr("ensue.embedded.seen.SeenIds.MOST", 3000)
    detector = ensue.Detector("A then B")
    for batch in range(20):
        detector.feed([{**event("C", batch * 1000 + n), "id": f"{batch}-{n}"} for n in range(1000)])
    assert len(detector._session.seen.contents().times) < 8000
    with pytest.raises(ensue.InputError, match="E404"):
        detector.feed({**event("C", 20_000), "id": "19-0"})


def test_late_events_of_a_refused_batch_are_not_counted():
    detector = ensue.Detector("A")
    detector.feed([{**event("A", n), "id": f"{n}"} for n in range(5)])
    with pytest.raises(ensue.InputError, match="E404"):
        detector.feed([{**event("A", 1), "id": "late"}, {**event("A", 9), "id": "3"}])
    assert detector.late_count == 0


def test_immediate_takes_each_event_as_it_comes():
    detector = ensue.Detector(PAIR, immediate=True)
    assert detector.feed(event("A", 1, k=1)) == []
    assert members(detector.feed(event("B", 1, k=1))) == [("0", "1")]
    assert members(detector.feed(event("B", 1, k=1))) == [("0", "2")]
    assert members(detector.feed(event("B", 2, k=1))) == [("0", "3")]
    assert detector.feed(event("A", 1, k=1)) == []
    assert detector.late_count == 1
    assert members(detector.feed([event("A", 3, k=7), event("B", 4, k=7), event("B", 5, k=7)])) == [
        ("5", "6"),
        ("5", "7"),
    ]
    assert detector.finish() == []


def test_immediate_and_the_clock():
    detector = ensue.Detector("A + 5 seconds", immediate=True)
    detector.feed(event("A", 1))
    assert detector.advance_to(6000) == []
    assert len(detector.feed(event("B", 6))) == 1
    assert detector.feed(event("B", 6)) == []
    assert detector.finish() == []


@pytest.mark.parametrize("options", [{"delay": "1 second", "immediate": True}, {"delay": "soon"}, {"on_late": "drop"}])
def test_options_that_cannot_be(options):
    with pytest.raises(ensue.InputError, match="E410"):
        ensue.Detector("A", **options)


def test_what_has_finished_takes_nothing():
    detector = ensue.Detector("A")
    detector.finish()
    for use in (lambda: detector.feed([]), detector.finish, detector.save, lambda: detector.advance_to(5)):
        with pytest.raises(ensue.InputError, match="E412"):
            use()


@pytest.mark.parametrize("immediate", [False, True])
def test_saved_here_restored_in_another_process(immediate, tmp_path):
    detector = ensue.Detector({"pair": PAIR}, "chronicle", immediate=immediate)
    before = detector.feed([{**event("A", n, k=f"k{n % 2}"), "id": f"a{n}"} for n in range(4)])
    (tmp_path / "state").write_bytes(detector.save())
    after = [{**event("B", 3 + n, k=f"k{n % 2}"), "id": f"b{n}"} for n in range(3)]
    (tmp_path / "events").write_text(json.dumps(after))
    program = """
import ensue, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
detector = ensue.Detector.restore((folder / "state").read_bytes())
events = json.loads((folder / "events").read_text())
found = detector.feed(events)["pair"] + detector.finish()["pair"]
print(json.dumps([[one.id, one.constituents] for one in found]))
try:
    ensue.Detector.restore((folder / "state").read_bytes()).feed({**events[0], "id": "a1"})
except ensue.InputError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, env={**os.environ}
    )
    lines = run.stdout.splitlines()
    whole = before["pair"] + detector.feed(after)["pair"] + detector.finish()["pair"]
    assert json.loads(lines[0]) == [[one.id, list(one.constituents)] for one in whole]
    assert len(whole) == 3
    assert "the id 'a1' was already given to row 1" in lines[1]


def test_a_calendar_of_ones_own_is_saved_with_the_pattern():
    shift = Calendar("shift", period=60 * SECOND, length=30 * SECOND)
    detector = ensue.Detector(ensue.at_least(2, ensue.event("A"), during=shift))
    detector.feed([event("A", 1), event("A", 40)])
    restored = ensue.Detector.restore(detector.save())
    assert members(restored.feed([event("A", 61), event("A", 62), event("A", 63)])) == [("2", "3")]


def test_values_of_every_kind_are_saved_while_they_are_held_back():
    values = [True, 7, 2**60 + 1, 10**30, 2.5, "text", None, "2026-01-01", datetime(2026, 1, 1, tzinfo=UTC)]
    events = [event("A", n, v=value) for n, value in enumerate(values)]
    detector = ensue.Detector("A(v = ?v)", delay="1 hour")
    assert detector.feed(events) == []
    assert ensue.Detector.restore(detector.save()).finish() == ensue.detect("A(v = ?v)", events)


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "E501"), (b"garbage", "E501"), ("text", "E501"), (None, "E501")],
)
def test_what_is_no_state(data, code):
    with pytest.raises(ensue.StateError, match=code):
        ensue.Detector.restore(data)


def test_states_of_others_are_refused():
    detector = ensue.Detector(PAIR, delay=5)
    detector.feed([event("A", 1, k="x")])
    state = detector.save()
    with pytest.raises(ensue.StateError, match=r"E504.*other patterns\n.*A\(k = \?k\) then B"):
        ensue.Detector.restore(state, "A")
    assert ensue.Detector.restore(state, PAIR).finish() == []
    with pytest.raises(ensue.StateError, match="E502: these bytes are an engine's state"):
        ensue.Detector.restore(Engine({"q": (ensue.event("A"), Context.ALL)}).save())
    newer = state[:-16].replace(b'"detector": 2', b'"detector": 9')
    with pytest.raises(ensue.StateError, match="E503"):
        ensue.Detector.restore(newer + blake2b(newer, digest_size=16).digest())
    with pytest.raises(ensue.StateError, match="E503"):
        ensue.Detector.restore(state.replace(f'"version": {VERSION}'.encode(), b'"version": 7'))


@given(st.data())
def test_damaged_states_end_in_a_clear_error(data):
    detector = ensue.Detector(PAIR)
    detector.feed([event("A", 1, k="x"), event("A", 2, k="y")])
    state = bytearray(detector.save())
    if data.draw(st.booleans()):
        state = state[: data.draw(st.integers(0, len(state) - 1))]
    else:
        state[data.draw(st.integers(0, len(state) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ensue.StateError, match=r"E50[123]"):
        ensue.Detector.restore(bytes(state))


histories = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(TYPES), "time": st.integers(0, 9), "v": values(), "w": values()}),
    max_size=12,
)
PATTERNS = (
    "A(v = ?x) then B(v = ?x) within 4 seconds",
    "2 times A(w = ?y) within 5 seconds",
    "A then C without B within 6 seconds",
    "(A and B within 3 seconds) + 2 seconds",
    "A(v = ?x) or B(w = ?x)",
    "atmost 1 times {A} during {B then C within 5 seconds}",
)


@given(
    history=histories,
    pattern=st.sampled_from(PATTERNS),
    context=st.sampled_from([context.value for context in Context]),
    delay=st.integers(0, 4),
    data=st.data(),
)
def test_cuts_delay_and_arrival_order_change_nothing(history, pattern, context, delay, data):
    """Events that arrive at most `delay` late, in any order and in any batches, with restarts in between."""
    events = [{**row, "id": f"e{i}", "time": row["time"] * 1000} for i, row in enumerate(history)]
    expected = ensue.detect(pattern, events, context)
    lateness = [data.draw(st.integers(0, delay * 1000)) for _ in events]
    order = sorted(range(len(events)), key=lambda i: (events[i]["time"] + lateness[i], data.draw(st.integers(0, 3))))
    detector = ensue.Detector(pattern, context, delay=delay)
    found: list[ensue.Finding] = []
    waiting = [events[i] for i in order]
    while waiting:
        size = data.draw(st.integers(1, 5))
        batch, waiting = waiting[:size], waiting[size:]
        found += detector.feed(batch)
        if data.draw(st.integers(0, 3)) == 0:
            detector = ensue.Detector.restore(detector.save())
    found += detector.finish()
    assert detector.late_count == 0
    assert sorted(found, key=lambda one: one.id) == sorted(expected, key=lambda one: one.id)
    assert [one.end for one in found] == [one.end for one in expected]


@given(history=histories, pattern=st.sampled_from(PATTERNS), context=st.sampled_from(["all", "chronicle", "latest"]))
def test_immediate_reports_the_same_where_no_two_events_are_simultaneous(history, pattern, context):
    events = [{**row, "time": i * 700} for i, row in enumerate(history)]
    detector = ensue.Detector(pattern, context, immediate=True)
    found = [one for row in events for one in detector.feed(row)] + detector.finish()
    assert found == ensue.detect(pattern, events, context)


def test_a_single_atom_that_binds_many_texts():
    """It carries nothing from one step to the next, so there is nothing to keep values for."""
    detector = ensue.Detector("A(v = ?x)")
    found = [len(detector.feed([event("A", b * 3000 + i, v=f"{b} {i}") for i in range(3000)])) for b in range(3)]
    assert sum(found) + len(detector.finish()) == 9000
