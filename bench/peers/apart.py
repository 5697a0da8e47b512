"""A side in a Python process of its own, so that what it holds in memory is only its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import psutil  # type: ignore[import-untyped]

from bench import workloads
from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.peers.sides import Ready, Work


@contextmanager
def apart(
    make: Callable[[workloads.Workload, Inputs], Work], workload: workloads.Workload, inputs: Inputs
) -> Iterator[Ready]:
    """What `make`, which has to be a function of a module, gets ready there."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, make, workload.name, inputs), daemon=True)
    process.start()
    there.close()

    def ask(word: str) -> Any:
        here.send(word)
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


def _serve(
    words: Connection, make: Callable[[workloads.Workload, Inputs], Work], name: workloads.Name, inputs: Inputs
) -> None:
    work = make(workloads.named(name), inputs)
    while True:
        words.send(work.run() if words.recv() == "run" else work.check())
