"""`ensue why` on the command line: from what `ensue detect` wrote, and the events."""

import json

import pytest

EVENTS = """type,time,user
Login,2026-07-10T09:00:00Z,ann
Login,2026-07-10T09:01:00Z,ann
"""


@pytest.fixture
def found(ensue, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "events.csv").write_text(EVENTS)
    assert ensue("detect", "2 times Login(user = ?u) within 1 h", "events.csv", "--to", "found.jsonl").code == 0
    return json.loads((tmp_path / "found.jsonl").read_text())["id"]


def test_findings_and_their_events(ensue, found):
    ran = ensue("why", found[:6], "found.jsonl", "events.csv")
    assert ran.code == 0, ran.err
    lines = [line.rstrip() for line in ran.out.splitlines()]
    assert lines == [
        f"{found}  2026-07-10T09:00:00Z to 2026-07-10T09:01:00Z  u=ann",
        "├── Login 0  2026-07-10T09:00:00Z  user=ann",
        "└── Login 1  2026-07-10T09:01:00Z  user=ann",
    ]


def test_as_json(ensue, found):
    said = json.loads(ensue("why", found, "found.jsonl", "events.csv", "--json").out)
    assert [part["attributes"] for part in said["occurrence"]["constituents"]] == [{"user": "ann"}, {"user": "ann"}]


def test_events_that_are_not_there(ensue, found):
    assert "nothing is known of it here" in ensue("why", found, "found.jsonl").out


def test_events_with_other_columns(ensue, found, tmp_path):
    (tmp_path / "renamed.csv").write_text(EVENTS.replace("type,time", "kind,at"))
    ran = ensue("why", found, "found.jsonl", "renamed.csv")
    assert ran.err == (
        "2 rows have no time in the column time, and cannot be used;"
        " --type, --time and --id say what the columns are called\n"
    )
    ran = ensue("why", found, "found.jsonl", "renamed.csv", "--type", "kind", "--time", "at")
    assert not ran.err
    assert "Login 1" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zz", "found.jsonl"], "E610: there is no id zz in found.jsonl"),
        (["zz"], "E600: ensue-data is not the folder of a run"),
        (["zz", "found.jsonl", "--data", "x"], "E607: files and --data are two places to look"),
    ],
)
def test_what_is_wrong(ensue, found, arguments, message):
    ran = ensue("why", *arguments)
    assert ran.code == 2
    assert ran.err.startswith(message)
