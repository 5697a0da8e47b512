"""Servers that tests start on loopback: each in a process group of its own, and stopped whatever happens."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_RUNNING: list[subprocess.Popen[bytes]] = []


@atexit.register
def stop_all() -> None:
    """What a test that crashed has left."""
    while _RUNNING:
        stop(_RUNNING[-1])


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def start(command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a server. It ends with this process, even if that is killed: the kernel sees to it where it can."""
    setpriv = shutil.which("setpriv")
    leash = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
    with log.open("ab") as output:
        server = subprocess.Popen(
            [*leash, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=log.parent,
            start_new_session=True,
        )
    _RUNNING.append(server)
    return server


def stop(server: subprocess.Popen[bytes], patience: float = 10) -> None:
    """End a server with all that it started; kill what does not go."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(patience)
    with contextlib.suppress(ValueError):
        _RUNNING.remove(server)


@contextmanager
def running(
    command: Sequence[str], log: Path, answers: Callable[[], bool], environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A server while the block runs, from the moment when it answers."""
    server = start(command, log, environment)
    try:
        wait_until(answers, server, log)
        yield server
    finally:
        stop(server)


def wait_until(answers: Callable[[], bool], server: subprocess.Popen[bytes], log: Path, patience: float = 90) -> None:
    """Wait for a server; if it ends or says nothing for so long, its log tells why."""
    end = time.monotonic() + patience
    while not answers():
        if server.poll() is not None or time.monotonic() > end:
            shown = log.read_text("utf-8", "replace")[-4000:]
            raise RuntimeError(f"{server.args!r} does not answer; its log ends with:\n{shown}")
        time.sleep(0.1)


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
