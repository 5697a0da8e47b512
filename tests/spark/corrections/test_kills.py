"""Kill -9 with corrections in flight, and start again: what is published is what an undisturbed run publishes."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.corrections.programs import END, SECOND, START, about, text_of
from tests.spark.corrections.worlds import as_line
from tests.spark.programs.machines import PATIENCE

from ensue.model.announcements import Announcement, Operation
from ensue.time import format_instant

pytestmark = pytest.mark.usefixtures("quick_starts")
TEXT = text_of(("join", "sequence"), (), "6 seconds")
SOURCE = r"\g<0> FROM json OPTIONS (path '\g<1>', maxFilesPerTrigger 1)"
"""Behind what a subscribed class says of itself."""


def history(seconds: int) -> list[Announcement]:
    """Some time in which things are announced, and then changed or taken back."""
    chance, found = random.Random(14), []
    for number in range(seconds):
        time = number + chance.randrange(3)
        found.append(about(number, time, time, g=chance.randrange(2), v=chance.randrange(4)))
        if chance.random() < 0.5:
            operation = chance.choice([Operation.CHANGE, Operation.RETRACT])
            found.append(about(number, time + 1, time + 2, operation, g=chance.randrange(2), v=chance.randrange(4)))
    return sorted(found, key=lambda one: one.detected)


@dataclass(frozen=True)
class Replayed:
    """All announcements in one recording, which goes in windows by its grid."""

    base: Path
    seconds: int

    def prepare(self) -> None:
        (self.base / "program.ensue").write_text(TEXT)
        said = "".join(f"{as_line(one)}\n" for one in history(self.seconds))
        (self.base / "said.jsonl").write_text(said)

    def options(self) -> list[str]:
        return ["--replay", "said.jsonl", "--until", format_instant(END), "--output", "out.jsonl"]


@dataclass(frozen=True)
class Live:
    """Files that say when things were detected, one for each class and three seconds, each a micro-batch."""

    base: Path
    seconds: int

    def prepare(self) -> None:
        text = re.sub(r"SUBSCRIBED EVENT CLASS (\w+)[^;]*", SOURCE, TEXT)
        (self.base / "program.ensue").write_text(text)
        for name in "ABC":
            (self.base / name).mkdir()
            for second in range(0, self.seconds + 6, 3):
                low = START + second * SECOND
                here = [
                    one for one in history(self.seconds) if one.type == name and low <= one.detected < low + 3 * SECOND
                ]
                file = self.base / name / f"{second}.jsonl"
                file.write_text("".join(f"{as_line(one)}\n" for one in here) or "\n")
                os.utime(file, (1_700_000_000 + second,) * 2)

    def options(self) -> list[str]:
        return ["--once"]


Way = type[Replayed] | type[Live]


def output(world: Replayed | Live) -> Path:
    """What a replay writes in the end, as a whole or not at all."""
    return world.base / "out.jsonl"


def begin(world: Replayed | Live, data: str) -> subprocess.Popen[bytes]:
    output(world).unlink(missing_ok=True)
    command = [sys.executable, "-m", "ensue", "run", "program.ensue", "--master", "local[2]", "--data", data]
    return subprocess.Popen(
        [*command, *world.options()], cwd=world.base, stderr=subprocess.PIPE, start_new_session=True
    )


def windows(folder: Path) -> int:
    """How many windows have been made."""
    states = folder / "corrections/state"
    return max((int(one.name) + 1 for one in states.glob("[0-9]*")), default=0) if states.exists() else 0


def finished(world: Replayed | Live, data: str) -> tuple[list[dict[str, Any]], str]:
    """What has been published when a run has come to its end: the table, and what a replay has written."""
    process = begin(world, data)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said.decode()
    table = pq.ParquetDataset(world.base / data / "tables/publications").read()
    return sorted(table.to_pylist(), key=str), output(world).read_text() if isinstance(world, Replayed) else ""


def kill_and_go_on(world: Replayed | Live, times: int, seed: int) -> None:
    """Each time when some windows have been made, or while the next one is; an end before that is one to compare."""
    base, chance = world.base, random.Random(seed)
    world.prepare()
    expected = finished(world, "undisturbed")
    assert {one["case"] for one in expected[0]} == {"on time", "late", "change", "revoke"}
    assert windows(base / "undisturbed") > world.seconds // 3
    rounds = killed = 0
    while killed < times:
        folder = base / f"data{rounds}"
        process, before, end = begin(world, folder.name), windows(folder), time.monotonic() + PATIENCE
        wanted = before + chance.randrange(3)
        while process.poll() is None and windows(folder) < wanted:
            assert time.monotonic() < end, "nothing happens any more"
            time.sleep(0.02)
        time.sleep(chance.random() * (0.6 if wanted else 15))
        if process.poll() is None:
            killed += 1
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            assert not output(world).exists() or output(world).read_text() == expected[1]  # it was at its very end
        else:
            _, said = process.communicate()
            assert process.returncode == 0, said.decode()
            assert finished(world, folder.name) == expected
            rounds += 1
    assert finished(world, f"data{rounds}") == expected


def test_a_run_that_is_killed_publishes_what_another_does(tmp_path: Path):
    kill_and_go_on(Live(tmp_path, 9), 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("way", [Live, Replayed])
def test_killed_again_and_again(tmp_path: Path, way: Way):
    kill_and_go_on(way(tmp_path, 30), 50, 2)
