"""Programs on Spark: the same occurrences as in one process, and nothing that came is lost or told twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import SparkSession
from tests.spark.programs.machines import DERIVED, PROGRAM, World, moment, parts, reading, reset

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

from ensue.errors import EnsueError, InputError, PatternError
from ensue.language import parse_program
from ensue.spark.programs.running import Run, start
from ensue.spark.streaming.inspecting import read_state


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def run(spark: SparkSession, world: World, text: str = PROGRAM) -> Run:
    """Handle what is there."""
    running = start(spark, parse_program(text), world.data, base=world.base)
    running.query.awaitTermination()
    return running


def test_tables_hold_what_one_process_finds_also_after_a_restart(spark: SparkSession, world: World):
    files = parts()
    for one in files[:3]:
        world.put(*one)
    first = run(spark, world)
    saved = read_state(spark, str(world.data / "checkpoint"))
    assert first.tally.open == sum(len(shard.open) for shard in saved.shards) > 0
    for one in files[3:]:
        world.put(*one)
    second = run(spark, world)

    expected = world.expected()
    assert {name: world.ids(name) for name in DERIVED} == expected
    assert all(expected.values())
    assert world.ids("Reading") == sorted(str(one["nr"]) for one in world.readings)
    assert world.ids("Reset") == sorted(one["id"] for one in world.resets)
    assert second.tally.total("unusable") == second.tally.total("late") == 0

    third = next(row for row in world.rows("Reading") if row["id"] == "3")
    assert (third["class"], third["begin"], third["version"], third["nr"]) == ("Reading", moment(21), 1, 3)
    assert str(third["day"]) == moment(21).date().isoformat()
    last = world.rows("Reset")[0]
    assert (last["id"], last["?id"]) == ("end", "end")
    hot = {row["id"]: row for row in world.rows("Hot")}
    failing = world.rows("Failing")[0]
    assert failing["d"] in set("abc")
    assert [part["leaf"] for part in failing["constituents"]] == ["Hot", "Hot"]
    assert all(part["id"] in hot for part in failing["constituents"])
    assert hot[failing["constituents"][0]["id"]]["c"] == 81.0


def test_what_is_no_event_and_what_is_late_has_its_own_table(spark: SparkSession, world: World):
    good = [reading(1, 1, "a"), reading(2, 5, "a"), reading(3, 100, "b")]
    bad = {
        '{"nr": 4, "taken"': "E603",
        "[1, 2]": "E603",
        json.dumps(reading(5, 2, "a")) + json.dumps(reading(6, 2, "a")): "E603",
        '{"nr": 7, "device": "a"}': "E401",
        '{"nr": 8, "taken": "noon"}': "E401",
        '{"nr": "nine", "taken": "2026-07-10"}': "E409",
        '{"nr": 10, "taken": 1783674000000, "celsius": "hot"}': "E409",
        '{"taken": 1783674000000}': "E403",
    }
    world.put([], [reset("r", 0, "z")])
    world.lines([*map(json.dumps, good), *bad, "", "  "])
    first = run(spark, world)
    assert {row["raw"]: row["code"] for row in world.rows("Reading.rejects")} == bad
    assert first.tally.of("unusable", "Reading") == len(bad)
    reasons = {row["code"]: row["reason"] for row in world.rows("Reading.rejects")}
    assert reasons["E403"] == "the event has no nr"
    assert "which is not a" in reasons["E409"]

    world.put([reading(20, 3, "a"), reading(21, 105, "b"), reading(22, 900, "z"), reading(22, 900, "z")], [])
    second = run(spark, world)
    assert world.ids("Reading.late") == ["20"]
    assert second.tally.of("late", "Reading") == 1
    assert [row["code"] for row in world.rows("Reading.repeated")] == ["E404"]
    world.readings = [*good, reading(21, 105, "b"), reading(22, 900, "z")]
    assert world.ids("Hot") == world.expected()["Hot"]


def test_a_changed_program_is_refused_and_a_new_sink_is_not(spark: SparkSession, world: World):
    world.put([reading(1, 1, "a"), reading(2, 2, "a"), reading(3, 100, "b")], [reset("r", 100, "z")])
    run(spark, world)
    with pytest.raises(EnsueError, match="E507") as caught:
        run(spark, world, PROGRAM.replace("within 1 minute", "within 2 minutes").replace("Anywhere", "Elsewhere"))
    said = str(caught.value)
    assert "added: Elsewhere; removed: Anywhere; changed: Hot" in said
    assert said.endswith("stay valid: Reading, Reset")  # Failing looks at Hot, which has changed
    out = "IN CONTEXT chronicle INTO json OPTIONS (path 'out');"
    changed = PROGRAM.replace("maxFilesPerTrigger 1", "maxFilesPerTrigger 9").replace("IN CONTEXT chronicle;", out, 1)
    world.put([reading(4, 101, "b"), reading(5, 900, "z")], [])
    run(spark, world, changed)
    lines = [line for file in (world.base / "out").rglob("*.json") for line in file.read_text().splitlines()]
    assert [json.loads(line)["d"] for line in lines] == ["b"]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (("FROM json OPTIONS (path 'readings', maxFilesPerTrigger 1)", ""), "E434", "Reading does not say"),
        (("path 'readings'", "path 'nowhere'"), "E600", "nowhere"),
        (("Failing(d TEXT)", "Failing(d TEXT) ID (d)"), "E411", "has a key"),
        ((" within 10 minutes IN", " IN"), "E140", "Failing"),
        (("time TIMESTAMP, device TEXT)\n  FROM parquet", "device TEXT)\n  FROM csv"), "E434", "time is none"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_starts(
    spark: SparkSession, world: World, change: tuple[str, str], code: str, said: str
):
    text = PROGRAM.replace(*change)
    assert text != PROGRAM
    with pytest.raises((PatternError, InputError), match=code) as caught:
        start(spark, parse_program(text), world.data, base=world.base)
    assert said in str(caught.value)


def test_csv_and_no_pattern(spark: SparkSession, tmp_path: Path):
    """Rows with too few fields, and a file whose columns are others."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1.csv").write_text("nr,at_time,ok\n1,2026-07-10T09:00:00Z,true\n2\n3,2026-07-10,maybe\n4,2026-07-10,\n")
    text = """CREATE SUBSCRIBED EVENT CLASS Tick(nr INT, at_time TIMESTAMP, ok BOOLEAN) TIME at_time ID (nr)
    FROM csv OPTIONS (path 'in');"""
    program = parse_program(text)
    world = World(tmp_path / "other")
    world.data = tmp_path / "data"
    start(spark, program, world.data, base=tmp_path).query.awaitTermination()
    assert {row["id"]: row["ok"] for row in world.rows("Tick")} == {"1": True, "4": None}
    assert sorted(row["code"] for row in world.rows("Tick.rejects")) == ["E409", "E604"]

    (folder / "2.csv").write_text("at_time,nr,ok\n2026-07-10,7,true\n")
    from ensue.spark.programs.failures import failure

    with pytest.raises(Exception, match=r".") as caught:
        start(spark, program, world.data, base=tmp_path).query.awaitTermination()
    error: Any = failure(caught.value)
    assert error.code == "E604"
    assert world.ids("Tick") == ["1", "4"]
