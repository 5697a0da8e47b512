"""Kill -9 of the driver in the middle, and start again: the tables end as if nothing had happened."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest
from tests.spark.programs.machines import DERIVED, PATIENCE, PROGRAM, World, last, part

pytestmark = pytest.mark.usefixtures("quick_starts")


def begin(world: World, *more: str) -> subprocess.Popen[str]:
    (world.base / "machines.ensue").write_text(PROGRAM)
    line = [sys.executable, "-m", "ensue", "run", str(world.base / "machines.ensue"), "--data", str(world.data)]
    return subprocess.Popen([*line, "--master", "local[2]", *more], stderr=subprocess.PIPE, text=True, cwd=world.base)


def written(world: World) -> int:
    """How many micro-batches have gone to how many tables."""
    return len(list(world.data.glob("tables/*/batch=*")))


def wait_for(world: World, wanted: int, process: subprocess.Popen[str]) -> None:
    """Until so much is written, or the run ends."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and written(world) < wanted:
        assert time.monotonic() < end, "nothing happens any more"
        time.sleep(0.02)


def kill_and_go_on(world: World, times: int, seed: int) -> int:
    """Kill so many runs, each with something to do, at any moment of theirs; gives how many files there are then."""
    chance, killed, files = random.Random(seed), 0, 0
    while killed < times:
        for _ in range(2):
            world.put(*part(files))
            files += 1
        process = begin(world, "--once")
        if chance.random() < 0.25:
            time.sleep(chance.random() * 20)  # while it starts, or soon after
        else:
            wait_for(world, written(world) + chance.randrange(1, 4), process)
            time.sleep(chance.random() * 0.5)
        ended = process.poll()
        assert ended in {None, 0}, "a run failed that nobody had killed yet"
        killed += ended is None
        process.kill()
        process.communicate()
    return files


def is_as_it_should_be(world: World) -> None:
    assert {name: world.ids(name) for name in DERIVED} == world.expected()
    assert world.ids("Reading") == sorted(str(one["nr"]) for one in world.readings)
    assert world.ids("Reset") == sorted(one["id"] for one in world.resets)


def go_on_to_the_end(world: World, files: int) -> str:
    """What the last run says."""
    world.put(*last(files))
    process = begin(world, "--once")
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    is_as_it_should_be(world)
    return said


def test_killed_drivers_and_one_that_is_asked_to_end(tmp_path):
    """Two are killed; the third ends by Ctrl-C, with what it was doing; the fourth goes on where that was."""
    world = World(tmp_path)
    files = kill_and_go_on(world, 2, 1)
    world.put(*part(files))
    process = begin(world, "--trigger", "200 ms")
    wait_for(world, written(world) + 1, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "ending after this micro-batch" in said
    assert "goes on where it was" in said
    assert "http://localhost:" in go_on_to_the_end(world, files + 1)


@pytest.mark.slow
def test_drivers_are_killed_again_and_again(tmp_path):
    world = World(tmp_path)
    go_on_to_the_end(world, kill_and_go_on(world, 50, 2))
