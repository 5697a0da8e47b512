"""Events that cannot be used: what is wrong, where, and what to do."""

import pandas as pd  # type: ignore[import-untyped]  # only tests use it
import polars as pl
import pyarrow as pa
import pytest

import ensue

KINDS = pytest.mark.parametrize(
    "kind", [list, pa.Table.from_pylist, pd.DataFrame, pl.DataFrame], ids=["list", "arrow", "pandas", "polars"]
)


def refused(events: object, **options) -> str:
    with pytest.raises(ensue.InputError) as error:
        ensue.detect("A", events, **options)
    return str(error.value)


@KINDS
@pytest.mark.parametrize("time", ["yesterday", "2026-13-01", ""])
def test_what_is_no_time(kind, time):
    message = refused(kind([{"type": "A", "time": "2026-01-01"}, {"type": "A", "time": time}]))
    assert message.startswith(f"E401: row 1: time is {time!r}, which is not a time\n  hint: a time is ISO text like")


@pytest.mark.parametrize("time", [True, [1], {"t": 1}, b"x", float("inf"), 10**17, -(10**17), 10**30, 1e300])
def test_what_is_no_time_in_python(time):
    assert f"time is {time!r}, which is not a time" in refused([{"type": "A", "time": time}])


@KINDS
def test_a_missing_time_or_type(kind):
    assert "E401: row 1: the event has no time" in refused(
        kind([{"type": "A", "time": 1}, {"type": "A", "time": None}])
    )
    assert "E402: row 1: the event has no type" in refused(kind([{"type": "A", "time": 1}, {"type": None, "time": 1}]))


def test_a_type_is_a_text():
    assert "E402: row 0: type is 3, which is not the name" in refused([{"type": 3, "time": 1}])


@KINDS
def test_a_column_that_is_not_there(kind):
    message, other = refused(kind([{"type": "A", "tme": 1}])), refused(kind([{"type": "A", "time": 1}]), type="tipe")
    if kind is list:
        assert message == "E401: row 0: the event has no time\n  hint: did you mean tme?"
        assert other == "E402: row 0: the event has no tipe\n  hint: did you mean type or time?"
    else:
        assert message.startswith(
            "E402: there is no column 'time' for the time of events\n  hint: did you mean tme? name"
        )
        assert other.startswith("E402: there is no column 'tipe' for the type of events")


@KINDS
@pytest.mark.parametrize("ids", [["x", "y", "x"], [1, 2, 1]], ids=str)
def test_duplicate_ids_name_both_places(kind, ids):
    message = refused(kind([{"type": "A", "time": n, "id": name} for n, name in enumerate(ids)]))
    assert message.startswith(f"E404: row 2: the id '{ids[0]}' was already given to row 0\n")
    assert "leave the ids out" in message


def test_an_id_that_is_another_events_position():
    message = refused([{"type": "A", "time": 1}, {"type": "A", "time": 2, "id": "0"}])
    assert "row 1: the id '0' was already given to row 0" in message


def test_an_id_is_a_text_or_a_number():
    assert "E403: row 0: id is [1], which is not an id" in refused([{"type": "A", "time": 1, "id": [1]}])
    assert "E403: row 1: id is True" in refused([{"type": "A", "time": 1}, {"type": "A", "time": 1, "id": True}])


def test_all_that_is_wrong_is_counted():
    message = refused([{"type": "A", "time": time} for time in (1, "x", "y", None)])
    assert message.startswith("E401: row 1: time is 'x'")
    assert message.endswith("2 more rows of this batch cannot be used either")


@pytest.mark.parametrize("events", [["A"], [1], [None], [("type", "A")]], ids=str)
def test_an_event_is_a_dictionary(events):
    assert refused(events).startswith(f"E400: row 0: an event is a dictionary, and this is {events[0]!r}")


@pytest.mark.parametrize("events", [5, None, b"x"])
def test_events_come_in_a_collection(events):
    assert "E400: events cannot be read from a" in refused(events)


def test_a_text_is_the_name_of_a_file():
    assert "E600: there is no file events.csv" in refused("events.csv")


def test_a_lazy_frame_has_to_be_collected():
    assert ".collect()" in refused(pl.LazyFrame({"type": ["A"]}))


def test_half_a_surrogate_pair():
    events = [{"type": "A", "time": 1, "v": "fine"}, {"type": "A", "time": 1, "v": "\ud800"}]
    with pytest.raises(ensue.InputError, match=r"E405: row 1: v is '\\ud800', which is not Unicode"):
        ensue.detect("A(v = ?v)", events)


def test_an_occurrence_after_the_year_9999():
    with pytest.raises(ensue.InputError, match="E406"):
        ensue.detect("A + 900 days", [{"type": "A", "time": "9999-01-01"}])


@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("bad", [{"v": "\ud800"}, {"id": "\ud800"}])
def test_an_event_with_half_a_surrogate_pair_is_refused_and_nothing_else_happens(immediate, bad):
    detector = ensue.Detector("A(v = ?v) then A(v = ?v) within 1 minute", context="all", immediate=immediate)
    found = detector.feed({"type": "A", "time": 1, "v": "x"})
    for event in ({"type": "A", "time": 2, "v": "x", **bad}, [{"type": "A", "time": 2, "v": "x", **bad}]):
        with pytest.raises(ensue.InputError, match="E405: row 1: "):
            detector.feed(event)
    found += detector.feed({"type": "A", "time": 3, "v": "x"}) + detector.finish()
    assert [finding.constituents for finding in found] == [("0", "1")]
