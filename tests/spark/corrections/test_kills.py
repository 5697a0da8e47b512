"""A replay that is killed again and again ends with the publications of one that nobody disturbed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.corrections.programs import END, about, text_of
from tests.spark.corrections.worlds import as_line

from ensue.model.announcements import Announcement, Operation
from ensue.time import format_instant

TEXT = text_of(("join", "sequence"), (), "6 seconds")


def history(seed: int) -> list[Announcement]:
    """Half a minute in which things are announced, and then changed or taken back."""
    chance, found = random.Random(seed), []
    for number in range(30):
        time = number + chance.randrange(3)
        found.append(about(number, time, time, g=chance.randrange(2), v=chance.randrange(4)))
        if chance.random() < 0.5:
            operation = chance.choice([Operation.CHANGE, Operation.RETRACT])
            found.append(about(number, time + 1, time + 2, operation, g=chance.randrange(2), v=chance.randrange(4)))
    return sorted(found, key=lambda one: one.detected)


def start(base: Path, data: str = "data", output: str = "out.jsonl") -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ensue", "run", "program.ensue", "--replay", "said.jsonl", "--master", "local[2]"]
    told = ["--until", format_instant(END), "--data", data, "--output", output]
    return subprocess.Popen([*command, *told], cwd=base, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.mark.slow
def test_kills_change_nothing(tmp_path):
    said = history(1)
    (tmp_path / "program.ensue").write_text(TEXT)
    (tmp_path / "said.jsonl").write_text("".join(f"{as_line(one)}\n" for one in said))
    states = tmp_path / "data/corrections/state"
    for number in (0, 1, 3):
        process, began = start(tmp_path), monotonic()
        while process.poll() is None and monotonic() - began < 600:
            if states.exists() and any(int(one.name) >= number for one in states.iterdir()):
                break
            sleep(0.05)
        sleep(random.Random(number).uniform(0, 1))  # somewhere in the next window
        assert process.poll() is None, "it was to be killed on its way"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not (tmp_path / "out.jsonl").exists()
    assert start(tmp_path).wait() == 0
    assert start(tmp_path, "undisturbed", "expected.jsonl").wait() == 0
    expected = (tmp_path / "expected.jsonl").read_text()
    assert len(expected.splitlines()) > 10
    assert (tmp_path / "out.jsonl").read_text() == expected
