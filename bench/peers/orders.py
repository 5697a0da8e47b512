"""Processes that take orders: a line goes in, a line of JSON comes back."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

import psutil  # type: ignore[import-untyped]

from bench.peers.sides import in_time


class EndedError(RuntimeError):
    """A process has ended instead of giving an answer; the text has the end of what it said."""


@dataclass(frozen=True)
class Ordered:
    """A process that has been started; `born` is when, by the clock. It has so many seconds for an answer."""

    name: str
    process: subprocess.Popen[str]
    errors: IO[str]
    born: float
    patience: float | None = None

    def order(self, *words: object) -> dict[str, Any]:
        """Say it, and wait for the answer."""
        self.say(*words)
        return self.answer()

    def say(self, *words: object) -> None:
        pipe = self.process.stdin
        if pipe is None:
            raise RuntimeError("there is no pipe")
        with suppress(BrokenPipeError):  # whoever waits for the answer is told that it has ended
            pipe.write(" ".join(map(str, words)) + "\n")
            pipe.flush()

    def answer(self) -> dict[str, Any]:
        with in_time(self.patience, self.process.kill):
            line = self.process.stdout.readline() if self.process.stdout else ""
            if not line:
                self.errors.seek(0)
                raise EndedError(f"{self.name} has ended:\n{self.errors.read()[-4000:]}")
        return dict(json.loads(line))

    def processes(self) -> list[psutil.Process]:
        """The process and all that it has started, as far as they live."""
        try:
            me = psutil.Process(self.process.pid)
            return [me, *me.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []


@contextmanager
def ordered(
    name: str, command: Sequence[str], environment: Mapping[str, str] | None = None, patience: float | None = None
) -> Iterator[Ordered]:
    """The process while the block runs; all that it has started ends with it."""
    with tempfile.TemporaryFile("w+") as errors:
        born = time.time()
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        found = Ordered(name, process, errors, born, patience)
        try:
            yield found
        finally:
            everything = found.processes()
            for one in everything:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
            psutil.wait_procs(everything, timeout=10)
            process.communicate()
