"""`ensue.plot`: what it makes of whatever `detect` and `history` give."""

import json
import subprocess
import sys

import pandas as pd  # type: ignore[import-untyped]  # only tests use it
import polars as pl
import pyarrow as pa
import pytest
from tests.report.folders import minutes

import ensue
from ensue import plotting

LOGINS = [
    {"type": "Login", "time": f"2026-07-10T09:00:{second}Z", "user": user}
    for second, user in ((10, "ann"), (20, "bob"), (30, "ann"), (40, "bob"))
]
PATTERN = "2 times Login(user = ?u) within 1 minute"


def data_of(chart):
    """The rows of each layer, by the kind of its marks."""
    made = chart.to_dict()
    return {layer["mark"]["type"]: rows_of(made, layer) for layer in made["layer"]}


def rows_of(made, layer):
    return made["datasets"][layer.get("data", made.get("data"))["name"]]


def test_findings():
    found = ensue.detect({"twice": PATTERN}, LOGINS)
    rows = data_of(ensue.plot(found))["point"]
    assert [(row["lane"], row["what"], row["row"]) for row in rows] == [("twice", "u ann", 0), ("twice", "u bob", 1)]
    assert rows[0]["end"] - rows[0]["begin"] == 20_000


def test_marks_at_the_ends_are_whole():
    for layer in ensue.plot(ensue.detect(PATTERN, LOGINS), LOGINS).to_dict()["layer"]:
        assert layer["encoding"]["x"]["scale"]["padding"] > 0


def test_constituents_light_up_with_their_events():
    chart = ensue.plot(ensue.detect(PATTERN, LOGINS), LOGINS)
    made = chart.to_dict()
    kinds = [layer["mark"]["type"] for layer in made["layer"]]
    assert kinds == ["tick", "rule", "point", "tick"]
    links = made["layer"][-1]
    assert links["transform"][0]["filter"] == {"param": "chosen", "empty": False}
    assert [(row["occurrence"], row["id"]) for row in rows_of(made, links)] == [(0, "0"), (0, "2"), (1, "1"), (1, "3")]


@pytest.mark.parametrize("kind", [pa.Table.from_pylist, pd.DataFrame, pl.DataFrame], ids=["arrow", "pandas", "polars"])
def test_tables(kind):
    found = ensue.detect(PATTERN, kind(LOGINS))
    chart = ensue.plot(found, kind(LOGINS))
    assert [row["what"] for row in data_of(chart)["point"]] == ["u ann", "u bob"]
    assert len(data_of(chart)["tick"]) == 4


def test_publications_are_coloured_by_case():
    told = [
        {
            "publication": "Full_late",
            "class": "Full",
            "case": "late",
            "detected": minutes(5),
            "occurred": minutes(2),
            "attributes": json.dumps({"ward": "a"}),
            "constituents": None,
        }
    ]
    chart = ensue.plot(told)
    assert chart.to_dict()["layer"][1]["encoding"]["color"]["field"] == "case"
    assert data_of(chart)["point"][0]["what"] == "ward a"


def test_what_spark_says_of_constituents_is_enough():
    parts = [{"leaf": "Login", "id": "7", "time": minutes(1)}]
    found = [{"id": "x", "class": "A", "begin": minutes(1), "end": minutes(2), "constituents": parts}]
    assert data_of(ensue.plot(found))["tick"] == [
        {"occurrence": 0, "id": "7", "lane": "Login", "end": int(minutes(1).timestamp() * 1000)}
    ]


def test_nothing_found_is_a_chart_too():
    assert data_of(ensue.plot([]))["point"] == []


def test_of_very_many_the_newest(monkeypatch):
    monkeypatch.setattr(plotting, "MOST", 1)
    chart = ensue.plot(ensue.detect(PATTERN, LOGINS))
    assert chart.to_dict()["title"]["text"] == "the newest 1 of 2 occurrences"
    assert [row["what"] for row in data_of(chart)["point"]] == ["u bob"]


@pytest.mark.parametrize("wrong", [[1], [{"a": 1}]])
def test_what_cannot_be_drawn(wrong):
    with pytest.raises(ensue.InputError) as error:
        ensue.plot(wrong)
    assert error.value.code == "E410"


def test_events_without_a_time():
    with pytest.raises(ensue.InputError, match="no column at"):
        ensue.plot(ensue.detect(PATTERN, LOGINS), LOGINS, time="at")


def test_without_altair_it_says_what_to_install():
    program = """
import sys, ensue
sys.modules["altair"] = None
try:
    ensue.plot([])
except ensue.InputError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "E609" in said
    assert "ensue[plot]" in said
