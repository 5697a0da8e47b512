"""Kill -9 of what a run has below it, at random moments: Spark's Python workers, their daemon, and Java itself.

A run either goes on, or ends with a clear word; and the tables end as if nothing had happened.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from tests.spark.programs.machines import PATIENCE
from tests.spark.programs.meters import Meters, is_told_clearly

pytestmark = pytest.mark.usefixtures("quick_starts")
JAVA = "java"
WORKERS = "ensue.spark.daemon"
"""What makes the workers; they have its name too."""


def below(process: subprocess.Popen[str], program: str) -> list[psutil.Process]:
    """The processes of this program that a run has started. Java has the name of others in its settings."""
    found = []
    with suppress(psutil.Error):
        for one in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.Error):
                if any(word.split("/")[-1] == program for word in one.cmdline()):
                    found.append(one)
    return found


def wait_for(happens: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Until something happens, or the run ends."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and not happens():
        assert time.monotonic() < end, "nothing happens any more"
        time.sleep(0.02)


def kill_workers(process: subprocess.Popen[str], chance: random.Random) -> bool:
    """One of them, or all with the daemon that makes them."""
    workers = below(process, WORKERS)
    chosen = workers if chance.random() < 0.3 else [chance.choice(workers)] if workers else []
    for one in chosen:
        with suppress(psutil.Error):
            one.kill()
    return bool(chosen)


def kill_and_go_on(
    world: Meters, times: int, masters: tuple[str, ...], seed: int
) -> tuple[subprocess.Popen[str] | None, int]:
    """Kill so many times while files come; gives the run that is left, if one is, and how many ended of it."""
    chance = random.Random(seed)
    killed = ended = 0
    process: subprocess.Popen[str] | None = None
    while killed < times:
        if process is None:
            process = world.begin("--trigger", "100 ms", master=chance.choice(masters))
        before = world.batches()
        world.more(chance)
        wait_for(lambda: world.batches() > before, process)  # noqa: B023 - it is called here
        world.more(chance)  # so that there is work while the moment comes
        time.sleep(chance.random() * 1.5)
        if process.poll() is not None:
            ended += 1
            fails_clearly(process)
            process = None
        elif kill_workers(process, chance):
            killed += 1
        else:  # the daemon was killed alone: its workers work on, and are not found below the run any more
            ends_when_asked(process)
            process = None
    return process, ended


def fails_clearly(process: subprocess.Popen[str]) -> None:
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, said
    is_told_clearly(said, "E436")


def ends_when_asked(process: subprocess.Popen[str]) -> None:
    """A run whose worker was just killed may also end for that."""
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 or "E436" in said, said


def lose(process: subprocess.Popen[str], program: str) -> None:
    """Kill all of a kind that a run has below it: it ends, and says so."""
    wait_for(lambda: bool(below(process, program)), process)
    for one in below(process, program):
        with suppress(psutil.Error):
            one.kill()
    fails_clearly(process)


def ends_as_it_should(world: Meters) -> None:
    world.end()
    code, said = world.run_once()
    assert code == 0, said
    assert world.told() == world.wanted()


def test_a_run_goes_on_without_a_worker_and_says_so_without_more(meters: Meters):
    """Tasks may be repeated, so workers are replaced; then Java is lost, and in a run without repetition the daemon."""
    process, _ = kill_and_go_on(meters, 3, ("local[2,4]",), 1)
    lose(process or meters.begin("--trigger", "100 ms"), JAVA)
    meters.feed(3)
    before = meters.batches()
    again = meters.begin("--once")
    wait_for(lambda: meters.batches() > before, again)
    lose(again, WORKERS)
    ends_as_it_should(meters)


@pytest.mark.slow
def test_workers_are_killed_again_and_again(meters: Meters):
    process, ended = kill_and_go_on(meters, 50, ("local[2]", "local[2,4]"), 2)
    assert ended > 0
    if process is not None:
        ends_when_asked(process)
    ends_as_it_should(meters)


@pytest.fixture
def meters(tmp_path: Path) -> Iterator[Meters]:
    """A world whose runs end with the test, also if it fails."""
    world = Meters(tmp_path)
    yield world
    for process in world.started:
        if process.poll() is None:
            process.kill()
            process.communicate()
