"""`ensue.Detector` in this process, fed at a fixed rate: `python -m bench.streams.paced WORKLOAD COUNT MODE`.

It takes the same orders as the peers in Java that run in one process (peers/java/Peer.java), but has its own events:
`run … FROM TO RATE` feeds those before FROM as fast as possible and those before TO at so many a second, each when it
is due, whether the detector is ready or not. A wait is counted from then until the detector has told a match that ends
with the event.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa

import ensue
from bench import data, workloads
from bench.peers import matching
from bench.peers.ourselves import CONTEXT

Told: TypeAlias = Iterator[tuple[int, ...]]
"""The places of the events of each match."""
MODES = ("one by one", "what has come")


@dataclass(frozen=True)
class Feeding:
    """`feed` takes the events from one place to another; `finish` says that nothing more will come."""

    feed: Callable[[int, int], Told]
    finish: Callable[[], Told]


def one_by_one(workload: workloads.Workload, events: pa.Table) -> Feeding:
    """Each event is a dictionary, and is evaluated when it comes."""
    detector = ensue.Detector(workload.pattern, CONTEXT, immediate=True)
    types, times, keys, values = (events.column(name).to_pylist() for name in ("type", "time", "key", "value"))

    def feed(start: int, end: int) -> Told:
        for place in range(start, end):
            event = {
                "type": types[place],
                "time": times[place],
                "id": str(place),
                "key": keys[place],
                "value": values[place],
            }
            for found in detector.feed(event):
                yield tuple(map(int, found.constituents))

    return Feeding(feed, lambda: iter(()))


def what_has_come(workload: workloads.Workload, events: pa.Table) -> Feeding:
    """All events that are due are a batch, in columns; the newest one waits for the next."""
    detector = ensue.Detector(workload.pattern, CONTEXT)

    def told(found: pa.Table) -> Told:
        ids = np.asarray(found.column("constituents").combine_chunks().flatten().cast(pa.int64()))
        return (tuple(row) for row in ids.reshape(-1, workload.width).tolist())

    return Feeding(
        lambda start, end: told(detector.feed(events.slice(start, end - start))), lambda: told(detector.finish())
    )


def pace(feeding: Feeding, first: int, end: int, rate: float, most: int) -> dict[str, Any]:
    """Feed at most so many at once; those before `first` are fed as fast as possible."""
    rows = [row for start in range(0, first, most) for row in feeding.feed(start, min(start + most, first))]
    waits: list[float] = []

    def note(told: Told) -> None:
        for row in told:
            rows.append(row)
            waits.append(time.perf_counter() - start - (row[-1] - first) / rate)

    place, start = first, time.perf_counter()
    while place < end:
        due = min(end, first + int((time.perf_counter() - start) * rate) + 1, place + most)
        if due > place:
            note(feeding.feed(place, due))
            place = due
    seconds = time.perf_counter() - start
    note(feeding.finish())
    found = matching.of_rows(np.array(rows, np.int64))
    middle, high = np.quantile(waits, [0.5, 0.99]) if waits else (0.0, 0.0)
    return {"seconds": seconds, "matches": found.count, "sum": found.sum, "p50": float(middle), "p99": float(high)}


def history(count: int) -> pa.Table:
    """The events that the others have, too, with their places for ids."""
    return data.events(count, tied=False).append_column("id", pa.array(np.arange(count)).cast(pa.string()))


def main(name: workloads.Name, count: int, mode: str) -> None:
    workload, events = workloads.named(name), history(count)
    make, most = (one_by_one, 1) if mode == MODES[0] else (what_has_come, 100_000)
    print('{"ready": true}', flush=True)
    for line in sys.stdin:
        first, end, rate = line.split()[-3:]
        told = pace(make(workload, events.slice(0, int(end))), int(first), int(end), float(rate), most)
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(cast("workloads.Name", sys.argv[1]), int(sys.argv[2]), sys.argv[3])
