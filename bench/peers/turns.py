"""What is measured of a side while it takes turns with the others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import measuring
from bench.peers.matching import Matches
from bench.peers.sides import Kind, Ready, memory, processor_seconds, used_since


@dataclass
class Turns:
    """The runs of a side. One that found something else than is expected does not count."""

    name: str
    kind: Kind
    events: int
    expected: Matches
    agrees: bool = True
    warming: list[float] = field(default_factory=list)
    """Seconds of the first runs, in which a process warms up; not among the runs."""
    runs: measuring.Sample = field(default_factory=measuring.Sample)
    bytes: int = 0

    def begin(self, ready: Ready) -> None:
        began = time.perf_counter()
        self.agrees = ready.check() == self.expected or self.kind == "limit"
        self.warming.append(time.perf_counter() - began)
        self._warm_up(ready)
        ready.rest()

    def turn(self, ready: Ready) -> None:
        """One run to get going, and one that counts.

        Whoever has waited has lost memory, workers or what the system had read for it, and nobody runs like that.
        """
        self._warm_up(ready)
        began, before = time.perf_counter(), processor_seconds(ready.processes())
        self.agrees &= ready.run() == self.expected.count or self.kind == "limit"
        self.runs.runs.append(time.perf_counter() - began)
        self.runs.processor.append(used_since(before, ready.processes()))
        self.bytes = max(self.bytes, memory(ready.processes()))
        ready.rest()

    def _warm_up(self, ready: Ready) -> None:
        began = time.perf_counter()
        self.agrees &= ready.run() == self.expected.count or self.kind == "limit"
        self.warming.append(time.perf_counter() - began)

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
