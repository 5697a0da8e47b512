"""`ensue detect`: files in, findings out."""

import csv
import gzip
import io
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

LOGINS = [
    {"id": "a", "type": "Login", "time": "2026-07-10T09:00:00Z", "user": "ann", "n": 1},
    {"id": "b", "type": "Login", "time": "2026-07-10T09:00:30Z", "user": "bob", "n": 2},
    {"id": "c", "type": "Login", "time": "2026-07-10T09:01:00Z", "user": "ann", "n": 3},
]
PATTERN = "Login(user = ?u, n = ?n) then Login(user = ?u) within 2 minutes"
EXPECTED = {
    "begin": "2026-07-10T09:00:00Z",
    "end": "2026-07-10T09:01:00Z",
    "constituents": ["a", "c"],
    "bindings": {"n": 1, "u": "ann"},
}


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def logins(tmp_path):
    path = tmp_path / "logins.jsonl"
    path.write_text(lines(LOGINS))
    return path


def found(ran) -> list[dict[str, object]]:
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def test_json_lines(ensue, logins):
    ran = ensue("detect", PATTERN, logins, "--output", "jsonl")
    (row,) = found(ran)
    assert {**EXPECTED, "id": row["id"]} == row
    assert list(row) == ["id", "begin", "end", "constituents", "bindings"]
    assert ran.err.startswith("1 occurrence in 3 events")


def test_every_kind_of_file_gives_the_same(ensue, logins, tmp_path):
    text = io.StringIO()
    writer = csv.DictWriter(text, LOGINS[0])
    writer.writeheader()
    writer.writerows(LOGINS)
    (tmp_path / "logins.csv").write_text(text.getvalue())
    (tmp_path / "logins.csv.gz").write_bytes(gzip.compress(text.getvalue().encode()))
    (tmp_path / "logins.ndjson.gz").write_bytes(gzip.compress(logins.read_bytes()))
    pq.write_table(pa.Table.from_pylist(LOGINS), tmp_path / "logins.parquet")
    expected = found(ensue("detect", PATTERN, logins, "--output", "jsonl"))
    for name in ("logins.csv", "logins.csv.gz", "logins.ndjson.gz", "logins.parquet"):
        assert found(ensue("detect", PATTERN, tmp_path / name, "--output", "jsonl")) == expected, name
    (tmp_path / "logins").write_text(text.getvalue())
    assert found(ensue("detect", PATTERN, tmp_path / "logins", "--format", "csv", "--output", "jsonl")) == expected


def test_several_files_in_any_order(ensue, logins, tmp_path):
    for name, rows in (("late.jsonl", LOGINS[1:]), ("early.jsonl", LOGINS[:1])):
        (tmp_path / name).write_text(lines(rows))
    ran = ensue("detect", PATTERN, tmp_path / "late.jsonl", tmp_path / "early.jsonl", "--output", "jsonl")
    assert found(ran) == found(ensue("detect", PATTERN, logins, "--output", "jsonl"))


def test_table_on_the_screen(ensue, logins):
    ran = ensue("detect", PATTERN, logins)
    assert ran.out.split() == "begin end constituents n u 2026-07-10T09:00:00Z 2026-07-10T09:01:00Z a c 1 ann".split()
    assert "nothing found" in ensue("detect", "Logout", logins).out


def test_a_long_table_says_how_much_is_left_out(ensue, tmp_path):
    (tmp_path / "e.jsonl").write_text(lines([{"type": "A", "time": n} for n in range(60)]))
    assert "… and 10 more" in ensue("detect", "A", tmp_path / "e.jsonl").out


def test_csv_output(ensue, logins):
    rows = list(csv.DictReader(io.StringIO(ensue("detect", PATTERN, logins, "--output", "csv").out)))
    assert [list(row) for row in rows] == [["id", "begin", "end", "constituents", "n", "u"]]
    assert (rows[0]["u"], json.loads(rows[0]["constituents"])) == ("ann", ["a", "c"])


def test_output_files_by_their_names(ensue, logins, tmp_path):
    for name in ("out.parquet", "out.jsonl", "out.csv", "out.txt"):
        ran = ensue("detect", PATTERN, logins, "--to", tmp_path / name)
        assert (ran.code, ran.out) == (0, ""), ran.err
    (row,) = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert (row["n"], row["u"], row["constituents"]) == (1, "ann", ["a", "c"])
    assert json.loads((tmp_path / "out.jsonl").read_text())["bindings"] == {"n": 1, "u": "ann"}
    assert (tmp_path / "out.csv").read_text().startswith("id,begin,end")
    assert "ann" in (tmp_path / "out.txt").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {
        "logins.jsonl",
        "out.parquet",
        "out.jsonl",
        "out.csv",
        "out.txt",
    }


def test_an_empty_parquet_file_has_the_columns(ensue, logins, tmp_path):
    assert ensue("detect", "Logout(user = ?u)", logins, "--to", tmp_path / "o.parquet").code == 0
    assert pq.read_schema(tmp_path / "o.parquet").names == ["id", "begin", "end", "constituents", "u"]


def test_contexts_and_columns(ensue, tmp_path):
    rows = [{"what": "A", "when": n * 1000, "key": f"k{n}"} for n in range(4)]
    (tmp_path / "e.jsonl").write_text(lines(rows))
    columns = ("--type", "what", "--time", "when", "--id", "key", "--output", "jsonl")
    pairs = found(ensue("detect", "2 times A within 1 hour", tmp_path / "e.jsonl", "--context", "chronicle", *columns))
    assert [row["constituents"] for row in pairs] == [["k0", "k1"], ["k2", "k3"]]


def test_a_program_gives_classes_and_calendars(ensue, tmp_path):
    (tmp_path / "p.ensue").write_text(
        "CREATE SUBSCRIBED EVENT CLASS A(v INT);\nCREATE SUBSCRIBED EVENT CLASS B() UNDER A;"
    )
    (tmp_path / "e.jsonl").write_text(lines([{"type": "B", "time": 1, "v": 5}]))
    assert (
        len(
            found(
                ensue(
                    "detect", "A(v > 2)", tmp_path / "e.jsonl", "--program", tmp_path / "p.ensue", "--output", "jsonl"
                )
            )
        )
        == 1
    )
    ran = ensue("detect", "A(w > 2)", tmp_path / "e.jsonl", "--program", tmp_path / "p.ensue")
    assert ran.code == 2
    assert "E302" in ran.err or "w" in ran.err


def test_a_program_derives_classes(ensue, tmp_path):
    (tmp_path / "p.ensue").write_text(
        "CREATE SUBSCRIBED EVENT CLASS A(v INT); CREATE COMPLEX EVENT CLASS Two(n INT) AS DETECT"
        " 2 times A(v = ?n) within 1 s IN CONTEXT chronicle;"
    )
    (tmp_path / "e.jsonl").write_text(lines([{"type": "A", "time": n, "v": 7} for n in range(5)]))
    command = ("detect", "Two(n = ?n)", tmp_path / "e.jsonl", "--program", tmp_path / "p.ensue", "--output", "jsonl")
    whole = found(ensue(*command))
    assert [one["bindings"] for one in whole] == [{"n": 7}, {"n": 7}]
    assert found(ensue(*command, "--delay", "0 s")) == whole


def test_a_stream_from_standard_input():
    """Findings come as soon as they are known, before the input ends."""
    command = [sys.executable, "-m", "ensue", "detect", "A", "-", "--delay", "0 s", "--output", "jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(lines([{"type": "A", "time": n} for n in (1, 2)]))
        process.stdin.flush()
        first = process.stdout.readline()
        process.stdin.write(lines([{"type": "A", "time": 3}]))
        process.stdin.close()
        found = [first, *process.stdout]
    assert [json.loads(line)["constituents"] for line in found] == [["0"], ["1"], ["2"]]


def test_a_stream_over_many_chunks(ensue, tmp_path, monkeypatch):
    for module in ("json_lines", "separated", "parquet"):
        monkeypatch.setattr(f"ensue.files.{module}.SIZE", 7)
    monkeypatch.setattr("ensue.files.opening._BLOCK", 50)
    rows = [{"type": "AB"[n % 2], "time": 1000 * n, "k": n // 4} for n in range(100)]
    (tmp_path / "e.jsonl").write_text(lines(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "e.parquet")
    pattern = "A(k = ?k) then B(k = ?k) within 1 minute"
    whole = found(ensue("detect", pattern, tmp_path / "e.jsonl", "--output", "jsonl"))
    assert len(whole) == 50
    for name in ("e.jsonl", "e.parquet"):
        assert found(ensue("detect", pattern, tmp_path / name, "--delay", "2s", "--output", "jsonl")) == whole
    assert ensue("detect", pattern, tmp_path / "e.jsonl", "--delay", "2s", "--to", tmp_path / "o.parquet").code == 0
    assert pq.read_table(tmp_path / "o.parquet").num_rows == 50


def test_broken_pipe_is_quiet(tmp_path):
    (tmp_path / "e.jsonl").write_text(lines([{"type": "A", "time": n} for n in range(20_000)]))
    command = f"{sys.executable} -m ensue detect A {tmp_path}/e.jsonl --output jsonl | head -n 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert len(ran.stdout.splitlines()) == 1
    assert "Traceback" not in ran.stderr
    assert "Error" not in ran.stderr
