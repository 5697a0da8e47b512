"""Which ids have been seen, so that a second event with the same id is noticed.

A table in memory, by 128-bit digests of the ids: texts are not kept. Of a stream, ids whose events cannot matter any
more are forgotten, so that the table does not grow without end.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.arrays import FOREVER, Ints, Truths
from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.identity import Words, digest_ids
from ensue.engine.store import Ids

_SMALLEST = 1 << 10


class SeenIds:
    """Ids with the position and the time of the event that had them first.

    Remembered are those of events no older than `reach` before the newest, and no more than `most` of them; None sets
    no limit. The limits are only looked at when the table is full.
    """

    MOST = 1 << 22

    def __init__(self, reach: int | None = None, most: int | None = None) -> None:
        self.reach = reach
        self.most = most
        self.made = 0
        """Ids of events before this position may have been made from it, and are not in the table."""
        self._count = 0
        self._newest = -FOREVER
        self._lanes, self._positions, self._times = _empty(_SMALLEST)

    def made_from_positions(self, first: int, count: int) -> bool:
        """Note ids that are just positions. That costs nothing as long as no others were seen; False if some were."""
        if self._count:
            return False
        self.made = first + count
        return True

    def add(self, ids: Ids, positions: Ints, times: Ints) -> Ints:
        """Take ids in; for each the position of the event that had it before, or -1 if it is new."""
        self._newest = max(self._newest, int(times.max(initial=-FOREVER)))
        self._make_room(len(ids.codes))
        lanes = digest_ids(ids.codes, *ids.table())
        earlier: Ints = insert(lanes, positions, times, self._lanes, self._positions, self._times)
        self._count += int((earlier < 0).sum())
        if self.made:
            self._among_made(ids, earlier)
        return earlier

    def forget_from(self, position: int) -> None:
        """Forget the events from a position on: their batch was refused."""
        self._rebuild(self._positions < position, 0)

    def arrays(self) -> dict[str, Ints | Words]:
        """The table without its gaps, to be saved."""
        used = self._positions >= 0
        return {"lanes": self._lanes[used], "positions": self._positions[used], "times": self._times[used]}

    def refill(self, lanes: Words, positions: Ints, times: Ints) -> None:
        """Take in what `arrays` gave."""
        self._newest = max(self._newest, int(times.max(initial=-FOREVER)))
        self._make_room(len(times))
        insert(lanes, positions, times, self._lanes, self._positions, self._times)
        self._count = len(times)

    def _make_room(self, more: int) -> None:
        """The table is never more than half full."""
        if 2 * (self._count + more) <= len(self._positions):
            return
        wanted = self._positions >= 0
        if self.reach is not None:
            wanted &= self._times >= self._newest - self.reach
        if self.most is not None and self._count > self.most:
            wanted &= self._positions >= np.partition(self._positions, -self.most)[-self.most]
        self._rebuild(wanted, more)

    def _rebuild(self, wanted: Truths, more: int) -> None:
        kept = wanted & (self._positions >= 0)
        lanes, positions, times = self._lanes[kept], self._positions[kept], self._times[kept]
        self._count = len(positions)
        size = _SMALLEST
        while size < 4 * (self._count + more):
            size *= 2
        self._lanes, self._positions, self._times = _empty(size)
        insert(lanes, positions, times, self._lanes, self._positions, self._times)

    def _among_made(self, ids: Ids, earlier: Ints) -> None:
        """An id that is written like the position of an event that was called by it."""
        for row, text in enumerate(ids.to_pylist()):
            if earlier[row] < 0 and text.isascii() and text.isdigit() and len(text) < 19 and int(text) < self.made:
                earlier[row] = int(text) if str(int(text)) == text else -1


def _empty(size: int) -> tuple[Words, Ints, Ints]:
    return np.zeros((size, 2), np.uint64), np.full(size, -1, np.int64), np.zeros(size, np.int64)


@kernel
def insert(
    lanes: Words, positions: Ints, times: Ints, table_lanes: Words, table_positions: Ints, table_times: Ints
) -> Ints:
    """Put rows into the table (open addressing, its size a power of two); gives where each was known from, or -1."""
    mask = np.uint64(table_positions.size - 1)
    earlier = np.full(positions.size, -1, np.int64)
    for row in range(positions.size):
        at = lanes[row, 1] & mask
        while table_positions[at] >= 0:
            if table_lanes[at, 0] == lanes[row, 0] and table_lanes[at, 1] == lanes[row, 1]:
                earlier[row] = table_positions[at]
                break
            at = (at + np.uint64(1)) & mask
        if earlier[row] < 0:
            table_lanes[at, 0], table_lanes[at, 1] = lanes[row, 0], lanes[row, 1]
            table_positions[at] = positions[row]
            table_times[at] = times[row]
    return earlier
