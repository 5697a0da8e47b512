"""The stress test of corrections: its announcements, its programs, and the curves that it draws."""

import json
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.corrections.announcing import announcement
from tests.corrections.consistency import assert_consistent
from tests.corrections.oracle import as_published
from tests.corrections.replaying import replay

from bench import corrections, drawing, measuring, peace, revising
from bench.data import FIRST
from ensue.language import parse_program
from ensue.language.queries.nature import is_key_subsuming, is_monotone

SMALL = revising.Stress(hours=1, events=24, late=0.25, changed=0.25, withdrawn=0.25)


def test_the_same_announcements_everywhere():
    table = revising.announcements(SMALL)
    assert table.equals(revising.announcements(SMALL))
    assert set(table.column("op").to_pylist()) == {"announce", "change", "retract"}
    assert {len(set(table.column(name).to_pylist())) for name in ("type",)} == {revising.CLASSES}
    steps = sorted(set(table.column("detected").cast("int64").to_pylist()))
    assert all((step - FIRST) % SMALL.step == 0 for step in steps)
    first: dict[int, dict[str, object]] = {}
    for row in table.to_pylist():
        first.setdefault(row["nr"], row)
    assert all(row["op"] == "announce" for row in first.values())


@pytest.mark.parametrize("name", revising.EXPERIMENTS)
def test_every_class_is_published_in_all_four_cases(name):
    program = parse_program(revising.EXPERIMENTS[name])
    assert all(is_monotone(one) and is_key_subsuming(one, program) for one in program.selected_classes)
    announced = [announcement(program, row) for row in revising.announcements(SMALL).to_pylist()]
    told = [as_published(program, one) for one in replay(program, announced, purging=True).notices]
    assert_consistent(program, told)
    cases = Counter((one["class"], one["case"]) for one in told)
    for item in program.derived_classes:
        for case in ("on time", "late", "change", "revoke"):
            assert cases[item.declaration.name, case], (item.declaration.name, case)


@pytest.mark.parametrize("name", revising.EXPERIMENTS)
def test_what_peace_does_publishes_as_much_as_the_judge(name):
    """In each case, also where events are forgotten on the way."""
    stress = replace(SMALL, hours=3)
    announced = revising.announcements(stress)
    rebuilt = peace.Repository(peace.EXPERIMENTS[name])
    times = announced.column("detected").cast(pa.int64())
    for step in sorted(set(times.to_pylist())):
        rebuilt.step(step, announced.filter(pc.equal(times, step)))
    program = parse_program(revising.EXPERIMENTS[name])
    said = [announcement(program, row) for row in announced.to_pylist()]
    judged = Counter(as_published(program, one)["case"] for one in replay(program, said, purging=True).notices)
    assert rebuilt.told == judged
    assert set(judged) == {"on time", "late", "change", "revoke"}
    assert rebuilt.events < announced.num_rows / 2


def test_what_is_measured_is_judged_and_drawn(tmp_path, monkeypatch):
    """Without Spark: that the steps are flat, and what corrections cost, is made up."""

    def steps(_spark, _base, _stress, listed, _done):
        for place, one in enumerate(listed):
            one.seconds, one.events, one.megabytes = (
                [1.0, 2.0, 2.0, 2.0 + place],
                [10, 20, 20, 20],
                [0.1, 0.2, 0.2, 0.2],
            )
            one.told = {"late": 3}
            one.rebuilt = [0.5] * 4

    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    monkeypatch.setattr(corrections, "session", lambda *_: nullcontext())
    monkeypatch.setattr(corrections, "_stress", steps)
    replayed = []
    monkeypatch.setattr(corrections, "_replay", lambda *given: replayed.append(given[3].name))
    assert corrections.main(hours=2, events=50, minutes=30, runs=2) == 1  # the last experiment is not flat
    assert Counter(replayed) == {"without.parquet": 6, "corrected.parquet": 6}
    found = json.loads((tmp_path / "corrections.json").read_text())["results"]
    assert [one["flat"] for one in found["steps"]] == pytest.approx([1.0, 1.2, 4 / 3])
    assert [one["case"] for one in found["cost"]] == ["SELECT classes", "a pattern class"]
    assert (tmp_path / "corrections.svg").read_text().count("<polyline") == 12


def test_curves(tmp_path):
    drawing.draw(tmp_path / "x.svg", "hours", {"Seconds": {"one": [(1, 2.0), (2, 1.0)], "two": [(1, 0.5)]}, "None": {}})
    text = (tmp_path / "x.svg").read_text()
    assert text.count("<polyline") == 2
    assert "hours: 0 to 2" in text
