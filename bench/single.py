"""Single events through a detector in immediate mode: `./ensue bench single`. README.md says what is measured."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeAlias

import cyclopts
import numpy as np

from bench import data, machine, measuring, ours, workloads
from ensue.algebra.building import attr, event, some_of, var

TARGET = 10_000
"""Events a second."""
KEYS = 200

Feed: TypeAlias = Callable[[dict[str, object]], int]

_a, _b, _c, _d = (event(name, key=var.k) for name in "ABCD")
PATTERNS = (
    *(workload.pattern for workload in workloads.WORKLOADS),
    (_a & _b).within("10 seconds"),
    some_of(2, _a, _b, _c).within("10 seconds"),
    (_a | _b).then(_d).within("30 seconds"),
    _b.then(_c).without(_d).within("1 minute"),
    _b.times(5).within("5 minutes"),
    event("A", attr.value > 1.5, key=var.k).then(event("D", attr.value < 0.5, key=var.k)).within("30 seconds"),
)


def main(events: int = 2000, runs: int = 5, context: str = "recent") -> int:
    """Feed events one by one, with ten patterns loaded, and count how many a second get through.

    Parameters
    ----------
    events
        How many events a run feeds.
    runs
        How many runs, each with a new detector.
    context
        The context of all patterns.
    """
    facts = machine.facts()
    measuring.one_core()
    history = _history(events)
    _stream(ours.immediate(PATTERNS, context), history, [])  # compiles, and reads caches
    whole = measuring.Sample()
    latencies: list[float] = []
    found = 0
    for _ in range(runs):
        feed = ours.immediate(PATTERNS, context)
        found = whole.add(_stream, feed, history, latencies)
    speed = events / whole.median
    middle, late = (float(quantile) * 1e6 for quantile in np.quantile(latencies, [0.5, 0.99]))
    measuring.console.print(
        f"{len(PATTERNS)} patterns, {context}, {found:,} occurrences from {events:,} events: {speed:,.0f} events "
        f"a second (target ≥ {TARGET:,}); one event takes {middle:.0f} µs, 99 of 100 at most {late:.0f} µs",
        style="green" if speed >= TARGET else "red",
    )
    quiet = measuring.judge_cores([whole])
    settings: dict[str, object] = {
        "events": events,
        "runs": runs,
        "context": context,
        "patterns": [str(pattern) for pattern in PATTERNS],
        "target": TARGET,
    }
    results = {
        "events_per_second": speed,
        "seconds": whole.summary(),
        "median_microseconds": middle,
        "microseconds_99_of_100": late,
        "occurrences": found,
    }
    measuring.save("single", facts, settings, results, quiet)
    return 0 if speed >= TARGET else 1


def _stream(feed: Feed, history: list[dict[str, object]], latencies: list[float]) -> int:
    """Feed the events one by one, keep how long each took, and return how many occurrences there were."""
    found = 0
    for row in history:
        start = perf_counter()
        found += feed(row)
        latencies.append(perf_counter() - start)
    return found


def _history(count: int) -> list[dict[str, object]]:
    """The usual events as dictionaries, of fewer keys and in slower time, so that a short history has many occurrences.

    The rate of events for each key stays what it is.
    """
    columns = data.Columns.of(data.events(count))
    slower = data.FIRST + (columns.times - data.FIRST) * (data.KEYS // KEYS)
    rows = zip(columns.types, slower, columns.keys % KEYS, columns.values, strict=True)
    return [
        {"type": data.TYPES[type_], "time": int(time) // 1000, "key": int(key), "value": float(value)}
        for type_, time, key, value in rows
    ]


if __name__ == "__main__":
    cyclopts.run(main)
