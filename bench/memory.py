"""Whether memory grows with the length of the stream: `./ensue bench memory`. README.md says what is measured."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import data, machine, measuring, ours, workloads

if TYPE_CHECKING:
    import pyarrow as pa

ALLOWED = 1.05
"""How much higher than after the first tenth the peak may be at the end: allocators are not exact."""
CONTEXTS = ("chronicle", "recent")


@dataclass(frozen=True)
class Watch:
    """The peaks of memory, in bytes, while one stream went through a detector."""

    context: str
    baseline: int
    """With one batch made and no detector."""
    peaks: list[int]
    """After each tenth of the stream."""
    end: int
    occurrences: int
    sample: measuring.Sample

    @property
    def growth(self) -> float:
        return self.end / self.peaks[0]

    def passes(self) -> bool:
        return self.growth <= ALLOWED

    def summary(self) -> dict[str, object]:
        return {
            "context": self.context,
            "growth": self.growth,
            "baseline_bytes": self.baseline,
            "peak_bytes_after_each_tenth": self.peaks,
            "peak_bytes_at_the_end": self.end,
            "occurrences": self.occurrences,
            "seconds": self.sample.summary(),
        }


def main(events: int = 100_000_000, batch: int = 1_000_000, workload: workloads.Name = "W1") -> int:
    """Take a long stream through a detector in batches that are made on the fly, and watch the peak of memory.

    Parameters
    ----------
    events
        The length of the stream.
    batch
        How many events are fed at a time.
    workload
        Whose pattern is detected.
    """
    facts = machine.facts()
    watches = [_apart(events, batch, workload, context) for context in CONTEXTS]
    measuring.console.print(_table(watches, f"{workload}, {events:,} events in batches of {batch:,}"))
    quiet = measuring.judge_cores([watched.sample for watched in watches])
    settings: dict[str, object] = {
        "events": events,
        "batch": batch,
        "workload": workload,
        "pattern": str(workloads.named(workload).pattern),
        "allowed_growth": ALLOWED,
    }
    measuring.save("memory", facts, settings, [watched.summary() for watched in watches], quiet)
    return 0 if all(watched.passes() for watched in watches) else 1


def _apart(events: int, batch: int, workload: workloads.Name, context: str) -> Watch:
    """Each stream has a process of its own: a process cannot forget its peak."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(watch, events, batch, workload, context).result()


def watch(events: int, batch: int, workload: workloads.Name, context: str) -> Watch:
    """Take the stream through a detector, in this process."""
    measuring.one_core()
    peaks: list[int] = []

    def watched() -> Iterator[pa.Table]:
        for number, table in enumerate(data.batches(events, batch), start=1):
            yield table
            if number * batch * 10 // events > len(peaks):
                peaks.append(measuring.peak_memory())

    data.events(batch)
    baseline = measuring.peak_memory()
    sample = measuring.Sample()
    occurrences = sample.add(ours.detect, workloads.named(workload).pattern, context, watched())
    return Watch(context, baseline, peaks, measuring.peak_memory(), occurrences, sample)


def _table(watches: list[Watch], title: str) -> Table:
    table = Table(title=f"{title}: peak memory in MiB", box=SIMPLE_HEAD)
    table.add_column("after")
    for watched in watches:
        table.add_column(watched.context, justify="right")
    table.add_row("one batch made, no detector", *(_mebibytes(watched.baseline) for watched in watches))
    for tenth, peaks in enumerate(zip(*(watched.peaks for watched in watches), strict=True), start=1):
        table.add_row(f"{tenth} tenth{'s' if tenth > 1 else ''}", *map(_mebibytes, peaks))
    table.add_row("the end", *(_mebibytes(watched.end) for watched in watches), end_section=True)
    colours = ["green" if watched.passes() else "red" for watched in watches]
    growths = [f"[{colour}]{watched.growth:.3f} ×[/]" for colour, watched in zip(colours, watches, strict=True)]
    table.add_row(f"end / first tenth (≤ {ALLOWED:g})", *growths)
    table.add_row("occurrences", *(f"{watched.occurrences:,}" for watched in watches))
    table.add_row("seconds, events made included", *(f"{watched.sample.median:.0f}" for watched in watches))
    return table


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:.1f}"


if __name__ == "__main__":
    cyclopts.run(main)
