"""Where classes stand after a micro-batch, and who is moved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ensue.errors import StateError
from ensue.spark.programs.frontier import Frontier, Standing, standing

CLASSES = ("A", "B", "C")


def after(before: Standing, gave: set[str], **newest: int) -> Standing:
    return before.after(before.batch + 1, CLASSES, gave, newest)


def test_a_silent_class_is_where_the_slowest_of_the_others_is():
    now = after(Standing(), {"A", "B"}, A=50, B=40)
    assert (now.reached, now.lifted) == ({"A": 50, "B": 40, "C": 40}, True)
    now = after(now, {"B"}, B=45)
    assert (now.reached, now.lifted) == ({"A": 50, "B": 45, "C": 45}, True)


def test_nobody_goes_back():
    now = after(Standing(0, {"A": 50, "B": 40, "C": 45}), {"B"}, B=30)
    assert (now.reached, now.lifted) == ({"A": 50, "B": 40, "C": 45}, False)


def test_when_none_gives_anything_all_are_where_the_foremost_is():
    now = after(Standing(0, {"A": 50, "B": 40}), set())
    assert (now.reached, now.lifted) == ({"A": 50, "B": 50, "C": 50}, True)
    assert not after(now, set()).lifted
    assert after(Standing(), set()).reached == {}


def test_a_class_that_gave_rows_without_events_holds_the_others():
    before = Standing(0, {"A": 50, "B": 40})
    assert after(before, {"A", "B"}, A=60).reached == {"A": 60, "B": 40, "C": 40}
    assert after(Standing(), {"A", "B"}, A=60).reached == {"A": 60}


def log(checkpoint: Path, batch: int, *offsets: str) -> None:
    folder = checkpoint / "offsets"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / str(batch)).write_text("\n".join(["v1", "{}", *offsets]))


def noted(checkpoint: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((checkpoint / "frontier.json").read_text())
    return found


def test_each_micro_batch_that_may_move_the_time_is_followed_by_one(tmp_path: Path):
    """Those that gave something, and those by which a class is moved; then it is over."""
    frontier = Frontier(tmp_path, ("A", "B"))
    for batch, offsets in enumerate([("0", "-"), ("1", "0"), ("1", "0"), ("1", "0"), ("1", "0")]):
        log(tmp_path, batch, *offsets, "frontier")
    seen = []
    for batch, newest in enumerate([{"A": 10}, {"A": 20, "B": 15}, {}, {}, {}]):
        frontier.note(batch, newest)
        seen.append((noted(tmp_path)["batch"], noted(tmp_path)["reached"]))
    moved = {"A": 20, "B": 20}
    assert seen == [(0, {"A": 10, "B": 10}), (1, {"A": 20, "B": 15}), (2, moved), (3, moved), (3, moved)]


def test_a_micro_batch_that_is_run_again_changes_nothing(tmp_path: Path):
    frontier = Frontier(tmp_path, ("A", "B"))
    log(tmp_path, 0, "0", "-")
    frontier.note(0, {"A": 10})
    before = noted(tmp_path)
    frontier.note(0, {"A": 10})
    assert noted(tmp_path) == before


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"batch": 0, "reached": 1, "lifted": false}'])
def test_a_damaged_note_is_told(tmp_path: Path, text: str):
    (tmp_path / "frontier.json").write_text(text)
    with pytest.raises(StateError, match="E502"):
        standing(tmp_path / "frontier.json")
