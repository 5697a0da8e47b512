"""Sources that are not in step lose nothing, and one that is silent does not hold the others back."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.programs.machines import DERIVED, PATIENCE, PROGRAM, World, parts, reading, reset

from ensue.language import parse_program
from ensue.spark.programs.running import Run, start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_RESETS = PROGRAM.replace("FROM parquet OPTIONS (path 'resets'", "FROM json OPTIONS (path 'nothing'")


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "nothing").mkdir()
    return World(tmp_path)


def run(spark: SparkSession, world: World, text: str = PROGRAM, stopping: Callable[[], bool] = lambda: False) -> Run:
    running = start(spark, parse_program(text), world.data, base=world.base, stopping=stopping)
    running.query.awaitTermination()
    return running


def check_nothing_lost(world: World) -> None:
    assert not world.ids("Reading.late")
    assert not world.ids("Reset.late")
    expected = world.expected()
    assert {name: world.ids(name) for name in DERIVED} == expected
    assert expected["Hot"]


@pytest.mark.parametrize("ahead", ["Reading", "Reset"])
def test_a_history_in_one_file_and_one_in_many(spark: SparkSession, world: World, ahead: str):
    files = parts()
    if ahead == "Reading":
        world.put([one for readings, _ in files for one in readings])
        for _, resets in files:
            world.put([], resets)
    else:
        world.put([], [one for _, resets in files for one in resets])
        for readings, _ in files:
            world.put(readings)
    run(spark, world)
    check_nothing_lost(world)


@pytest.mark.slow
def test_a_file_without_events_is_not_silence(spark: SparkSession, world: World):
    files = parts()
    world.put([], [one for _, resets in files for one in resets])
    for readings, _ in files:
        world.put(readings)
        world.lines([])
        world.lines(["this is no event"])
    run(spark, world)
    check_nothing_lost(world)


def test_a_class_without_events(spark: SparkSession, world: World):
    for readings, _ in parts():
        world.put(readings)
    run(spark, world, NO_RESETS)
    check_nothing_lost(world)


def test_a_kill_between_the_logs_of_two_sources(spark: SparkSession, world: World):
    """Spark notes which files of a source are next before it notes the micro-batch: here only those of the first."""
    for one in parts():
        world.put(*one)
    calls = count()
    with pytest.raises(Exception, match="Stopped"):
        run(spark, world, stopping=lambda: next(calls) > 0)
    noted = world.data / "checkpoint"
    logs = sorted(path.parent for path in noted.glob("sources/*/1"))
    assert len(logs) == 2
    for folder in (noted / "offsets", logs[-1]):
        for name in ("1", ".1.crc"):
            (folder / name).unlink(missing_ok=True)
    run(spark, world)
    check_nothing_lost(world)
    assert world.ids("Reset") == sorted(one["id"] for one in world.resets)


def test_a_source_that_falls_silent_does_not_hold_the_others_back(spark: SparkSession, world: World):
    files = parts()
    world.put(*files[0])
    running = start(spark, world.program, world.data, base=world.base, trigger="100 milliseconds")
    try:
        for readings, _ in files[1:3]:
            world.put(readings)
        world.put([reading(999, 5_000, "z", 1.0)])
        expected = world.expected()
        end = time.monotonic() + PATIENCE
        while running.query.isActive and time.monotonic() < end:
            if {name: world.ids(name) for name in DERIVED} == expected:
                break
            time.sleep(0.2)
    finally:
        running.query.stop()
    check_nothing_lost(world)
    assert expected["Failing"]


@pytest.mark.slow
def test_what_a_silent_class_gives_later_is_late_only_behind_its_own_delay(spark: SparkSession, world: World):
    """The delay of a class holds for that class alone, also while it is silent."""
    text = PROGRAM.replace("time TIMESTAMP, device TEXT)", "time TIMESTAMP, device TEXT) DELAY 1 minute")
    world.put([reading(1, 1, "a"), reading(2, 1_000, "z")], [reset("r", 0, "z")])
    run(spark, world, text)
    world.put([reading(3, 1_000, "z")], [reset("in time", 941, "a"), reset("too late", 939, "a")])
    run(spark, world, text)
    assert world.ids("Reset.late") == ["too late"]
