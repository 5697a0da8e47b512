"""Single events over the sweeps: who is fed finds what is expected, and what was measured is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest

from bench import by_hand, histories, inside, measuring, page, questions, summary, verdict
from bench.peers import matching
from bench.peers.files import Files, write_plain
from bench.peers.orders import EndedError, Ordered
from bench.questions import Question
from bench.streams import paced
from bench.streams.asking import Asking

EVENTS = 6_000


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    return lambda: json.loads((tmp_path / "inside.json").read_text())


def ours() -> list[inside.Side]:
    return [side for side in inside._sides() if side.kind == "ours"]


@pytest.mark.parametrize("make", [paced.one_by_one, paced.what_has_come])
@pytest.mark.parametrize(
    ("sweep", "named", "value"),
    [
        ("length", "length", "6"),
        ("window", "window", "1 h"),
        ("keys", "keys", "10"),
        ("rules", "rules", "1,000"),
        ("rules", "mixed rules", "1,000"),
        ("shapes", "shapes", "A then 2 times B then C"),
        ("variables", "variables", "key and value"),
    ],
)
def test_a_detector_is_fed_what_is_asked_of_all(sweep, named, value, make, tmp_path):
    (question,) = (one for one in questions.SWEEPS[sweep](EVENTS) if (one.sweep, one.value) == (named, value))
    if sweep in ("rules", "shapes"):  # over few keys, so that they find some
        question = replace(question, history=partial(histories.with_keys, EVENTS, 10, skewed=False))
    given, columns = write_plain(tmp_path, question.history())
    expected = by_hand.matches(question.shapes, given.names, columns)
    assert expected.count >= 5
    asking = Asking(question.patterns, given.names, str(given.plain), given.count)
    told = paced.pace(make(asking, asking.events()), 5_000, EVENTS, 50_000, 1 if make is paced.one_by_one else 5000)
    assert matching.Matches(told["matches"], told["sum"]) == expected


def test_a_point_is_measured_shown_and_kept(results, monkeypatch, capsys, tmp_path):
    made = ours()
    monkeypatch.setattr(inside, "_sides", lambda: made)
    assert [side.name for side in made] == ["ensue.Detector, one by one", "ensue.Detector, what has come"]
    assert inside.main(before=1_000, seconds=0.6, rate=8_000, runs=2, sweep=["length"], value=["3", "6"]) == 0
    printed = capsys.readouterr().out
    assert "length, 3: " in printed
    assert "length, 6: " in printed
    assert "finds something else" not in printed
    few, many = results()["results"]
    assert (few["value"], many["value"]) == ("3", "6")
    for point in (few, many):
        assert [one["side"] for one in point["sides"]] == [side.name for side in made]
        for one in point["sides"]:
            assert one["agrees"]
            assert len(one["starts"]) == len(one["rates"][0]["runs"]) == 2
            assert 0 < one["rates"][0]["p50_seconds"] <= one["rates"][0]["p99_seconds"]
            assert one["bytes"] > 1e6
            assert one["state_bytes"] > 100
    assert "length, latency, p99, in milliseconds" in page.write(tmp_path).read_text()
    assert "| length 6 |" in summary.write(tmp_path).read_text()


def test_who_ends_is_not_asked_for_more_of_the_same(results, monkeypatch):
    asked = []

    @contextmanager
    def ends(question: Question, _: Files, __: float) -> Iterator[Ordered]:
        asked.append(question.value)
        raise EndedError("it has ended")
        yield

    good = ours()[0]
    monkeypatch.setattr(inside, "_sides", lambda: [inside.Side("Fragile", ends), good])
    assert inside.main(before=500, seconds=0.1, rate=8_000, runs=1, sweep=["length"], value=["3", "6"]) == 0
    assert asked == ["3"]
    for point in results()["results"]:
        assert point["cannot"] == {"Fragile": "ends with an error from 3 on"}
        assert [one["side"] for one in point["sides"]] == [good.name]


def test_a_point_that_is_not_there():
    with pytest.raises(SystemExit, match="No sweep has a point 11"):
        inside.main(sweep=["length"], value=["11"])


def side(name: str, p99: float, kind: str = "peer", *, agrees: bool = True, **more: object) -> dict[str, object]:
    at = {"rate": 1000, "kept_up": p99 < 1, "p50_seconds": p99 / 2, "p99_seconds": p99}
    return {
        "side": name,
        "kind": kind,
        "agrees": agrees,
        "start_seconds": 0.5,
        "bytes": 2_000_000,
        "rates": [at],
        **more,
    }


def test_latencies_are_compared_where_there_are_enough_matches(tmp_path):
    point = {"sweep": "rules", "pattern": "A < B", "cannot": {"Siddhi": "too slow"}}
    few = {**point, "value": "1", "matches": 3, "sides": [side("Detector", 0.004, "ours"), side("Esper", 0.001)]}
    sides = [side("Detector", 0.004, "ours", state_bytes=30_000), side("Esper", 0.001), side("Odd", 0.1, agrees=False)]
    many = {**point, "value": "10", "matches": 30, "sides": sides}
    late = {**point, "value": "100", "matches": 300, "sides": [side("Detector", 2.0, "ours"), side("Esper", 0.001)]}
    content = {
        "machine": {"processor": "x", "cores": 2, "memory_gib": 1.0, "system": "Linux"},
        "settings": {"rate": 1000},
    }
    (tmp_path / "inside.json").write_text(json.dumps({**content, "results": [few, many, late]}))
    lost = {(one.where, one.said) for one in verdict.losses({"inside": {"results": [few, many, late]}})}
    where = "rules {}, latency inside a program at 1,000/s"
    assert lost == {(where.format("10"), "4 ×"), (where.format("100"), "ours cannot keep up")}
    text = summary.write(tmp_path).read_text()
    assert "| rules 1 | 3 |  |  |" in text
    assert "| rules 10 | 30 | 2, 4 | 0.5, 1 |" in text
    assert "| rules 100 | 300 | cannot keep up | 0.5, 1 |" in text
    assert "| rules 10 | 0.50 s, 2 MB (0.03) | 0.50 s, 2 MB |" in text
    assert "Odd" not in text
    shown = page.write(tmp_path).read_text()
    assert "A &lt; B" in shown
    assert "Siddhi: too slow" in shown
    assert "<td>10<td>Odd (finds something else)<td>30" in shown
    assert "<td>100<td>Detector<td>300<td>cannot keep up<td>" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sweep", "value"), [("length", "3"), ("window", "1 h"), ("rules", "1,000"), ("shapes", "A then (B or C) then D")]
)
def test_all_sides_find_the_same(sweep, value, results):
    assert inside.main(before=5_000, seconds=0.5, rate=10_000, runs=1, sweep=[sweep], value=[value]) == 0
    points = results()["results"]
    for point in points:
        assert point["cannot"] == {}
        assert [one["side"] for one in point["sides"] if one["agrees"]] == [side.name for side in inside._sides()]
    assert sum(point["matches"] for point in points) > 5
