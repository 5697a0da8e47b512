"""What a side found, in two numbers: how many matches, and a sum that depends on which they are, not on their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bench.data import Integers


@dataclass(frozen=True)
class Matches:
    count: int
    sum: int

    def __add__(self, other: Matches) -> Matches:
        """Both together."""
        return Matches(self.count + other.count, (self.sum + other.sum) % 2**64)


NOTHING = Matches(0, 0)


def of_rows(rows: Integers) -> Matches:
    """The matches with these positions of events, one match a row; java/Peer.java does the same."""
    with np.errstate(over="ignore"):
        hashes = _mixed(rows[:, 0].astype(np.uint64) + np.uint64(1))
        for place in range(1, rows.shape[1]):
            hashes = _mixed(hashes + rows[:, place].astype(np.uint64))
        return Matches(len(rows), int(hashes.sum(dtype=np.uint64)))


def of_tuples(told: Iterable[tuple[int, ...]]) -> Matches:
    """The same of matches that need not have the same number of events."""
    by_width: dict[int, list[tuple[int, ...]]] = {}
    for one in told:
        by_width.setdefault(len(one), []).append(one)
    return sum((of_rows(np.array(some, np.int64)) for some in by_width.values()), NOTHING)


def _mixed(x: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
