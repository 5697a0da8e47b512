"""Whether memory grows with the length of the stream: `python -m bench.memory`. README.md says what is measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import cyclopts
from rich.table import Table

from bench import data, measuring, ours, workloads

if TYPE_CHECKING:
    import pyarrow as pa

ALLOWED = 1.05
"""How much higher than after the first tenth the peak may be at the end: allocators are not exact."""


def main(events: int = 100_000_000, batch: int = 1_000_000, workload: str = "W1", context: str = "continuous") -> int:
    """Take a long stream through a detector in batches that are made on the fly, and watch the peak of memory.

    Parameters
    ----------
    events
        The length of the stream.
    batch
        How many events are fed at a time.
    workload
        Whose pattern is detected: W1, W2, W3 or W4.
    context
        In which context.
    """
    if not ours.Detector:
        return measuring.not_there("Detector")
    facts = measuring.machine()
    pattern = next(w.pattern for w in workloads.WORKLOADS if w.name == workload)
    peaks: list[int] = []

    def watched() -> Iterator[pa.Table]:
        for number, table in enumerate(data.batches(events, batch), start=1):
            yield table
            if number * batch * 10 // events > len(peaks):
                peaks.append(measuring.peak_memory())

    sample = measuring.Sample()
    data.events(batch)
    baseline = measuring.peak_memory()
    occurrences = sample.add(ours.detect, pattern, context, watched())
    end = measuring.peak_memory()
    growth = end / peaks[0]

    shown = Table(title=f"{workload} {context}, {events:,} events in batches of {batch:,}: peak memory")
    shown.add_column("after")
    shown.add_column("MiB", justify="right")
    for name, peak in [("one batch made, no detector", baseline), *_named(peaks), ("the end", end)]:
        shown.add_row(name, f"{peak / 2**20:.1f}")
    measuring.console.print(shown)
    measuring.console.print(
        f"{occurrences:,} occurrences in {sample.median:.1f} s; the end is {growth:.3f} × the first tenth",
        style="green" if growth <= ALLOWED else "red",
    )
    settings: dict[str, object] = {
        "events": events,
        "batch": batch,
        "workload": workload,
        "pattern": str(pattern),
        "context": context,
    }
    results = {
        "baseline_bytes": baseline,
        "peak_bytes_after_each_tenth": peaks,
        "peak_bytes_at_the_end": end,
        "growth": growth,
        "occurrences": occurrences,
        "seconds": sample.median,
    }
    measuring.save("memory", facts, settings, results)
    return 0 if growth <= ALLOWED else 1


def _named(peaks: list[int]) -> list[tuple[str, int]]:
    return [(f"{tenth} tenth{'s' if tenth > 1 else ''}", peak) for tenth, peak in enumerate(peaks, start=1)]


if __name__ == "__main__":
    cyclopts.run(main)
