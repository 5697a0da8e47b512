"""What files hold, as the engine sees it."""

import csv
import io
import json

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from ensue.files.chunks import Ledger
from ensue.files.json_lines import read_json_lines
from ensue.files.opening import FileKind, kind_of
from ensue.files.separated import read_csv, typed

FIELDS = {
    "": None,
    "7": 7,
    "-7": -7,
    "0": 0,
    "007": "007",
    "+7": "+7",
    "1.50": 1.5,
    "1e3": 1000.0,
    ".5": ".5",
    "true": True,
    "False": False,
    "yes": "yes",
    " 7": " 7",
    "2026-07-10": "2026-07-10",
    "123456789012345678901": 123456789012345678901,
    "9007199254740993": 9007199254740993,
    "1e400": float("inf"),
    "nan": "nan",
    'Ärger, "groß"\nneu': 'Ärger, "groß"\nneu',
}


@pytest.mark.parametrize("text", FIELDS, ids=repr)
def test_a_field_is_what_it_is_written_like(text):
    assert typed(pa.array([text], pa.large_string())).to_pylist() == [FIELDS[text]]


@given(st.lists(st.sampled_from(sorted(FIELDS)), max_size=8))
def test_its_neighbours_do_not_matter(texts):
    found = typed(pa.array(texts, pa.large_string())).to_pylist()
    assert found == [FIELDS[text] for text in texts]
    assert [type(one) is bool for one in found] == [isinstance(FIELDS[text], bool) for text in texts]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(st.lists(st.fixed_dictionaries({"a": texts, "b": texts, "c": texts}), min_size=1, max_size=6))
def test_csv_round_trip_with_lines(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "e.csv"
    text = io.StringIO()
    writer = csv.DictWriter(text, ["a", "b", "c"], quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode())
    (chunk,) = read_csv(str(path), [])
    assert not chunk.unreadable
    assert [chunk.events.row(i) for i in range(len(chunk.events))] == [
        {k: v or None for k, v in row.items()} for row in rows
    ]
    starts, line = [], 2
    for row in rows:
        starts.append(line)
        line += 1 + sum(value.count("\n") for value in row.values())
    assert list(chunk.lines) == starts


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), values) | st.just(None), max_size=6))
def test_json_lines_keep_their_numbers(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("json") / "e.jsonl"
    path.write_text("\r\n".join("" if row is None else json.dumps(row) for row in rows), encoding="utf-8")
    (chunk,) = read_json_lines(str(path), [])
    kept = [(number, row) for number, row in enumerate(rows, 1) if row is not None]
    refused = {line.problem.line for line in chunk.unreadable}
    assert [(n, chunk.events.row(i)) for i, n in enumerate(chunk.lines)] == [
        (n, r) for n, r in kept if n not in refused
    ]
    for number, row in kept:
        assert (number in refused) == any("\ud800" <= c <= "\udfff" for c in json.dumps(row, ensure_ascii=False))


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    (tmp_path / "e.csv").write_bytes("\ufefftype,time\nA,1\n".encode())
    (chunk,) = read_csv(str(tmp_path / "e.csv"), [])
    assert chunk.events.row(0) == {"type": "A", "time": "1"}
    (tmp_path / "e.jsonl").write_bytes('\ufeff{"type": "A"}\n'.encode())
    (chunk,) = read_json_lines(str(tmp_path / "e.jsonl"), [])
    assert chunk.events.row(0) == {"type": "A"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.jsonl", FileKind.JSONL), ("a.JSON.gz", FileKind.JSONL), ("-", FileKind.JSONL), ("x/a.csv.gz", FileKind.CSV)],
)
def test_the_kind_of_a_file_by_its_name(name, kind):
    assert kind_of(name) is kind


def test_places_of_rows_over_several_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("ensue.files.json_lines.SIZE", 2)
    monkeypatch.setattr("ensue.files.opening._BLOCK", 8)
    (tmp_path / "a.jsonl").write_text("{}\n{}\n\n{}\n[]\n{}\n{}")
    ledger, position, places = Ledger(), 0, []
    for chunk in read_json_lines(str(tmp_path / "a.jsonl"), []):
        here = ledger.at(position, chunk)
        places += [here.place(row)[1] for row in range(len(chunk.events))]
        assert position == 0 or here.phrase(-position).endswith("a.jsonl:1")
        position += len(chunk.events)
    assert places == [1, 2, 4, 6, 7]
