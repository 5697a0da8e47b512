"""`ensue.detect` over files: what is found is what the reference finds, and what is wrong is said with its place."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from pyarrow import csv
from tests.engine import cases
from tests.spark.worlds import TYPES, World, keyed_worlds, worlds

import ensue
from ensue.embedded.levels import Levels
from ensue.files import history as in_files, pieces

KEYED = "Enter(badge = ?b, speed < 20) then Leave(badge = ?b) within 2 minutes"


def table_of(world: World) -> pa.Table:
    kinds = world.columns[cases.TYPES[0]]
    schema = {"id": pa.string(), "type": pa.string(), "time": pa.timestamp("us", "UTC")}
    schema |= {name: TYPES[kinds[name]] for name in "vw"}
    rows = [{"id": one.id, "type": one.type, "time": one.time, **one.attributes} for one in world.events]
    return pa.Table.from_pylist(rows, schema=pa.schema(schema.items()))


def check(world: World) -> None:
    if world.framed:
        return
    table = table_of(world)
    expected = {one[1] for one in world.expected(str(world.pattern))}
    third = len(table) // 3 + 1
    mixed = [[row for row in range(len(table)) if row % 3 == number] for number in range(3)]
    in_turn = [[*range(len(table))][number * third : (number + 1) * third] for number in range(3)]
    for parts, whole in ((mixed, table), (in_turn, table.sort_by("time"))):
        with tempfile.TemporaryDirectory() as folder:
            for number, rows in enumerate(parts):
                part = whole.take(pa.array(rows, pa.int64()))
                pq.write_table(part, Path(folder) / f"{number}.parquet", row_group_size=2)
            try:
                found = ensue.detect(world.pattern, folder, world.context)
            except ensue.PatternError:  # it may run, but nobody is let write it
                return
        assert set(found.column("id").to_pylist()) == expected


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many pieces, and each is evaluated as soon as it can be."""
    monkeypatch.setattr(pieces, "SIZE", 3)
    monkeypatch.setattr(in_files, "_EACH", 0)
    monkeypatch.setattr(Levels, "waiting", 0)


@settings(max_examples=60)
@given(worlds())
def test_patterns_of_every_kind(world):
    check(world)


@settings(max_examples=60)
@given(keyed_worlds())
def test_patterns_with_a_key(world):
    check(world)


def history(count: int = 60) -> list[dict[str, Any]]:
    return [
        {"type": ("Enter", "Leave", "Look")[i % 3], "time": 7000 * i, "id": f"e{i}", "badge": i % 5, "speed": i % 23}
        for i in range(count)
    ]


def ids(found: pa.Table) -> list[str]:
    return sorted(found.column("id").to_pylist())


def expected(pattern: str = KEYED) -> list[str]:
    return sorted(finding.id for finding in ensue.detect(pattern, history()))


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_files_of_every_kind(tmp_path, ending):
    table = pa.Table.from_pylist(history())
    file = tmp_path / f"events.{ending}"
    if ending == "parquet":
        pq.write_table(table, file)
    elif ending == "csv":
        csv.write_csv(table, file)
    else:
        file.write_text("".join(json.dumps(row) + "\n" for row in history()))
    assert ids(ensue.detect(KEYED, file)) == ids(ensue.detect(KEYED, str(tmp_path))) == expected() != []


def test_a_row_without_an_id_is_called_by_its_position(tmp_path):
    rows = history()
    rows[3] = {**rows[3], "id": None}
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "events.parquet")
    assert ids(ensue.detect(KEYED, tmp_path)) == sorted(one.id for one in ensue.detect(KEYED, rows))


def test_positions_are_counted_over_all_files_whatever_is_left_out(tmp_path):
    rows = history()
    for number in (20, 25, 40, 46):
        rows[number] = {**rows[number], "id": None}
    table = pa.Table.from_pylist(rows)
    for number in range(4):
        pq.write_table(table.slice(15 * number, 15), tmp_path / f"{number}.parquet")
    assert ids(ensue.detect(KEYED, tmp_path)) == ids(ensue.detect(KEYED, table)) != []


def test_a_position_that_no_row_is_called_by_may_be_an_id(tmp_path):
    """Of the first file nothing is wanted, the second has no ids, and the third has a position in the first as id."""
    parts = [{"type": ["Look"], "id": ["a"]}, {"type": ["Enter"]}, {"type": ["Leave"], "id": ["0"]}]
    for number, part in enumerate(parts):
        columns = {**part, "time": [1000 * number], "badge": [1], "speed": [1]}
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet")
    assert ensue.detect(KEYED, tmp_path).column("constituents").to_pylist() == [["1", "0"]]


def test_without_ids_rows_are_called_by_their_positions(tmp_path):
    table = pa.Table.from_pylist(history()).drop_columns(["id"])
    pq.write_table(table, tmp_path / "events.parquet")
    assert ids(ensue.detect(KEYED, tmp_path)) == ids(ensue.detect(KEYED, table)) != []


@pytest.mark.parametrize(("each", "waiting"), [(0, 0), (1, 0), (100, 0), (0, 20)])
def test_many_rules_over_many_steps(tmp_path, monkeypatch, each, waiting):
    """Rules of two shapes and one by itself, some of which find nothing; a variable whose type is known in the end."""
    monkeypatch.setattr(in_files, "_EACH", each)
    monkeypatch.setattr(Levels, "waiting", waiting)
    rows = [{**row, "note": "x" if row["badge"] == 4 else None} for row in history(120)]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "events.parquet", row_group_size=4)
    patterns = {
        **{f"in {n}": f"Enter(badge = {n}, speed = ?s) then Leave(badge = {n}) within 3 minutes" for n in range(7)},
        "note": "Enter(note = ?n) then Look(badge = ?b) within 1 minute",
        **{f"looks {n}": f"2 times Look(speed < {n}, note = ?n) within 1 hour" for n in (0, 3, 9, 11, 20)},
    }
    found, whole = ensue.detect(patterns, tmp_path), ensue.detect(patterns, table)
    assert list(found) == list(patterns)
    assert {name: one.to_pylist() for name, one in found.items()} == {
        name: one.to_pylist() for name, one in whole.items()
    }
    assert [one.schema for one in found.values()] == [one.schema for one in whole.values()]
    assert found["in 3"].num_rows
    assert found["looks 9"].num_rows
    assert not found["in 6"].num_rows


def test_one_class_and_several_patterns(tmp_path):
    rows = [row for row in history() if row["type"] == "Enter"]
    pq.write_table(pa.Table.from_pylist(rows).drop_columns(["type"]), tmp_path / "events.parquet")
    patterns = {"slow": "2 times Enter(badge = ?b, speed < 9) within 1 hour", "any": "2 times Enter within 1 minute"}
    found = ensue.detect(patterns, tmp_path, event_type="Enter")
    here = ensue.detect(patterns, rows)
    assert {name: ids(table) for name, table in found.items()} == {
        name: sorted(one.id for one in some) for name, some in here.items()
    }


def test_many_rules_of_one_shape(tmp_path):
    pq.write_table(pa.Table.from_pylist(history()), tmp_path / "events.parquet")
    rules = {
        f"{badge}.{speed}": f"Enter(badge = {badge}, speed > {speed}) then Leave(badge = {badge}) within 2 minutes"
        for badge in range(5)
        for speed in range(4)
    }
    found, here = ensue.detect(rules, tmp_path), ensue.detect(rules, history())
    assert {name: ids(table) for name, table in found.items()} == {
        name: sorted(one.id for one in some) for name, some in here.items()
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": None}, "E402"),
        ({"time": None}, "E401"),
        ({"id": "e0"}, "E404"),
    ],
)
def test_bad_rows_are_named_with_their_file(tmp_path, change, message):
    rows = history()
    rows[3] = {**rows[3], **change}
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "events.parquet")
    with pytest.raises(ensue.InputError) as caught:
        ensue.detect(KEYED, tmp_path)
    assert message in str(caught.value)
    assert "events.parquet:4" in str(caught.value)


def test_rows_that_no_pattern_wants_are_not_looked_at(tmp_path):
    rows = [{**row, "time": None} if row["type"] == "Look" else row for row in history()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "events.parquet")
    assert ids(ensue.detect(KEYED, tmp_path)) == expected()


@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("gap", ["A", "B", "Z"])
def test_events_that_lack_a_value_of_a_variable_are_left_out(tmp_path, missing, gap):
    """Whether types say it all is judged piece by piece: one has all values, another lacks that of one event."""
    kinds = ["A", "B", "Z", "A", "B", "Z"]
    rows = [
        {"id": at, "type": kind, "time": 1000 * at, "x": missing if kind == gap and at > 2 else at / 4}
        for at, kind in enumerate(kinds)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "events.parquet", row_group_size=3)
    pattern = "A(x = ?x) then B(x = ?y) within 1 minute where ?y > ?x"
    found = ensue.detect(pattern, tmp_path, "all").column("constituents").to_pylist()
    assert found == [["0", "1"], *({"Z": [["0", "4"], ["3", "4"]], "A": [["0", "4"]], "B": []}[gap])]


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "damaged.parquet").write_text("not Parquet")
    (tmp_path / "types.parquet").touch()
    pq.write_table(pa.table({"type": [1], "time": [0], "id": ["a"]}), tmp_path / "types.parquet")
    (tmp_path / "bad.jsonl").write_text("{\n")
    for name, words in {
        "empty": "there are no files in",
        "damaged.parquet": "is not a Parquet file",
        "types.parquet": "E402",
        "bad.jsonl": "bad.jsonl:1",
        "nowhere.parquet": "there is no file",
        "events.xyz": "what kind of file",
    }.items():
        with pytest.raises(ensue.InputError) as caught:
            ensue.detect(KEYED, tmp_path / name)
        assert words in str(caught.value)


@pytest.mark.parametrize("kind", [pa.timestamp("us", "UTC"), pa.timestamp("ms"), pa.int64()])
def test_what_is_complete_is_known_from_the_files(tmp_path, kind):
    times = [1000 * second for second in (0, 1, 1, 3, 2, 4, 5, 5, 9)]
    column = pa.array(times) if pa.types.is_integer(kind) else pa.array(times).cast(pa.timestamp("ms")).cast(kind)
    pq.write_table(pa.table({"time": column}), tmp_path / "events.parquet", row_group_size=2)
    made = list(pieces.pieces_of(str(tmp_path / "events.parquet"), "time"))
    assert [(piece.groups, piece.first) for piece in made] == [((0, 1), 0), ((2, 3), 4), ((4,), 8)]
    assert [piece.begin for piece in made] == [0, 2_000_000, 9_000_000]
    assert pieces.complete_with(made) == [2_000_000, 9_000_000, None]


def test_texts_do_not_tell_when_a_file_begins(tmp_path):
    pq.write_table(pa.table({"time": ["2026-01-01T00:00:00+02:00"]}), tmp_path / "events.parquet")
    (piece,) = pieces.pieces_of(str(tmp_path / "events.parquet"), "time")
    assert piece.begin is None
    assert pieces.complete_with([piece, piece]) == [None, None]
