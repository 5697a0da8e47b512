"""Kill -9 of the driver in the middle, and start again: the tables end as if nothing had happened."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest
from tests.spark.programs.machines import DERIVED, PATIENCE, PROGRAM, World, parts


def command(world: World, *more: str) -> subprocess.Popen[bytes]:
    (world.base / "machines.ensue").write_text(PROGRAM)
    line = [sys.executable, "-m", "ensue", "run", str(world.base / "machines.ensue"), "--data", str(world.data)]
    return subprocess.Popen(
        [*line, "--master", "local[2]", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=world.base
    )


def kill_and_go_on(world: World, times: int, seed: int) -> None:
    """Each time when some micro-batch has been written, or a little later."""
    chance = random.Random(seed)
    for one in parts():
        world.put(*one)
    for _ in range(times):
        process = command(world, "--once")
        wanted = len(list(world.data.glob("tables/*/batch=*"))) + chance.randrange(1, 4)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and process.poll() is None:
            if len(list(world.data.glob("tables/*/batch=*"))) >= wanted:
                break
            time.sleep(0.05)
        time.sleep(chance.random() * 0.5)
        process.kill()
        process.communicate()
    last = command(world, "--once")
    _, said = last.communicate(timeout=PATIENCE)
    assert last.returncode == 0, said.decode()
    assert {name: world.ids(name) for name in DERIVED} == world.expected()
    assert world.ids("Reading") == sorted(str(one["nr"]) for one in world.readings)
    assert world.ids("Reset") == sorted(one["id"] for one in world.resets)


def test_a_killed_driver_leaves_the_tables_as_they_should_be(world_for_faults: World):
    kill_and_go_on(world_for_faults, 5, 1)


@pytest.mark.slow
def test_a_driver_that_is_killed_again_and_again(world_for_faults: World):
    kill_and_go_on(world_for_faults, 50, 2)


def test_ctrl_c_ends_cleanly_and_the_next_start_goes_on(world_for_faults: World):
    world = world_for_faults
    files = parts()
    for one in files[:2]:
        world.put(*one)
    process = command(world, "--trigger", "200 ms")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None and not world.rows("Reading"):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    text = said.decode()
    assert process.returncode == 0, text
    assert "ending after this micro-batch" in text
    assert "goes on where it was" in text
    for one in files[2:]:
        world.put(*one)
    again = command(world, "--once")
    _, said = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, said.decode()
    assert "http://localhost:" in said.decode()
    assert {name: world.ids(name) for name in DERIVED} == world.expected()


@pytest.fixture
def world_for_faults(tmp_path) -> World:
    return World(tmp_path)
