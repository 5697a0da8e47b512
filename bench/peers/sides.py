"""What a side of a comparison is: it gets ready for one workload, and then runs whenever it is its turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import psutil  # type: ignore[import-untyped]

from bench import measuring
from bench.peers.inputs import Inputs
from bench.peers.matching import Matches
from bench.workloads import Workload


class TooSlowError(Exception):
    """A side took longer than anybody would wait."""


@contextmanager
def in_time(patience: float | None, stop: Callable[[], object]) -> Iterator[None]:
    """Stops what is done here when it has taken so many seconds; it was too slow then, whatever came of it."""
    over = threading.Event()

    def end() -> None:
        over.set()
        stop()

    timer = threading.Timer(threading.TIMEOUT_MAX if patience is None else patience, end)
    timer.daemon = True
    if patience is not None:
        timer.start()
    try:
        yield
    except Exception:
        if over.is_set():
            raise TooSlowError from None
        raise
    finally:
        timer.cancel()
    if over.is_set():
        raise TooSlowError


@dataclass(frozen=True)
class Work:
    """What a side does: a run gives how many matches there were, `check` which."""

    run: Callable[[], int]
    check: Callable[[], Matches]


@dataclass(frozen=True)
class Ready(Work):
    """A side that is ready, and the processes that do its work."""

    processes: Callable[[], list[psutil.Process]]
    warm: Callable[[], bool] = lambda: False
    """Whether its process has run before: for this side, another one, or another question."""
    rest: Callable[[], object] = lambda: None
    """Gives back the memory that it does not need; called after a run that has left the machine with little."""
    rested: Callable[[], bool] = lambda: False
    """Whether it has done so since its process last ran."""


Kind: TypeAlias = Literal["ours", "peer", "limit"]
"""A limit finds nothing: it is the least that has to be done with the same events."""
Start: TypeAlias = Callable[[Workload, Inputs], AbstractContextManager[Ready]]


@dataclass(frozen=True)
class Side:
    name: str
    start: Start
    kind: Kind = "peer"
    cannot: frozenset[str] = frozenset()
    """The workloads that it cannot express."""
    most: int | None = None
    """It takes at most so many of the events, the first ones: what is compared is events a second."""


def of_spark() -> list[psutil.Process]:
    """This process, the Java that it has started for Spark, and the workers below that."""
    me = psutil.Process()
    found = [me]
    for one in me.children():
        with suppress(psutil.Error):
            if any("org.apache.spark.deploy" in word for word in one.cmdline()):
                found += [one, *one.children(recursive=True)]
    return found


Used: TypeAlias = dict[int, float]
"""What each process has used of the processors, in seconds, by its number."""


def processor_seconds(processes: list[psutil.Process]) -> Used:
    """What processes have used so far."""
    found: Used = {}
    for one in processes:
        with suppress(psutil.Error):
            times = one.cpu_times()
            found[one.pid] = times.user + times.system
    return found


def used_since(before: Used, processes: list[psutil.Process]) -> float:
    """What processes have used since then; what one used that is gone by now is not known."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in processor_seconds(processes).items())


def forget_peaks(processes: list[psutil.Process]) -> None:
    """What processes have held so far does not count any more; where the system cannot forget it, it does."""
    for one in processes:
        with suppress(OSError):
            Path(f"/proc/{one.pid}/clear_refs").write_text("5", encoding="ascii")


def peak_memory(processes: list[psutil.Process]) -> int:
    """The most bytes that processes have held, each at its own time; what several share counts for each."""
    total = 0
    for one in processes:
        with suppress(psutil.Error):
            total += measuring.high_water(one.pid) or one.memory_info().rss
    return total
