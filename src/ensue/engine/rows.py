"""Occurrences as columns: what nodes take and give, and what they carry from one batch to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ensue.engine.arrays import Ints, Truths, counting, no_ints
from ensue.engine.codes import UNBOUND
from ensue.engine.kernels import members as member_kernels, order as order_kernels
from ensue.engine.store import Store

_FEW = 4096


@dataclass(frozen=True, slots=True)
class Rows:
    """Occurrences: interval, member events (handles, row i from starts[i] to starts[i+1]), and a code for each
    variable.
    """

    begin: Ints
    end: Ints
    starts: Ints
    members: Ints
    values: Ints

    def __len__(self) -> int:
        return len(self.begin)

    @classmethod
    def empty(cls, width: int) -> Rows:
        return cls(no_ints(), no_ints(), np.zeros(1, np.int64), no_ints(), np.empty((0, width), np.int64))

    @classmethod
    def of_events(cls, times: Ints, handles: Ints, values: Ints) -> Rows:
        """One occurrence for each event."""
        return cls(times, times, counting(len(times) + 1), handles, values)

    @classmethod
    def of_intervals(cls, begin: Ints, end: Ints) -> Rows:
        """Intervals without constituents and variables."""
        count = len(begin)
        return cls(begin, end, np.zeros(count + 1, np.int64), no_ints(), np.empty((count, 0), np.int64))

    def take(self, rows: Ints) -> Rows:
        starts, members = member_kernels.take_lists(rows, self.starts, self.members)
        return Rows(self.begin[rows], self.end[rows], starts, members, self.values[rows])

    def between(self, first: int, last: int) -> Rows:
        """The rows from the first up to the last, which is not one of them; they share the memory of these."""
        starts = self.starts[first : last + 1]
        low, high = int(starts[0]), int(starts[-1])
        return Rows(
            self.begin[first:last], self.end[first:last], starts - low, self.members[low:high], self.values[first:last]
        )

    def where(self, mask: Truths) -> Rows:
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def with_values(self, values: Ints) -> Rows:
        return Rows(self.begin, self.end, self.starts, self.members, values)


def concat(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts, one after another; they have the same variables."""
    filled = [part for part in parts if len(part)] or [parts[0]]
    if len(filled) == 1:
        return filled[0]
    shifts = np.cumsum([0, *(len(part.members) for part in filled[:-1])])
    starts = [filled[0].starts, *(part.starts[1:] + shift for part, shift in zip(filled[1:], shifts[1:], strict=True))]
    return Rows(
        np.concatenate([part.begin for part in filled]),
        np.concatenate([part.end for part in filled]),
        np.concatenate(starts),
        np.concatenate([part.members for part in filled]),
        np.concatenate([part.values for part in filled]),
    )


def aligned(rows: Rows, names: tuple[str, ...], wanted: tuple[str, ...]) -> Rows:
    """The same rows with the columns of other variables; those that they do not have are unbound."""
    return rows if names == wanted else rows.with_values(columns(rows.values, names, wanted))


def columns(values: Ints, names: tuple[str, ...], wanted: tuple[str, ...]) -> Ints:
    """The columns of the wanted variables, in that order."""
    if names == wanted:
        return values
    if set(wanted) <= set(names):
        return np.take(values, [names.index(name) for name in wanted], axis=1)
    result = np.full((len(values), len(wanted)), UNBOUND, np.int64)
    for place, name in enumerate(wanted):
        if name in names:
            result[:, place] = values[:, names.index(name)]
    return result


def canonical_order(rows: Rows, store: Store) -> tuple[Ints, Truths]:
    """The rows in the order of §1, and which of those repeat the one before them."""
    repeated = np.zeros(len(rows), np.bool_)
    if order_kernels.is_sorted(rows.end):
        order, begin, end = np.arange(len(rows)), rows.begin, rows.end
    else:
        order = np.argsort(rows.end, kind="stable")
        begin, end = rows.begin[order], rows.end[order]
    places = np.empty(_FEW, np.int64)
    count = order_kernels.untidy(begin, end, places)
    if count > len(places):
        places = np.empty(count, np.int64)
        order_kernels.untidy(begin, end, places)
    if count:
        columns = rows.begin, rows.end, rows.starts, rows.members, rows.values
        arrays = order, np.empty_like(order), repeated, *columns, UNBOUND, *store.arrays()[2:]
        order_kernels.sort_ties(places[:count], *arrays)
    return order, repeated


def canonical(rows: Rows, store: Store) -> Rows:
    """The same occurrences in the order of §1, each once. The rows are new ones: they may be put in order in place."""
    order, repeated = canonical_order(rows, store)
    moved = np.flatnonzero(order != counting(len(order)))
    if repeated.any():
        return rows.take(order[~repeated])
    if not len(moved):
        return rows
    each = len(rows.members) // len(rows)
    if 4 * len(moved) > len(rows) or not np.array_equal(rows.starts, np.arange(len(rows) + 1) * each):
        return rows.take(order)
    lists, places = rows.members.reshape(len(rows), each), order[moved]
    for column in (rows.begin, rows.end, rows.values, lists):
        column[moved] = column[places]
    return rows
