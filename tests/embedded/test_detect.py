"""Detection over a whole history: every kind of input gives the same answers."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # only tests use it
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import ensue
from ensue.model import occurrence_id, value_key

LOGINS = [
    {"id": "a", "type": "Login", "time": "2026-07-10T09:00:00Z", "user": "ann", "ok": False, "tries": 1},
    {"id": "b", "type": "Login", "time": "2026-07-10T09:00:30Z", "user": "bob", "ok": False, "tries": 2},
    {"id": "c", "type": "Login", "time": "2026-07-10T09:01:00Z", "user": "ann", "ok": False, "tries": 3},
    {"id": "d", "type": "Logout", "time": "2026-07-10T09:01:10Z", "user": "bob", "ok": None, "tries": None},
]
PATTERN = "Login(user = ?u, ok = false, tries = ?n) then Login(user = ?u, ok = false) within 2 minutes"
SECOND = timedelta(seconds=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_list_gives_objects():
    (found,) = ensue.detect(PATTERN, LOGINS)
    assert found.begin == at("2026-07-10T09:00:00Z")
    assert found.end == at("2026-07-10T09:01:00Z")
    assert found.begin.tzinfo is UTC
    assert found.constituents == ("a", "c")
    assert found.bindings == {"u": "ann", "n": 1}
    assert found.type == str(ensue.parse(PATTERN))
    bindings = tuple(sorted((name, value_key(value)) for name, value in found.bindings.items()))
    assert found.id == occurrence_id(found.type, ["a", "c"], bindings)


def test_every_kind_of_table_gives_its_kind():
    table = pa.Table.from_pylist(LOGINS)
    found = ensue.detect(PATTERN, table)
    assert isinstance(found, pa.Table)
    assert found.column_names == ["id", "begin", "end", "constituents", "n", "u"]
    assert found.schema.field("n").type == pa.int64()
    assert found.schema.field("begin").type == pa.timestamp("us", "UTC")
    (expected,) = ensue.detect(PATTERN, LOGINS)
    (row,) = found.to_pylist()
    assert row == {
        "id": expected.id,
        "begin": expected.begin,
        "end": expected.end,
        "constituents": list(expected.constituents),
        **expected.bindings,
    }
    (batch,) = table.to_batches()
    assert ensue.detect(PATTERN, batch).equals(found.to_batches()[0])
    assert pa.table(ensue.detect(PATTERN, pl.from_arrow(table))).to_pylist() == [row]
    frame = ensue.detect(PATTERN, pd.DataFrame(LOGINS))
    assert isinstance(frame, pd.DataFrame)
    assert frame["id"].tolist() == [expected.id]
    assert frame["constituents"].map(list).tolist() == [["a", "c"]]


@pytest.mark.parametrize("kind", [pa.Table.from_pylist, pd.DataFrame, pl.DataFrame], ids=["arrow", "pandas", "polars"])
def test_a_table_without_findings_has_the_columns(kind):
    found = ensue.detect("Logout(user = ?u) then Login(user = ?u, tries = ?n) within 1 hour", kind(LOGINS))
    assert list(getattr(found, "column_names", None) or found.columns) == [
        "id",
        "begin",
        "end",
        "constituents",
        "n",
        "u",
    ]
    assert len(found) == 0


@pytest.mark.parametrize(
    "times",
    [
        ["2026-07-10T09:00:00Z", "2026-07-10T09:00:01Z"],
        ["2026-07-10 09:00:00", "2026-07-10T09:00:01"],
        ["2026-07-10 09:00", "2026-07-10T11:00:01.000+02:00"],
        [datetime(2026, 7, 10, 9, tzinfo=UTC), datetime(2026, 7, 10, 9, 0, 1, tzinfo=UTC)],
        [datetime(2026, 7, 10, 11, tzinfo=timezone(2 * 3600 * SECOND)), datetime(2026, 7, 10, 9, 0, 1)],  # noqa: DTZ001
        [1783674000000, 1783674001000],
        [1783674000000.0, 1783674001000.0],
        ["2026-07-10T09:00:00Z", 1783674001000],
        [np.int64(1783674000000), np.int64(1783674001000)],
    ],
    ids=str,
)
def test_times_in_every_spelling(times):
    (found,) = ensue.detect(
        "A then B within 1 second", [{"type": t, "time": m} for t, m in zip("AB", times, strict=True)]
    )
    assert (found.begin, found.end) == (at("2026-07-10T09:00:00Z"), at("2026-07-10T09:00:01Z"))


@pytest.mark.parametrize(
    "kind",
    [
        pa.timestamp("s"),
        pa.timestamp("ms", "UTC"),
        pa.timestamp("us", "Europe/Vienna"),
        pa.timestamp("ns"),
        pa.date64(),
    ],
    ids=str,
)
def test_arrow_times_of_every_unit(kind):
    days = pa.array([date(2026, 7, 10), date(2026, 7, 11)]).cast(pa.timestamp("ms")).cast(kind)
    found = ensue.detect("A then B within 1 day", pa.table({"type": ["A", "B"], "time": days}))
    assert found["begin"].to_pylist() == [at("2026-07-10T00:00:00Z")]
    assert found["end"].to_pylist() == [at("2026-07-11T00:00:00Z")]


def test_ids_are_made_from_positions_and_numbers_become_text():
    events = [{"type": "A", "time": n, "id": given} for n, given in enumerate([None, 17, 18.0, 2.5, "x", float("nan")])]
    found = ensue.detect("A", events)
    assert [one.constituents[0] for one in found] == ["0", "17", "18", "2.5", "x", "5"]
    without = pa.table({"type": ["A", "A"], "time": [1, 2]})
    assert ensue.detect("A", without)["constituents"].to_pylist() == [["0"], ["1"]]
    numbered = pa.table({"type": ["A", "A"], "time": [1, 2], "id": [7, None]})
    assert ensue.detect("A", numbered)["constituents"].to_pylist() == [["7"], ["1"]]


@given(
    st.lists(
        st.one_of(st.none(), st.integers(0, 200), st.integers(-(2**63), 2**63 - 1)),
        max_size=6,
        unique_by=lambda number: object() if number is None else number,
    ),
    st.data(),
)
def test_a_number_is_the_same_id_as_its_digits(numbers, data):
    """Also among simultaneous events, which stand in the order of their ids as texts."""
    times = data.draw(st.lists(st.integers(0, 2), min_size=len(numbers), max_size=len(numbers)))
    kinds = {"type": ["A"] * len(numbers), "time": pa.array(times, pa.int64())}
    texts = pa.array([None if number is None else str(number) for number in numbers], pa.string())
    answers = []
    for ids in (pa.array(numbers, pa.int64()), texts):
        try:
            answers.append(ensue.detect("A then A within 1 second", pa.table({**kinds, "id": ids}), "all"))
        except ensue.InputError as error:  # one is called by its position, and another has that for its id
            answers.append(str(error))
    assert answers[0] == answers[1]


def test_columns_can_be_called_otherwise():
    events = [{"what": "A", "when": 5, "key": "k", "type": "not this"}]
    (found,) = ensue.detect("A", events, type="what", time="when", id="key")
    assert found.constituents == ("k",)


def test_events_of_one_type_need_no_column_for_it():
    (found,) = ensue.detect("2 times Trade within 1 second", pa.table({"time": [1, 2]}), event_type="Trade").to_pylist()
    assert found["constituents"] == ["0", "1"]


def test_the_order_of_the_events_does_not_matter():
    assert ensue.detect(PATTERN, LOGINS[::-1]) == ensue.detect(PATTERN, LOGINS)


def test_several_patterns_give_a_dict():
    named = ensue.detect({"pair": PATTERN, "out": ensue.event("Logout")}, LOGINS)
    assert {name: [one.type for one in found] for name, found in named.items()} == {"pair": ["pair"], "out": ["out"]}
    listed = ensue.detect(["Login", "Logout"], pa.Table.from_pylist(LOGINS))
    assert {name: len(found) for name, found in listed.items()} == {"Login": 3, "Logout": 1}


def test_the_name_is_part_of_the_id():
    (one,), (two,) = ensue.detect({"x": "Logout", "y": "Logout"}, LOGINS).values()
    assert one.id != two.id


def test_time_and_id_can_be_bound():
    (found,) = ensue.detect("Logout(time = ?t, id = ?i)", LOGINS)
    assert found.bindings == {"t": at("2026-07-10T09:01:10Z"), "i": "d"}


def test_values_of_several_kinds_become_text_in_a_table():
    events = pd.DataFrame({"type": ["A"] * 5, "time": range(5), "v": ["x", 1, 2.5, True, None]})
    assert ensue.detect("A(v = ?v)", events)["v"].tolist() == ["x", "1", "2.5", "true"]
    assert [one.bindings["v"] for one in ensue.detect("A(v = ?v)", events.to_dict("records"))] == ["x", 1, 2.5, True]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], pa.int64()),
        ([1.5, 2], pa.float64()),
        ([True, False], pa.bool_()),
        (["x", "y"], pa.large_string()),
        ([datetime(2026, 1, 1, tzinfo=UTC)] * 2, pa.timestamp("us", "UTC")),
        ([2**60 + 1, 1], pa.int64()),
    ],
)
def test_variables_are_typed(values, kind):
    events = pa.table({"type": ["A", "A"], "time": [1, 2], "v": pa.array(values)})
    found = ensue.detect("A(v = ?v)", events)
    assert found.schema.field("v").type == kind
    assert found["v"].to_pylist() == values


def test_whole_numbers_beyond_64_bits():
    events = [{"type": "A", "time": 1, "id": 10**30, "v": 10**30 + 1}, {"type": "A", "time": 2, "v": 7}]
    (one, two) = ensue.detect("A(v = ?v)", events)
    assert (one.constituents, one.bindings, two.bindings) == (("1" + "0" * 30,), {"v": 10**30 + 1}, {"v": 7})


def test_a_variable_may_be_called_like_a_column():
    found = ensue.detect("A(v = ?id)", pa.table({"type": ["A"], "time": [1], "v": ["x"]}))
    assert found["?id"].to_pylist() == ["x"]


def test_chunks_and_dictionaries():
    chunks = [["A", "B"], ["B", "A"], []]
    types = pa.chunked_array([pa.array(chunk, pa.string()).dictionary_encode() for chunk in chunks])
    found = ensue.detect("A then B within 1 second", pa.table({"type": types, "time": [1, 2, 3, 4]}))
    assert found["constituents"].to_pylist() == [["0", "1"], ["0", "2"]]


def test_columns_of_a_frame_that_arrow_does_not_take():
    frame = pd.DataFrame({"type": ["A", "A"], "time": [1, 2], "v": [1j, 2j], "w": pd.arrays.SparseArray([1, 2])})
    frame["x"] = [1, "1"]
    assert len(ensue.detect("A(v is null, w = 2, x = '1')", frame)) == 1


def test_no_events():
    assert ensue.detect("A", []) == []
    assert len(ensue.detect("A", pa.table({"type": pa.array([], pa.string()), "time": pa.array([], pa.int64())}))) == 0


def test_declared_classes_are_checked_and_lie_under_each_other():
    program = ensue.parse_program(
        "CREATE SUBSCRIBED EVENT CLASS Payment(amount DOUBLE); CREATE SUBSCRIBED EVENT CLASS Refund() UNDER Payment;"
    )
    events = [{"type": "Refund", "time": 1, "amount": 3}]
    assert len(ensue.detect("Payment(amount > 2)", events, program=program)) == 1
    with pytest.raises(ensue.PatternError, match="amont") as error:
        ensue.detect("Payment(amont > 2)", events, program=program)
    assert "amount" in str(error.value)


@pytest.mark.parametrize(
    "pattern", ["A then B(x = ?x)", ensue.event("A", x=ensue.var.x).then(ensue.event("B"))], ids=str
)
def test_an_unbounded_pattern_is_refused(pattern):
    with pytest.raises(ensue.PatternError, match="E140"):
        ensue.detect(pattern, [])


def test_what_is_no_pattern_is_refused():
    nothings: list[Any] = [None, 3, [3], [], {}]
    for nothing in nothings:
        with pytest.raises(ensue.InputError, match="E410"):
            ensue.detect(nothing, [])
    with pytest.raises(ensue.PatternError, match="recnt"):
        ensue.detect("A", [], "recnt")
