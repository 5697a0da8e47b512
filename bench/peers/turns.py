"""What is measured of a side while it takes turns with the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import psutil  # type: ignore[import-untyped]
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import measuring
from bench.peers.matching import Matches
from bench.peers.sides import Kind, Ready, forget_peaks, peak_memory, processor_seconds, used_since

WAITED, SHORT = 10.0, 10.0
"""Seconds: whoever has waited longer than the first, and runs shorter than the second, runs once to get going."""
LITTLE = 2 << 30
"""Whoever leaves the machine with less memory than that gives back his, and runs once to get going as well."""


@dataclass
class Turns:
    """The runs of a side. One that found something else than is expected does not count."""

    name: str
    kind: Kind
    events: int
    expected: Matches
    agrees: bool = True
    warming: list[float] = field(default_factory=list)
    """Seconds of the runs in which it warms up or gets going; not among the runs."""
    waited: list[float] = field(default_factory=list)
    """How many seconds before each run that counts it had ended the one before, whether that counts or not."""
    runs: measuring.Sample = field(default_factory=measuring.Sample)
    bytes: int = 0
    _ended: float = 0.0

    def begin(self, ready: Ready) -> None:
        """Twice, or once if its process is warm already."""
        warm = ready.warm()
        self._warm_up(lambda: ready.check() == self.expected)
        if not warm:
            self._get_going(ready)
        self._end(ready)

    def turn(self, ready: Ready) -> None:
        """A run that counts, and before it one to get going, if it has lost something that matters for its runs."""
        waited = time.monotonic() - self._ended > WAITED and self.warming[-1] < SHORT
        if waited or ready.rested():
            self._get_going(ready)
        self.waited.append(time.monotonic() - self._ended)
        forget_peaks(ready.processes())
        began, before = time.perf_counter(), processor_seconds(ready.processes())
        self.agrees &= ready.run() == self.expected.count or self.kind == "limit"
        self.runs.runs.append(time.perf_counter() - began)
        self.runs.processor.append(used_since(before, ready.processes()))
        self.bytes = max(self.bytes, peak_memory(ready.processes()))
        self._end(ready)

    def _get_going(self, ready: Ready) -> None:
        self._warm_up(lambda: ready.run() == self.expected.count)

    def _warm_up(self, found: Callable[[], bool]) -> None:
        """A run that does not count."""
        began = time.perf_counter()
        self.agrees &= found() or self.kind == "limit"
        self.warming.append(time.perf_counter() - began)
        self._ended = time.monotonic()

    def _end(self, ready: Ready) -> None:
        """Whoever waits for his turn should not hold the memory of others, if they need it."""
        if psutil.virtual_memory().available < LITTLE:
            ready.rest()
        self._ended = time.monotonic()

    @property
    def first(self) -> float:
        """Seconds of the very first run."""
        return self.warming[0]

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.runs.median

    def summary(self) -> dict[str, object]:
        return {
            "side": self.name,
            "kind": self.kind,
            "agrees": self.agrees,
            "events": self.events,
            "warming_seconds": self.warming,
            "waited_seconds": self.waited,
            "events_per_second": self.rate,
            "seconds": self.runs.summary(),
            "bytes": self.bytes,
        }


def fastest(some: list[Turns]) -> Turns | None:
    return max(some, key=lambda one: one.rate, default=None)


def table_of(taken: Sequence[Turns], best: Turns | None, title: str) -> Table:
    """The fastest first, beside the best peer."""
    table = Table(title=title, box=SIMPLE_HEAD)
    for column in ("", "events/s", "events", "s", "lowest – highest", "CPU s", "first, s", "MB", "× the best peer"):
        table.add_column(column, justify="left" if not column else "right")
    for one in sorted(taken, key=lambda one: -one.rate):
        table.add_row(
            one.name if one.agrees else f"{one.name} (finds something else: does not count)",
            f"{one.rate:,.0f}",
            f"{one.events:,}",
            f"{one.runs.median:.2f}",
            f"{min(one.runs.runs):.2f} – {max(one.runs.runs):.2f}",
            f"{one.runs.median_processor:.1f}",
            f"{one.first:.1f}",
            f"{one.bytes / 1e6:,.0f}",
            f"{one.rate / best.rate:.2f}" if one.agrees and best is not None else "",
            style={"ours": "bold", "limit": "dim"}.get(one.kind),
        )
    return table
