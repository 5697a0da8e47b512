"""A history with chains in it: events of the types T0, T1, … in this order with a key of their own, among noise.

However long the chains are and however long the window is, there are as many matches: what grows is the work.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from bench.data import FIRST

SECOND = 1_000_000
NOISE = 5
"""How many types of noise there are."""


def history(events: int, length: int, chains: int, gap: int = SECOND // 20, within: int = 8 * SECOND) -> pa.Table:
    """So many events, one every `gap` microseconds; so many chains, each of which takes at most `within`."""
    chance = np.random.default_rng(7)
    if chains * length * 2 > events:
        raise ValueError(f"{chains} chains of {length} do not fit among {events} events")
    types = (length + chance.integers(0, NOISE, events)).astype(np.int16)
    keys = chains + chance.integers(0, chains, events)  # noise has keys too, and none of them is a chain's
    spread = within // gap
    starts = np.sort(chance.choice(events - spread, chains, replace=False))
    free = np.ones(events, bool)
    for chain, start in enumerate(starts):
        open_places = start + np.flatnonzero(free[start : start + spread])
        places = open_places[np.sort(chance.choice(len(open_places), length, replace=False))]
        types[places], keys[places], free[places] = np.arange(length), chain, False
    names = [f"T{number}" for number in range(length)] + [f"N{number}" for number in range(NOISE)]
    times = FIRST + np.arange(events, dtype=np.int64) * gap
    return pa.table(
        {
            "type": pa.DictionaryArray.from_arrays(pa.array(types), names),
            "time": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "key": keys,
        }
    )


def pattern(length: int, window: str) -> str:
    return " then ".join(f"T{number}(key = ?k)" for number in range(length)) + f" within {window}"
