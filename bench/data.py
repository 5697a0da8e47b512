"""The benchmark's events: a history that is the same on every machine and however it is cut into batches.

Everything about an event follows from its position by arithmetic, so a batch from the middle of the stream needs
nothing of what came before it. README.md has the rates and what they lead to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int8]
Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]

compiled = njit(cache=True)

TYPES = ("A", "B", "C", "D", "Z")
"""The event classes; a type's code is its place here. Z is noise: no workload asks for it."""
KEYS = 10_000
DEFAULT_EVENTS = 10_000_000

SHARES = np.repeat(np.arange(5, dtype=np.int8), (4, 3, 4, 5, 4))
"""Of 20 events: 4 are A, 3 B, 4 C, 5 D and 4 noise."""
GAP = 750
"""Microseconds from one event to the next: 80,000 events a minute, 8 for each key."""
FIRST = 1_767_225_600_000_000
"""2026-01-01, in microseconds."""
TIED = 16
"""One in so many events comes at the very time of the one before."""


class Columns(NamedTuple):
    """The raw columns, as a hand-written loop takes them."""

    types: Codes
    times: Integers
    keys: Integers
    values: Reals

    @classmethod
    def of(cls, table: pa.Table) -> Columns:
        """The columns of a table in one piece; nothing is copied."""
        type_, time, key, value = (table.column(name).chunk(0) for name in ("type", "time", "key", "value"))
        return cls(type_.indices.to_numpy(), time.cast(pa.int64()).to_numpy(), key.to_numpy(), value.to_numpy())

    def write(self, path: Path) -> None:
        """One after the other, as peers/java/Peer.java reads them."""
        with path.open("wb") as file:
            for column in self:
                file.write(np.ascontiguousarray(column).tobytes())

    @classmethod
    def read(cls, path: Path, count: int) -> Columns:
        """The first so many of each."""
        content = path.read_bytes()
        size = len(content) // 25
        return cls(
            np.frombuffer(content, np.int8, count),
            np.frombuffer(content, np.int64, count, size),
            np.frombuffer(content, np.int64, count, 9 * size),
            np.frombuffer(content, np.float64, count, 17 * size),
        )

    def before(self, end: int) -> Columns:
        """Those of the first events."""
        return Columns(self.types[:end], self.times[:end], self.keys[:end], self.values[:end])


def events(count: int = DEFAULT_EVENTS, start: int = 0, *, tied: bool = True) -> pa.Table:
    """The events at the positions from `start` on, as an Arrow table: type, time, key, value; ids are the positions.

    Without ties each has a time of its own: peers differ in what they make of simultaneous events.
    """
    types, times = np.empty(count, np.int8), np.empty(count, np.int64)
    keys, values = np.empty(count, np.int64), np.empty(count, np.float64)
    _fill(start, tied, types, times, keys, values)
    return pa.table(
        {
            "type": pa.DictionaryArray.from_arrays(types, list(TYPES)),
            "time": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "key": keys,
            "value": values,
        }
    )


def batches(count: int, size: int) -> Iterator[pa.Table]:
    """The same events, cut into batches that are made one at a time."""
    for start in range(0, count, size):
        yield events(min(size, count - start), start)


@compiled
def _fill(start: int, tied: bool, types: Codes, times: Integers, keys: Integers, values: Reals) -> None:
    for row in range(len(types)):
        position = start + row
        types[row] = SHARES[_mixed(position, 1) % np.uint64(len(SHARES))]
        keys[row] = _mixed(position, 2) % np.uint64(KEYS)
        values[row] = _distinct(position)
        joins = tied and _mixed(position, 3) % np.uint64(TIED) == 0 and not _adds_a_digit(position)
        nominal = position - 1 if joins else position
        times[row] = FIRST + nominal * GAP + np.int64(_mixed(nominal, 4) % np.uint64(GAP))


@compiled
def _mixed(position: int, salt: int) -> np.uint64:
    """64 bits that look random (the finaliser of splitmix64)."""
    x = np.uint64(position) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt) * np.uint64(0xD1B54A32D192ED03)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _distinct(position: int) -> float:
    """A number in [0, 2), different for every position: each step is a bijection of the 53 bits that a double holds."""
    mask = np.uint64((1 << 53) - 1)
    x = (np.uint64(position) * np.uint64(0x9E3779B97F4A7C15)) & mask
    x = ((x ^ (x >> np.uint64(27))) * np.uint64(0xBF58476D1CE4E5B9)) & mask
    x = ((x ^ (x >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)) & mask
    return np.float64(x ^ (x >> np.uint64(27))) * 2.0**-52


@compiled
def _adds_a_digit(position: int) -> bool:
    """Whether the position is 0, 1, 10, 100 …

    Such an event is not simultaneous with the one before, so that ids made from positions have the order of the rows
    among simultaneous events even though ids compare as text.
    """
    power = 1
    while power < position:
        power *= 10
    return position in (0, power)
