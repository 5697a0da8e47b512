"""Ctrl-C while a replay waits for the time to come: it ends cleanly, and not when the time has come."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.corrections.programs import about, text_of
from tests.spark.corrections.worlds import as_line
from tests.spark.programs.machines import PATIENCE

A_DAY = 24 * 60 * 60


def test_ctrl_c_ends_a_replay_that_waits(tmp_path):
    said = [about(0, 0, 0, g=1, v=1), about(1, A_DAY, A_DAY, g=1, v=1)]
    (tmp_path / "program.ensue").write_text(text_of(("join",), (), "6 seconds"))
    (tmp_path / "said.jsonl").write_text("".join(f"{as_line(one)}\n" for one in said))
    command = [sys.executable, "-m", "ensue", "run", "program.ensue", "--replay", "said.jsonl", "--speed", "1x"]
    more = ["--data", "data", "--master", "local[2]"]
    with subprocess.Popen([*command, *more], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("1 of 2 announcements" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, text
    assert "ending after this window" in text
    assert "goes on where it was" in text
