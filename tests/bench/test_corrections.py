"""The stress test of corrections: its announcements, its programs, and the curves that it draws."""

from collections import Counter

import pytest
from bench.data import FIRST
from tests.corrections.announcing import announcement
from tests.corrections.consistency import assert_consistent
from tests.corrections.oracle import as_published
from tests.corrections.replaying import replay

from bench import drawing, revising
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


def test_curves(tmp_path):
    drawing.draw(tmp_path / "x.svg", "hours", {"Seconds": {"one": [(1, 2.0), (2, 1.0)], "two": [(1, 0.5)]}, "None": {}})
    text = (tmp_path / "x.svg").read_text()
    assert text.count("<polyline") == 2
    assert "hours: 0 to 2" in text
