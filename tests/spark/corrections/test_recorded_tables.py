"""The tables that reports are tested with are those that a replay leaves today, wherever its windows are made."""

import pytest
from tests.report.folders import RECORDED
from tests.spark.corrections.worlds import HERE, SPARK

from ensue.language import parse_program
from ensue.report.history import read_history
from ensue.spark.corrections.recording import Names
from ensue.spark.corrections.replaying import record, replay
from ensue.spark.corrections.running import Course
from ensue.spark.programs.kept import Kept, save

SAID = RECORDED.parent / "announced.jsonl"
PROGRAM = RECORDED.parent / "program.ensue"


@pytest.mark.parametrize("small", [HERE, pytest.param(SPARK, marks=pytest.mark.slow)], ids=["here", "spark"])
def test_a_replay_leaves_the_recorded_tables(spark, tmp_path, small):
    program = parse_program(PROGRAM.read_text("utf-8"))
    course = Course(spark, program, tmp_path / "data", small=small)
    recording = record(spark, course, [str(SAID)], Names())
    replay(course, recording, until=recording.times[-1])
    save(tmp_path / "data", Kept(program, {}, 1))
    made, kept = read_history(tmp_path / "data"), read_history(RECORDED / "quakes")
    assert made.cases == kept.cases
    assert {name: table.events for name, table in made.classes.items()} == {
        name: table.events for name, table in kept.classes.items()
    }
    assert sorted(map(repr, made.told)) == sorted(map(repr, kept.told))
