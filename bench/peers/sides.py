"""What a side of a comparison is: it gets ready for one workload, and then runs whenever it is its turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import TypeAlias

import psutil  # type: ignore[import-untyped]

from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.workloads import Workload


@dataclass(frozen=True)
class Ready:
    """A side that is ready: a run gives how many matches there were, `check` which; `process` does the work."""

    run: Callable[[], int]
    check: Callable[[], Matches]
    process: int


Start: TypeAlias = Callable[[Workload, Inputs], AbstractContextManager[Ready]]


@dataclass(frozen=True)
class Side:
    name: str
    start: Start
    ours: bool = False
    cannot: frozenset[str] = frozenset()
    """The workloads that it cannot express."""
    part: int = 1
    """It takes only one in so many of the events, the first ones: what is compared is events a second."""


def processor_seconds(process: int) -> float:
    """What a process and all below it have used of the processors."""
    total = 0.0
    with suppress(psutil.Error):
        parent = psutil.Process(process)
        for one in (parent, *parent.children(recursive=True)):
            with suppress(psutil.Error):
                times = one.cpu_times()
                total += times.user + times.system
    return total


def memory(process: int) -> int:
    """The bytes that a process and all below it hold now; what several share counts for each."""
    total = 0
    with suppress(psutil.Error):
        parent = psutil.Process(process)
        for one in (parent, *parent.children(recursive=True)):
            with suppress(psutil.Error):
                total += one.memory_info().rss
    return total
