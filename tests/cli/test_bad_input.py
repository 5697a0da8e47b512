"""The "Bad input" of the specification, sentence by sentence: a clear message, with place and remedy; exit code 2."""

import gzip
import json
import signal
import subprocess
import sys
import time

import pytest

GOOD = '{"type": "A", "time": "2026-01-01T00:00:00Z"}\n'


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text(GOOD)
    return path


def refused(ran, *parts: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    for part in parts:
        assert part in ran.err


def test_an_unparsable_pattern(ensue, events):
    refused(ensue("detect", "A then within 3 s", events), "1:8: E2", "^", "A then within 3 s")


def test_an_unbounded_pattern(ensue, events):
    refused(ensue("detect", "A(x = ?x) then B(x = ?x)", events), "E140", "unbounded", "within 1 hour")


def test_an_unknown_attribute_in_a_declared_class(ensue, events, tmp_path):
    (tmp_path / "p").write_text("CREATE SUBSCRIBED EVENT CLASS A(amount DOUBLE);")
    ran = ensue("detect", "A(amuont > 3)", events, "--program", tmp_path / "p")
    refused(ran, "1:3:", "amuont", "did you mean amount?")


def test_a_non_time_in_time(ensue, tmp_path):
    (tmp_path / "e.jsonl").write_text(GOOD + '{"type": "A", "time": "yesterday"}\n')
    refused(
        ensue("detect", "A", tmp_path / "e.jsonl"),
        "e.jsonl:2: E401: time is 'yesterday', which is not a time",
        "ISO text",
        "--rejects",
    )


def test_duplicate_ids(ensue, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"type": "A", "time": 1, "id": "x"}\n\n{"type": "A", "time": 1, "id": 7}\n')
    (tmp_path / "b.jsonl").write_text('{"type": "A", "time": 1, "id": "7"}\n')
    ran = ensue("detect", "A", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    refused(ran, "b.jsonl:1: E404: the id '7' was already given to ", "a.jsonl:3\n", "an id of its own")


def test_a_missing_file(ensue, events, tmp_path):
    refused(
        ensue("detect", "A", events, tmp_path / "event.jsonl"), "E600: there is no file", "did you mean events.jsonl?"
    )
    refused(ensue("detect", "A", tmp_path / "no" / "event.jsonl"), "E600", "does not exist either")


def test_a_folder_and_an_unknown_ending(ensue, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    refused(ensue("detect", "A", tmp_path / "folder.csv"), "E601", "is a folder")
    (tmp_path / "e.xls").write_text("")
    refused(ensue("detect", "A", tmp_path / "e.xls"), "E602", "--format")


def test_a_file_that_may_not_be_read(ensue, events, monkeypatch):
    """Root may read everything, so the refusal is played."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    refused(ensue("detect", "A", events), "E601", "may not be read")


def test_no_file(ensue):
    refused(ensue("detect", "A"), "E607", "standard input")


def test_truncated_json_in_line_1_000_000(ensue, tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text(GOOD * 999_999 + '{"type": "A", "time": "2026-01-0')
    target = tmp_path / "out.jsonl"
    ran = ensue("detect", "A", path, "--to", target)
    refused(
        ran, f"{path}:1000000:23: E603: the line ends too early", '{"type": "A", "time": "2026-01-0', "cut off here"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["long.jsonl"]


BAD_LINES = {
    "{": "ends too early",
    '{"type": "A", "time": 1,}': "this is not JSON",
    "[1, 2]": "holds a list, not an object",
    "17": "holds a number",
    "null": "holds null",
    '{"type": "A", "time": 1, "v": "\\ud800"}': "surrogate",
    "[" * 100_000: "nested too deeply",
    '{"time": 1}': "the event has no type",
    '{"type": "A"}': "the event has no time",
    '{"type": "A", "time": true}': "time is True, which is not a time",
    '{"type": 5, "time": 1}': "type is 5",
    '{"type": "A", "time": 1, "id": {}}': "id is {}, which is not an id",
    '{"type": "A", "time": 1, "id": "same"}': "the id 'same' was already given to",
}


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: line[:30])
def test_without_rejects_the_first_bad_row_ends_the_run(ensue, tmp_path, line):
    path = tmp_path / "e.jsonl"
    path.write_text(GOOD + '{"type": "A", "time": 2, "id": "same"}\n' + line + "\n")
    ran = ensue("detect", "A(v = 1) or A", path, "--to", tmp_path / "out.csv")
    refused(ran, f"{path}:3:", BAD_LINES[line], "--rejects")
    assert not (tmp_path / "out.csv").exists()


def test_with_rejects_they_are_kept_and_the_run_goes_on(ensue, tmp_path):
    path, rejects = tmp_path / "e.jsonl", tmp_path / "rejects.jsonl"
    rows = ['{"type": "A", "time": 2, "id": "same"}', *BAD_LINES, '{"type": "A", "time": 3, "id": "last"}']
    path.write_text("\n".join(rows))
    ran = ensue("detect", "A(v = 1) or A", path, "--rejects", rejects, "--output", "jsonl")
    assert ran.code == 0
    assert [json.loads(line)["constituents"] for line in ran.out.splitlines()] == [["same"], ["last"]]
    assert f"{len(BAD_LINES)} rows that cannot be used in {rejects}" in ran.err
    kept = sorted((json.loads(line) for line in rejects.read_text().splitlines()), key=lambda row: row["line"])
    assert [row["line"] for row in kept] == list(range(2, 2 + len(BAD_LINES)))
    assert [row["raw"] for row in kept] == list(BAD_LINES)
    assert {row["file"] for row in kept} == {str(path)}
    for row, reason in zip(kept, BAD_LINES.values(), strict=True):
        assert reason in row["reason"]


def test_rejects_when_no_row_has_a_time(ensue, tmp_path):
    path, rejects = tmp_path / "e.jsonl", tmp_path / "rejects.jsonl"
    path.write_text('{"type": "A", "tme": 1}\n')
    refused(ensue("detect", "A", path), f"{path}:1: E401: the event has no time", "did you mean tme?")
    assert ensue("detect", "A", path, "--rejects", rejects).code == 0
    assert json.loads(rejects.read_text())["line"] == 1


def test_a_column_that_is_not_there(ensue, tmp_path):
    (tmp_path / "e.csv").write_text("type,tme\nA,1\n")
    refused(ensue("detect", "A", tmp_path / "e.csv"), "e.csv: E402: there is no column 'time'", "did you mean tme?")


def test_not_utf8(ensue, tmp_path):
    (tmp_path / "e.jsonl").write_bytes(GOOD.encode() + b'{"type": "\xff"}\n')
    refused(ensue("detect", "A", tmp_path / "e.jsonl"), "e.jsonl:2: E603: the line is not UTF-8: byte 11 is 0xff")
    (tmp_path / "e.csv").write_bytes(b"type,time\nA,1\n\xff,2\n")
    refused(ensue("detect", "A", tmp_path / "e.csv"), "e.csv:3: E604: the line is not UTF-8")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("type,time\nA,1\nA,2,3\n", 3, "has 3 fields, and the header has 2"),
        ('type,time\n"A\nB",1\nA\n', 4, "has 1 fields, and the header has 2"),
        ('type,time\nA,1\n"A,2\n', 3, "quotation mark is not closed"),
        ("type,time\n\nA,soon\n", 3, "time is 'soon', which is not a time"),
        ("type,time\nA,1\n,2\n", 3, "the event has no type"),
        ("id,type,time\n1,A,1\n1,A,2\n", 3, "the id '1' was already given to"),
    ],
    ids=str,
)
def test_csv_that_cannot_be_read(ensue, tmp_path, text, line, message):
    path, rejects = tmp_path / "e.csv", tmp_path / "r.jsonl"
    path.write_text(text)
    refused(ensue("detect", "A", path), f"{path}:{line}: E", message)
    assert ensue("detect", "A", path, "--rejects", rejects).code == 0
    (row,) = (json.loads(one) for one in rejects.read_text().splitlines())
    assert (row["line"], message in row["reason"]) == (line, True)


def test_an_empty_csv_file(ensue, tmp_path):
    (tmp_path / "e.csv").write_text("")
    refused(ensue("detect", "A", tmp_path / "e.csv"), "E604: the file is empty")


def test_parquet_and_gzip_that_are_cut_off(ensue, tmp_path):
    (tmp_path / "e.parquet").write_bytes(b"PAR1 and nothing more")
    refused(ensue("detect", "A", tmp_path / "e.parquet"), "E601", "not a Parquet file")
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(GOOD.encode() * 1000)[:-20])
    refused(ensue("detect", "A", tmp_path / "e.jsonl.gz"), "E601", "cut off")


def test_a_late_event_in_a_stream(ensue, tmp_path, monkeypatch):
    monkeypatch.setattr("ensue.files.json_lines.SIZE", 2)
    monkeypatch.setattr("ensue.files.opening._BLOCK", 8)
    path, rejects = tmp_path / "e.jsonl", tmp_path / "r.jsonl"
    path.write_text("".join(f'{{"type": "A", "time": {n}}}\n' for n in (1000, 9000, 2000, 9500)))
    refused_run = ensue("detect", "A", path, "--delay", "1 s", "--to", tmp_path / "o.jsonl")
    refused(refused_run, f"{path}:3: E407: the event comes too late", "allow a longer delay")
    assert not (tmp_path / "o.jsonl").exists()
    assert ensue("detect", "A", path, "--delay", "1 s", "--rejects", rejects).code == 0
    assert json.loads(rejects.read_text())["line"] == 3
    assert ensue("detect", "A", path).code == 0


def test_options_that_cannot_be(ensue, events, tmp_path):
    refused(ensue("detect", "A", events, "--delay", "soon"), "E607: --delay: 'soon' is not a duration")
    refused(ensue("detect", "A", events, "--context", "recnt"), "E120", "did you mean recent?")
    refused(ensue("detect", "A", events, "--output", "parquet"), "E607", "--to")
    refused(ensue("detect", "A", events, "--to", tmp_path / "no" / "o.csv"), "E605", "cannot be written")
    assert ensue("detect", "A", events, "--output", "xml").code == 2
    assert ensue("detect", "A", events, "--colour").code == 2


def test_deep_nesting_and_a_pattern_of_a_megabyte(ensue, events):
    refused(ensue("detect", "(" * 10_000 + "A" + ")" * 10_000, events), "E2")
    refused(ensue("detect", "A" * 1_000_000 + " then", events), "E2")
    refused(ensue("explain", " or ".join(["A"] * 200_000)), "E2")


def test_interrupting_is_clean(tmp_path):
    command = [sys.executable, "-m", "ensue", "detect", "A", "-", "--to", str(tmp_path / "o.jsonl")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 600
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []
