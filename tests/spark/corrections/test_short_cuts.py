"""Where nothing is special about a key, small windows take a short cut: it gives what the long way gives."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from ensue.language import parse_program
from ensue.model import AttributeType
from ensue.model.notices import Publishing
from ensue.model.publications import Case, Publication
from ensue.spark.corrections.admitting import STEP, admitted_type
from ensue.spark.corrections.announcing import (
    ANNOUNCE,
    CHANGE,
    CLASS,
    DETECTED,
    KEY,
    OPERATION,
    RETRACT,
    SAID,
    TIME,
    announced_classes,
)
from ensue.spark.corrections.in_process import admitting, publishing
from ensue.spark.corrections.in_process.asking import wanted_rows
from ensue.spark.corrections.in_process.columns import INSTANT, schema_of
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY as LIFETIME_KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Window,
)
from ensue.spark.corrections.publishing import Told, spelled
from ensue.spark.corrections.selecting.ways import plan_of

PROGRAM = parse_program(
    "CREATE MUTABLE SUBSCRIBED EVENT CLASS A(v INT, w INT, x DOUBLE, ID (v)) LIFESPAN 1 second;"
    "CREATE IMMUTABLE SUBSCRIBED EVENT CLASS B(v INT, w INT, x DOUBLE, ID (v));"
)
SECOND = 1_000_000
CLASSES = announced_classes(PROGRAM)

announcements = st.lists(
    st.tuples(
        st.sampled_from(["A", "B", "C", None]),
        st.sampled_from(["1", "2", "3", "4", None]),
        st.integers(3, 6),
        st.integers(0, 2),
        st.sampled_from([ANNOUNCE, ANNOUNCE, CHANGE, RETRACT]),
        st.sampled_from([None, 1, 3, 5, 9]),
        st.integers(0, 2),
    ),
    max_size=14,
)


def announced(rows):
    schema = schema_of(admitted_type(CLASSES))
    steps = [step * SECOND for _, _, step, *_ in rows]
    columns = {
        CLASS: pa.array([row[0] for row in rows], pa.string()),
        KEY: pa.array([row[1] for row in rows], pa.string()),
        STEP: pa.array(steps, pa.int64()),
        DETECTED: pa.array([step - row[3] * SECOND for step, row in zip(steps, rows, strict=True)], pa.int64()),
        OPERATION: pa.array([row[4] for row in rows], pa.int32()),
        TIME: pa.array([None if row[5] is None else row[5] * SECOND for row in rows], pa.int64()),
        SAID: pa.array([json.dumps({"time 0": row[5], "v 1": row[6]}) for row in rows], pa.string()),
    }
    for one in CLASSES:
        kind = schema.field(one.column).type
        values = [{"v": row[6], "w": 1, "x": 0.5, "__there": True} if row[0] == one.name else None for row in rows]
        columns[one.column] = pa.array(values, kind)
    return pa.table(columns)


def listed(parted):
    """The rows that a state has, and how many announcements had which outcome."""
    rows = [
        json.dumps(row, sort_keys=True, default=str) for row in parted.whole.to_pylist() if row["kind"] != "counted"
    ]
    return sorted(rows), admitting.outcomes_of(parted.found)


@settings(max_examples=60)
@given(announcements, announcements)
def test_what_is_announced_once_is_admitted_as_the_judge_would(before, now):
    def both():
        first = admitting.admit(announced(before), None, CLASSES, {})
        known = admitting.known_after(first.whole)
        later = [(*row[:2], row[2] + 4, *row[3:]) for row in now]
        return [listed(first), listed(admitting.admit(announced(later), known, CLASSES, {}))]

    short = both()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admitting, "_plain", lambda rows, *_: pa.chunked_array([[False] * rows.num_rows], pa.bool_()))
        assert short == both()


versions = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", "4", "5"]),
        st.integers(0, 9),
        st.sampled_from([None, 2, 5, 8, 9]),
        st.integers(0, 12),
        st.one_of(st.none(), st.integers(0, 2)),
        st.sampled_from([None, 0.0, -0.0, 1e22, float("nan"), float("inf"), 0.1]),
        st.booleans(),
    ),
    max_size=10,
    unique_by=lambda row: row[0],
)
CASES = (
    Publication("on_time", Case.ON_TIME),
    Publication("late", Case.LATE, 1, 4),
    Publication("later", Case.LATE, 3, None),
    Publication("changed", Case.CHANGE),
    Publication("revoked", Case.REVOKE),
)


def lifetimes(rows):
    times = [row[3] for row in rows]
    return pa.table(
        {
            LIFETIME_KEY: pa.array([row[0] for row in rows], pa.string()),
            FROM: pa.array([row[1] for row in rows], pa.int64()),
            TO: pa.array([None if row[2] is None or row[2] <= row[1] else row[2] for row in rows], pa.int64()),
            TOUCHED: pa.array([row[6] for row in rows], pa.bool_()),
            OCCURRED: pa.array(times, INSTANT),
            "n": pa.array([row[4] for row in rows], pa.int64()),
            "x": pa.array([row[5] for row in rows], pa.float64()),
            ID: pa.array([row[0] for row in rows], pa.string()),
            BEGIN: pa.array(times, INSTANT),
            CONSTITUENTS: pa.nulls(len(rows), pa.list_(pa.struct([("class", pa.string()), ("key", pa.string())]))),
        }
    )


@settings(max_examples=60)
@given(versions, versions, st.integers(0, 2), st.booleans())
def test_what_is_known_for_the_first_time_is_told_as_by_telling(before, now, tolerance, on_time):
    cases = CASES if on_time else CASES[1:]
    attributes = {"n": AttributeType.INTEGER, "x": AttributeType.NUMBER}
    told = Told("T", attributes, Publishing(cases, tolerance))

    def both():
        first = publishing.publish({"T": lifetimes(before)}, None, [told], Window(0, 4))
        standing = publishing.standing_after(first.whole)
        second = publishing.publish({"T": lifetimes(now)}, standing, [told], Window(5, 9))
        return [sorted(map(repr, one.whole.to_pylist())) for one in (first, second)]

    short = both()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "_is_news", lambda rows, _: pa.chunked_array([[False] * rows.num_rows], pa.bool_()))
        assert short == both()


def test_attributes_are_spelled_alike():
    texts = ["a", 'q"\\\n\0é\u2028😀', "", None]
    numbers = [1.5, float("nan"), float("-inf"), None]
    rows = pa.table(
        {
            "t": pa.array(texts, pa.string()),
            "x": pa.array(numbers, pa.float64()),
            "n": pa.array([1, None, -(1 << 63), None], pa.int64()),
            "b": pa.array([True, False, None, None], pa.bool_()),
            "at": pa.array([0, -1, None, None], INSTANT),
        }
    )
    kinds = [AttributeType.TEXT, AttributeType.NUMBER, AttributeType.INTEGER, AttributeType.TRUTH, AttributeType.TIME]
    said, complete = publishing._said(rows, dict(zip(rows.column_names, kinds, strict=True)))
    shown = [1.5, None, "-Infinity", None]
    whole = zip(texts, shown, [1, None, -(1 << 63), None], [True, False, None, None], [0, -1, None, None], strict=True)
    assert said.to_pylist() == [spelled(dict(zip(rows.column_names, row, strict=True))) for row in whole]
    assert not any(complete.to_pylist())  # a time is shown in another way
    _, complete = publishing._said(rows.select(["t", "n"]), {"t": kinds[0], "n": kinds[2]})
    assert complete.to_pylist() == [True, False, True, False]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("SELECT a.v FROM A a JOIN B b ON a.v = b.w", [{0: "v", 1: "w"}]),
        ("SELECT a.v FROM A a, B b, A c WHERE a.v = b.v AND b.w = c.w", [{0: "v", 1: "v"}, {1: "w", 2: "w"}]),
        ("SELECT a.v FROM A a JOIN B b ON a.v = b.x", []),  # Spark compares other values than these
        ("SELECT a.v FROM A a JOIN B b ON a.v = b.w OR a.w = b.w", []),
        ("SELECT a.v FROM A a JOIN (SELECT w AS u FROM B WHERE x > 1) b ON a.v = b.u", [{0: "w", 1: "v"}]),
    ],
)
def test_equal_columns_link_places(text, links):
    written = f"CREATE COMPLEX EVENT CLASS T(v INT, ID (v)) AS {text} OCCURRING AT a;"
    program = parse_program(f"{PROGRAM}\n{written}")
    found = plan_of(program.selected_classes[0], program).links
    assert sorted(map(sorted, (one.items() for one in found))) == sorted(map(sorted, (one.items() for one in links)))


def place(touched, **columns):
    return pa.table({TOUCHED: pa.array(touched, pa.bool_()), **{name: pa.array(one) for name, one in columns.items()}})


def test_only_rows_that_can_be_joined_with_a_touched_one_are_wanted():
    tables = {
        0: place([True, False, False], k=[1, 2, 3]),
        1: place([False, False, True], k=[1, 2, 3], x=[0.0, 5.0, -0.0]),
        2: place([False, False, False], x=[-0.0, 7.0, 5.0]),
    }
    links = [{0: "k", 1: "k"}, {1: "x", 2: "x"}]
    found = wanted_rows(tables, links)
    assert found[0].column("k").to_pylist() == [1, 3]
    assert found[1].column("k").to_pylist() == [1, 3]
    assert found[2].column("x").to_pylist() == [-0.0]
    assert [one.num_rows for one in wanted_rows(tables, links[:1]).values()] == [2, 2, 3]  # nothing leads to the last
    idle = {number: table.set_column(0, TOUCHED, place([False] * 3).column(0)) for number, table in tables.items()}
    assert [one.num_rows for one in wanted_rows(idle, links).values()] == [0, 0, 0]
