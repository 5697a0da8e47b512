"""Selection among enumerated candidates in the contexts that use up their parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ensue.engine.arrays import Ints, Truths, counting
from ensue.engine.kernels import choosing as choosing_kernels
from ensue.engine.kernels.partition import number_rows
from ensue.engine.rows import Rows


class Used:
    """Which carried rows are used up, and in which group: a table (side, row, codes of the joined substitution).

    It lives in a node's `tables`, so it is saved with them.
    """

    def __init__(self, tables: dict[str, Ints], width: int, name: str = "used") -> None:
        self.tables, self.name, self.width = tables, name, width
        tables.setdefault(name, np.empty((0, 2 + width), np.int64))

    def add(self, sides: Ints, rows: Ints, values: Ints) -> None:
        new = np.concatenate([sides[:, None], rows[:, None], values], axis=1)
        self.tables[self.name] = np.concatenate([self.tables[self.name], new])

    def rows(self, side: int) -> Ints:
        """The rows of a side that are in the table."""
        table = self.tables[self.name]
        return table[table[:, 0] == side, 1]

    def __len__(self) -> int:
        return len(self.tables[self.name])

    def remember(
        self, sides: Ints, rows: Ints, values: Ints, waits: Sequence[Truths], parts: Truths | None = None
    ) -> None:
        """Note the parts of candidates that are used up now, as far as they are rows that will be carried."""
        if not any(mask.any() for mask in waits):
            return
        for place in range(rows.shape[1]):
            for side, waiting in enumerate(waits):
                mask = _among(waiting, side, sides[:, place], rows[:, place])
                if mask is not None and parts is not None:
                    mask &= parts[:, place]
                if mask is not None and mask.any():
                    self.add(sides[mask, place], rows[mask, place], values[mask])

    def moved(self, side: int, kept: Truths) -> None:
        """The rows of a side were thinned out: follow them to their new places."""
        table = self.tables[self.name]
        if not len(table):
            return
        places = np.cumsum(kept) - 1
        mine = table[:, 0] == side
        stays = ~mine | kept[np.where(mine, table[:, 1], 0)] if len(kept) else ~mine
        table = table[stays].copy()
        mine = table[:, 0] == side
        table[mine, 1] = places[table[mine, 1]]
        self.tables[self.name] = table

    def free(self, values: Ints, sides: Ints, rows: Ints, waits: Sequence[Truths]) -> Truths:
        """The candidates of which no part is used up; only those with a row in the table need a closer look."""
        result = np.ones(len(rows), np.bool_)
        if not len(self):
            return result
        suspects = np.zeros(len(rows), np.bool_)
        for side, waiting in enumerate(waits):
            listed = np.zeros(len(waiting), np.bool_)
            listed[self.rows(side)] = True
            for place in range(rows.shape[1]):
                mask = _among(listed, side, sides[:, place], rows[:, place])
                if mask is not None:
                    suspects |= mask
        places = np.flatnonzero(suspects)
        if len(places):
            parts, used = self.numbered(values[places], sides[places], rows[places])
            result[places] = ~used[parts].any(axis=1)
        return result

    def numbered(self, values: Ints, sides: Ints, rows: Ints) -> tuple[Ints, Truths]:
        """A number for each (side, row, substitution), as matrices of parts, and which numbers are used up.

        `sides` and `rows` have one line a candidate and one column a part; `values` one line a candidate.
        """
        count, parts = rows.shape
        repeated = np.repeat(values, parts, axis=0)
        keys = np.concatenate([sides.reshape(-1, 1), rows.reshape(-1, 1), repeated], axis=1)
        table = self.tables[self.name]
        numbers, total = number_rows(np.ascontiguousarray(np.concatenate([table, keys])))
        used = np.zeros(total, np.bool_)
        used[numbers[: len(table)]] = True
        return numbers[len(table) :].reshape(count, parts), used


def _among(listed: Truths, side: int, sides: Ints, rows: Ints) -> Truths | None:
    """Which parts are of a side and listed there; None if that is plain of none. Of a pair, each has its side."""
    if not listed.any():
        return None
    if sides.strides == (0,):
        return listed[rows] if sides[0] == side else None
    mine = sides == side
    result: Truths = mine & listed[np.where(mine, rows, 0)]
    return result


def choose(
    mode: int,
    operands: Sequence[Rows],
    sides: Ints,
    rows: Ints,
    values: Ints,
    ranks: Sequence[Ints],
    used: Used,
    waits: Sequence[Truths],
) -> tuple[Ints, Ints]:
    """The candidates that a context selects, and the number of the occurrence that each belongs to.

    Line i of `sides` and `rows` names the parts of candidate i; `ranks` says for each operand where its rows stand in
    the order of §1 among the rows of all operands; `waits` which of its rows may be wanted later, and so must be
    remembered.
    """
    if not len(rows):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    group, groups = number_rows(values, expected=len(values))
    if groups == len(rows):
        # Every candidate is alone in its group: it is chosen unless a part was used up earlier.
        free = used.free(values, sides, rows, waits)
        chosen = counting(len(rows)) if free.all() else np.flatnonzero(free)
        used.remember(sides, rows, values, waits, None if free.all() else np.broadcast_to(free[:, None], rows.shape))
        return chosen, counting(len(chosen))
    ends = np.stack(
        [_gathered([o.end for o in operands], sides[:, p], rows[:, p]) for p in range(rows.shape[1])], axis=1
    )
    places = np.stack([_gathered(ranks, sides[:, p], rows[:, p]) for p in range(rows.shape[1])], axis=1)
    turns = _turn(ends, sides, rows)
    terminator = np.argmax(turns, axis=1)
    lines = np.arange(len(rows))
    partners = places.copy()
    partners[lines, terminator] = np.iinfo(np.int64).max
    partners = np.sort(partners, axis=1)[:, :-1]
    turn, _ = number_rows(np.stack([group, turns[lines, terminator]], axis=1))
    order = np.lexsort((*partners.T[::-1], turns[lines, terminator], group))
    parts, is_used = used.numbered(values, sides, rows)
    before = is_used.copy()
    number = choosing_kernels.choose(mode, order, parts, turn, is_used)
    chosen = order[number[order] >= 0]
    newly = (is_used & ~before)[parts]
    used.remember(sides, rows, values, waits, newly)
    return chosen, number[chosen]


def _gathered(arrays: Sequence[Ints], sides: Ints, rows: Ints) -> Ints:
    shifts = np.cumsum([0, *(len(array) for array in arrays[:-1])])
    return np.concatenate(list(arrays))[shifts[sides] + rows]


def _turn(ends: Ints, sides: Ints, rows: Ints) -> Ints:
    """Rows are processed in order of end, at equal ends left before right: a number for each part's turn."""
    order = np.lexsort((rows.reshape(-1), sides.reshape(-1), ends.reshape(-1)))
    keys = np.stack([ends.reshape(-1)[order], sides.reshape(-1)[order], rows.reshape(-1)[order]], axis=1)
    changes = np.concatenate([[False], (keys[1:] != keys[:-1]).any(axis=1)])
    turns = np.empty(len(order), np.int64)
    turns[order] = np.cumsum(changes)
    return turns.reshape(ends.shape)
