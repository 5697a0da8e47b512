"""Groups that Spark spreads evenly over its tasks.

Spark sends a group to the task that the hash of its key says. By their own numbers a few places would mostly not go to
as many tasks: 0 and 1 both go to the same one of two, and the other has nothing to do. So each place gets a number that
goes where it should. Modulo the number of places it is still the place.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEED = 42
_AT_ONCE = 64
"""So many numbers are tried for each place at a time."""


@cache
def groups_of(places: int, shards: int) -> tuple[int, ...]:
    """For each place the number of its group: with as many tasks as shards, or half as many, all get equally many."""
    numbers = np.arange(places, dtype=np.int64)
    found = np.full(places, -1, np.int64)
    first = 0
    while (missing := np.flatnonzero(found < 0)).size:
        tried = numbers[missing, None] + places * np.arange(first, first + _AT_ONCE)
        fits = hashes(tried) % shards == (numbers[missing] % shards)[:, None]
        found[missing] = np.where(fits.any(axis=1), tried[np.arange(missing.size), fits.argmax(axis=1)], -1)
        first += _AT_ONCE
    return tuple(found.tolist())


def hashes(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    """What Spark's `hash` gives for 64-bit numbers: Murmur3 over both halves, the lower one first.

    If Spark had another one some day, groups would be spread less evenly, and nothing else would change.
    """
    halves = numbers.astype(np.uint64)
    state = np.full(numbers.shape, _SEED, np.uint32)
    for half in (halves & np.uint64(0xFFFFFFFF), halves >> np.uint64(32)):
        state ^= _turned(half.astype(np.uint32) * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        state = _turned(state, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    state ^= np.uint32(8)  # bytes
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        state = (state ^ (state >> np.uint32(shift))) * np.uint32(factor)
    return state.view(np.int32)


def _turned(bits: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return (bits << np.uint32(by)) | (bits >> np.uint32(32 - by))
