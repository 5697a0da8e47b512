"""SELECTs that are planned once give in each window what they give when they are planned for it."""

from __future__ import annotations

import tempfile
from shutil import rmtree

import pyarrow as pa
import pytest

from ensue.language import parse_program
from ensue.spark.corrections.in_process import asking
from ensue.spark.corrections.in_process.asking import Questions, linked, most_joins
from ensue.spark.corrections.in_process.columns import INSTANT
from ensue.spark.corrections.in_process.purging import open_rows
from ensue.spark.corrections.in_process.selecting import Places, Selects
from ensue.spark.corrections.lifetimes import FROM, KEY, OCCURRED, TO, TOUCHED, Window
from ensue.spark.corrections.selecting.candidates import ROWS
from ensue.spark.corrections.small import suited

PROGRAM = parse_program("""
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(t TEXT, x DOUBLE, n INT, b BOOLEAN, seen TIMESTAMP, ID (t));
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(z INT) UNDER A;
CREATE COMPLEX EVENT CLASS Near(t TEXT, u TEXT, x DOUBLE, n INT, b BOOLEAN, seen TIMESTAMP, ID (t, u)) AS
  SELECT one.t, two.t AS u, one.x, two.n, one.b, two.seen FROM A one JOIN A two ON two.x = one.x OCCURRING AT one;
CREATE COMPLEX EVENT CLASS Same(t TEXT, z INT, ID (t)) AS
  SELECT a.t, b.z FROM A a JOIN B b ON a.t = b.t WHERE b.z > 1 OCCURRING AT MAX(a, b);
CREATE COMPLEX EVENT CLASS Less(t TEXT, u TEXT, ID (t, u)) AS
  SELECT a.t, b.t AS u FROM A a JOIN B b ON a.x < b.x OCCURRING AT b;
CREATE COMPLEX EVENT CLASS Upon(t TEXT, z INT, ID (t)) AS
  SELECT s.t, s.z FROM Same s JOIN Near n ON n.t = s.t OCCURRING AT s;
""")
TEXTS = ["", 'q"\\\n\t\0', "é\u2028😀", "[1]", "{}"]
NUMBERS = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e-310, 0.1, None]
TIMES = [0, -1, 253_402_300_799_999_999, None]


def versions(window, name, count):
    """Versions that change from window to window: some begin in it, some have ended in it."""
    rows = [(window + place) for place in range(count)]
    steps = [10 * (1 + row % (window + 1)) + row % 7 for row in rows]
    ended = [row % 5 == 0 for row in rows]
    columns = {
        KEY: pa.array([f"{name}{row}" for row in rows], pa.string()),
        FROM: pa.array(steps, pa.int64()),
        TO: pa.array([10 * window + 8 if one else None for one in ended], pa.int64()),
        TOUCHED: pa.array([one or step >= 10 * window for one, step in zip(ended, steps, strict=True)], pa.bool_()),
        OCCURRED: pa.array(steps, INSTANT),
        "t": pa.array([TEXTS[row % len(TEXTS)] for row in rows], pa.string()),
        "x": pa.array([NUMBERS[row % len(NUMBERS)] for row in rows], pa.float64()),
        "n": pa.array([[None, -(1 << 63), (1 << 63) - 1, row][row % 4] for row in rows], pa.int64()),
        "b": pa.array([[None, True, False][row % 3] for row in rows], pa.bool_()),
        "seen": pa.array([TIMES[row % len(TIMES)] for row in rows], INSTANT),
    }
    return pa.table({**columns, "z": pa.array(rows, pa.int64())} if name == "B" else columns)


def derived(spark, meanwhile=lambda: None):
    selects, found = Selects(spark, PROGRAM), []
    held: dict[str, pa.Table] = {}
    for window in (1, 2, 3, 4):
        tables = {name: versions(window, name, count) for name, count in (("A", 23), ("B", 17))}
        with suited(spark, 0) as hint:
            places = Places(spark, PROGRAM, tables, hint)
            for item in PROGRAM.selected_classes:
                name = item.declaration.name
                told = selects.derive(item, places, held.get(name), Window(10 * window, 10 * window + 9)).whole
                tables[name], held[name] = told, open_rows(told)
                places.renew(name)
                found.append((window, name, sorted(map(said, told.to_pylist()))))
        meanwhile()
    return found


def said(row):
    """A row as text; in which order candidates are remembered makes no difference."""
    return repr({**row, ROWS: sorted(map(repr, row[ROWS] or ()))})


def questions(monkeypatch):
    """Which SELECTs are answered together, each time that Spark is asked."""
    asked, ask = [], Questions.ask

    def seen(self, questions):
        answers = ask(self, questions)
        asked.append(sorted(answers))
        return answers

    monkeypatch.setattr(Questions, "ask", seen)
    return asked


def test_the_same_as_if_they_were_planned_each_time(spark, monkeypatch):
    asked = questions(monkeypatch)
    short = derived(spark)
    assert asked == [["Near", "Same"], ["Upon"]] * 3
    monkeypatch.setattr(asking, "MANY", 0)
    many = derived(spark)
    assert asked[6:] == [[], []] * 3
    assert short == many
    assert all(rows for _, _, rows in short)


def test_a_system_may_tidy_up_its_temporary_folders_in_a_long_run(spark, monkeypatch, tmp_path):
    whole = derived(spark)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = []

    def tidy():
        for folder in tmp_path.iterdir():
            gone.append(folder)
            rmtree(folder)

    assert derived(spark, tidy) == whole
    assert len(gone) > 1


def test_a_plan_that_keeps_what_it_has_read_is_not_asked_again(spark, monkeypatch):
    monkeypatch.setattr(asking, "ONE_PLACE", "")  # then rows are exchanged
    asked = questions(monkeypatch)
    derived(spark)
    assert asked == [[]] * 6


@pytest.mark.parametrize(
    ("places", "links", "found"),
    [
        ([0], [], True),
        ([0, 1], [], False),
        ([0, 1, 2], [{0: "a", 1: "b"}, {1: "c", 2: "d"}], True),
        ([0, 1, 2, 3], [{0: "a", 1: "b"}, {2: "c", 3: "d"}], False),
    ],
)
def test_places_are_linked_by_equal_columns(places, links, found):
    assert linked(places, links) is found


def test_how_many_rows_a_join_has_at_most():
    rows = {0: pa.table({"k": [1, 2, 3]}), 1: pa.table({"k": [1, 1, 2], "m": [1, 2, 3]}), 2: pa.table({"m": [5, 5, 5]})}
    assert most_joins(rows, [{0: "k", 1: "k"}, {1: "m", 2: "m"}]) == 3 * 2 * 3
    assert most_joins({0: rows[0]}, []) == 3
