"""`ensue.Detector` in this process, fed at a fixed rate: `python -m bench.streams.paced ASKING MODE`.

It takes the same orders as the peers in Java that run in one process (peers/java/Peer.java), but has its own events:
`run … FROM TO RATE` feeds those before FROM as fast as possible and those before TO at so many a second, each when it
is due, whether the detector is ready or not. A wait is counted from then until the detector has told a match that ends
with the event. When it says that it is ready, it has made a detector.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

import ensue
from bench.peers import matching
from bench.peers.ourselves import CONTEXT
from bench.streams.asking import Asking

Told: TypeAlias = Iterator[tuple[int, ...]]
"""The places of the events of each match; before them the number of the rule, if it has one."""
MODES = ("one by one", "what has come")


@dataclass(frozen=True)
class Feeding:
    """`feed` takes the events from one place to another; `finish` says that nothing more will come."""

    feed: Callable[[int, int], Told]
    finish: Callable[[], Told]
    state: Callable[[], int]
    """How many bytes it takes to save what a detector has to remember."""


def one_by_one(asking: Asking, events: pa.Table) -> Feeding:
    """Each event is a dictionary, and is evaluated when it comes."""
    detector = ensue.Detector(asking.patterns, CONTEXT, immediate=True)
    ruled = not isinstance(asking.patterns, str)
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
            for one in detector.feed_one(event):
                yield (*([int(one.type)] if ruled else []), *map(int, one.constituents))

    return Feeding(feed, lambda: iter(()), lambda: len(detector.save()))


def what_has_come(asking: Asking, events: pa.Table) -> Feeding:
    """All events that are due are a batch, in columns; the newest one waits for the next."""
    detector = ensue.Detector(asking.patterns, CONTEXT)

    def told(results: Any) -> Told:
        found_of = results.items() if isinstance(results, dict) else [(None, results)]
        for name, found in found_of:
            if len(found):
                rule = () if name is None else (int(name),)
                ids = np.asarray(found.column("constituents").combine_chunks().flatten().cast(pa.int64()))
                yield from ((*rule, *row) for row in ids.reshape(len(found), -1).tolist())

    return Feeding(
        lambda start, end: told(detector.feed(events.slice(start, end - start))),
        lambda: told(detector.finish()),
        lambda: len(detector.save()),
    )


def pace(feeding: Feeding, first: int, end: int, rate: float, most: int) -> dict[str, Any]:
    """Feed at most so many at once; those before `first` are fed as fast as possible.

    What was loaded is kept out of the rounds of Python's garbage collector, as docs/api.md advises.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
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
    state = feeding.state()
    note(feeding.finish())
    found = matching.of_tuples(rows)
    middle, high = np.quantile(waits, [0.5, 0.99]) if waits else (0.0, 0.0)
    return {
        "seconds": seconds,
        "matches": found.count,
        "sum": found.sum,
        "p50": float(middle),
        "p99": float(high),
        "state": state,
    }


def main(asking: Asking, mode: str) -> None:
    events = asking.events()
    make, most = (one_by_one, 1) if mode == MODES[0] else (what_has_come, 100_000)
    make(asking, events)
    print('{"ready": true}', flush=True)
    for line in sys.stdin:
        first, end, rate = line.split()[-3:]
        told = pace(make(asking, events.slice(0, int(end))), int(first), int(end), float(rate), most)
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(Asking.read(Path(sys.argv[1])), sys.argv[2])
