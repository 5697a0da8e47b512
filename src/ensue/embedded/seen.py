"""Which ids have been seen, so that a second event with the same id is noticed.

A table in memory, by digests of the ids: texts are not kept. Ids that are plainly new wait outside it, as `FreshIds`.
Of a stream, ids whose events cannot matter any more are forgotten, so that neither grows without end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensue.embedded.fresh_ids import FreshIds
from ensue.engine.arrays import FOREVER, Ints, Truths, frozen
from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.identity import Words, digest_ids
from ensue.engine.store import Ids
from ensue.model.identity import text_lanes

_SMALLEST = 1 << 10


class Table(NamedTuple):
    """Places for ids: 96 bits of their digests, and the position (-1: free) and the time of the event that had them."""

    high: Words
    low: npt.NDArray[np.uint32]
    positions: Ints
    times: Ints

    @classmethod
    def empty(cls, size: int) -> Table:
        positions = np.full(size, -1, np.int64)
        return cls(np.zeros(size, np.uint64), np.zeros(size, np.uint32), positions, np.zeros(size, np.int64))

    @classmethod
    def of(cls, digests: Words, positions: Ints, times: Ints) -> Table:
        return cls(digests[:, 0].copy(), digests[:, 1].astype(np.uint32), positions, times)

    def where(self, mask: Truths) -> Table:
        return Table(self.high[mask], self.low[mask], self.positions[mask], self.times[mask])


class SeenIds:
    """Ids with the position and the time of the event that had them first.

    Remembered are those of events no older than `reach` before the newest, and no more than `most` of them; None sets
    no limit. The limits are only looked at now and then, when the table is full. If the time is `told`, by
    `advance_to`, it stands for the newest event: of several streams one may be far ahead, and what it gives says
    nothing about the others.
    """

    MOST = 1 << 22

    def __init__(self, reach: int | None = None, most: int | None = None, *, told: bool = False) -> None:
        self.reach = reach
        self.most = most
        self.told = told
        self.made = 0
        """Ids of events before this position may have been made from it, and are not in the table."""
        self._count = 0
        self._newest = -FOREVER
        self._table = Table.empty(_SMALLEST)
        self._fresh = FreshIds()
        """Ids that are not in the table yet; while there are some, it is empty."""
        self._many = _SMALLEST
        """With so many fresh ids it is time to look for those that can be forgotten."""

    def made_from_positions(self, first: int, count: int) -> bool:
        """Note ids that are just positions, which costs nothing as long as all are.

        False if others were seen, or if positions were passed over, which then are nobody's ids.
        """
        if self._count or self._fresh.count or first != self.made:
            return False
        self.made = first + count
        return True

    def add(self, ids: Ids, positions: Ints, times: Ints) -> Ints:
        """Take ids in; for each the position of the event that had it before, or -1 if it is new."""
        if self._wait(ids, positions, times):
            return np.broadcast_to(np.int64(-1), len(positions))
        self._tabulate()
        digests = digest_ids(frozen(ids.codes), *ids.table())
        earlier = self._insert(Table.of(digests, positions, times))
        if self.made:
            self._among_made(ids, earlier)
        return earlier

    def add_one(self, name: str, position: int, time: int) -> int:
        """The same for a single id, for which calling compiled loops would cost more than they do."""
        if self.made and (earlier := self._made(name)) >= 0:
            return earlier
        self._tabulate()
        high, low = text_lanes(name)
        low &= 0xFFFF_FFFF
        self._newest = max(self._newest, time)
        self._make_room(1)
        table, size = self._table, len(self._table.positions)
        at = low * size >> 32
        while (known := int(table.positions[at])) >= 0:
            if int(table.low[at]) == low and int(table.high[at]) == high:
                return known
            at = at + 1 if at + 1 < size else 0
        table.high[at], table.low[at], table.positions[at], table.times[at] = high, low, position, time
        self._count += 1
        return -1

    def advance_to(self, instant: int) -> None:
        """Go by this time, and forget what is too old for it as soon as that is most of what is remembered."""
        self._newest = max(self._newest, instant)
        if self.reach is not None and self._fresh.count:
            self._forget_fresh()
        if self.reach is not None and 2 * int(np.count_nonzero(self._wanted())) < self._count:
            self._rebuild(self._wanted(), 0)

    def forget_from(self, position: int) -> None:
        """Forget the events from a position on: their batch was refused."""
        self.made = min(self.made, position)
        self._fresh.keep(lambda batch: batch.positions < position)
        self._rebuild(self._table.positions < position, 0)

    def contents(self) -> Table:
        """What is remembered, to be saved."""
        table = self._table.where(self._table.positions >= 0)
        fresh = (Table.of(batch.digests(), batch.positions, batch.times) for batch in self._fresh.batches)
        return Table(*map(np.concatenate, zip(table, *fresh, strict=True)))

    def refill(self, contents: Table) -> None:
        """Take in what `contents` gave."""
        self._insert(contents)

    def _wait(self, ids: Ids, positions: Ints, times: Ints) -> bool:
        """Let ids wait outside the table, if it is empty and they are plainly new."""
        if self._count or self.made or not len(positions):
            return False
        limited = self.reach is not None or self.most is not None
        if limited:  # of a stream, what the columns were cut from is not to be kept alive
            ids, times = Ids(ids.codes.copy(), ids.texts), times.copy()
        if not self._fresh.take(ids, positions, times):
            return False
        if not self.told:
            self._newest = max(self._newest, int(times.max()))
        if limited and self._fresh.count > self._many:
            self._forget_fresh()
        return True

    def _tabulate(self) -> None:
        """Put into the table what waits outside it."""
        for batch in self._fresh.clear():
            self._insert(Table.of(batch.digests(), batch.positions, batch.times))

    def _forget_fresh(self) -> None:
        """Forget what the table would forget; until there are twice as many, it need not be done again."""
        if self.reach is not None:
            oldest = self._newest - self.reach
            self._fresh.keep(lambda batch: batch.times >= oldest)
        if self.most is not None and self._fresh.count > self.most:
            positions = np.concatenate([batch.positions for batch in self._fresh.batches])
            first = np.partition(positions, -self.most)[-self.most]
            self._fresh.keep(lambda batch: batch.positions >= first)
        self._many = 2 * self._fresh.count + _SMALLEST

    def _insert(self, rows: Table) -> Ints:
        if not self.told:
            self._newest = max(self._newest, int(rows.times.max(initial=-FOREVER)))
        self._make_room(len(rows.positions))
        earlier: Ints = insert(*rows, *self._table)
        self._count += int((earlier < 0).sum())
        return earlier

    def _make_room(self, more: int) -> None:
        """The table is never more than two thirds full."""
        if 3 * (self._count + more) <= 2 * len(self._table.positions):
            return
        positions, wanted = self._table.positions, self._wanted()
        if self.most is not None and self._count > self.most:
            wanted &= positions >= np.partition(positions, -self.most)[-self.most]
        self._rebuild(wanted, more)

    def _wanted(self) -> Truths:
        wanted = self._table.positions >= 0
        return wanted if self.reach is None else wanted & (self._table.times >= self._newest - self.reach)

    def _rebuild(self, wanted: Truths, more: int) -> None:
        kept = self._table.where(wanted & (self._table.positions >= 0))
        self._count = len(kept.positions)
        self._table = Table.empty(max(_SMALLEST, 3 * self._count + 3 * more // 2 + 3))
        insert(*kept, *self._table)

    def _among_made(self, ids: Ids, earlier: Ints) -> None:
        """An id that is written like the position of an event that was called by it."""
        for row, text in enumerate(ids.to_pylist()):
            if earlier[row] < 0:
                earlier[row] = self._made(text)

    def _made(self, text: str) -> int:
        """The position that was an event's id, if the text is one; else -1."""
        if text.isascii() and text.isdigit() and len(text) < 19 and int(text) < self.made and str(int(text)) == text:
            return int(text)
        return -1


@kernel
def insert(
    high: Words,
    low: npt.NDArray[np.uint32],
    positions: Ints,
    times: Ints,
    table_high: Words,
    table_low: npt.NDArray[np.uint32],
    table_positions: Ints,
    table_times: Ints,
) -> Ints:
    """Put rows into the table, each at the first free place from where its digest points; gives the position that an
    equal id is known from, or -1.
    """
    size = table_positions.size
    earlier = np.full(positions.size, -1, np.int64)
    for row in range(positions.size):
        at: int = np.int64((np.uint64(low[row]) * np.uint64(size)) >> np.uint64(32))  # type: ignore[assignment]
        while table_positions[at] >= 0:
            if table_high[at] == high[row] and table_low[at] == low[row]:
                earlier[row] = table_positions[at]
                break
            at = at + 1 if at + 1 < size else 0
        if earlier[row] < 0:
            table_high[at], table_low[at] = high[row], low[row]
            table_positions[at], table_times[at] = positions[row], times[row]
    return earlier
