"""No server outlives the tests that started it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from tests.spark.servers import start, stop

STARTING = """
import sys, time
from pathlib import Path
from tests.spark.servers import start
print(start(["sleep", "600"], Path(sys.argv[1])).pid, flush=True)
time.sleep(600)
"""


def is_gone(pid: int, patience: float = 20) -> bool:
    end = time.monotonic() + patience
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_a_server_is_stopped_with_what_it_started(tmp_path: Path):
    server = start(["sh", "-c", "sleep 600 & echo $!; wait"], tmp_path / "log")
    while not (tmp_path / "log").read_text().strip():
        time.sleep(0.05)
    child = int((tmp_path / "log").read_text())
    stop(server)
    assert is_gone(server.pid)
    assert is_gone(child)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="only Linux ends a process with its parent")
def test_a_server_ends_when_the_tests_are_killed(tmp_path: Path):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", STARTING, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as tests:
        assert tests.stdout is not None
        pid = int(tests.stdout.readline())
        while psutil.Process(pid).name() != "sleep":  # before that, it has not asked to end with its parent
            time.sleep(0.05)
        tests.kill()
    assert is_gone(pid)
