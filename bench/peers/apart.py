"""A side in a Python process of its own, so that what it holds in memory is only its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import psutil  # type: ignore[import-untyped]

from bench.peers.matching import Matches
from bench.peers.sides import Ready, Work, in_time


@contextmanager
def apart(make: Callable[..., Work], *given: object, patience: float | None = None) -> Iterator[Ready]:
    """What `make`, a function of a module, gets ready there from what it is given; it has so many seconds for a run."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, make, given), daemon=True)
    process.start()
    there.close()

    def ask(word: str) -> Any:
        here.send(word)
        with in_time(patience, process.kill):
            return here.recv()

    def run() -> int:
        return int(ask("run"))

    def check() -> Matches:
        found: Matches = ask("check")
        return found

    try:
        yield Ready(run, check, lambda: [psutil.Process(process.pid)])
    finally:
        process.kill()
        process.join()


def _serve(words: Connection, make: Callable[..., Work], given: tuple[object, ...]) -> None:
    work = make(*given)
    while True:
        words.send(work.run() if words.recv() == "run" else work.check())
