"""Numbering groups: rows with equal codes get the same small number.

No slices of arrays here, nor in the other inner loops: each would cost more than the work it stands for. Large results
are filled in, not made, here: memory that NumPy asks for comes in large pages, Numba's in small ones.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.arrays import Ints, Numbers
from ensue.engine.kernels.compiled import kernel

BOXED = 0x7FF9 << 48
"""The first code that is a place in the codebook, and no number."""
_FIRST_SLOTS = 1024
_MOST_DIRECT = 1 << 21


@kernel
def scrambled(state, word):
    state = (state ^ np.uint64(word)) * np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(32)
    state *= np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(29))


@kernel
def key_hash(keys, row):
    state = np.uint64(0)
    for place in range(keys.shape[1]):
        state = scrambled(state, keys[row, place])
    return state >> np.uint64(32)


@kernel
def is_key(keys, row, known, group):
    for place in range(keys.shape[1]):
        if keys[row, place] != known[group, place]:
            return False
    return True


@kernel
def slot_of(mine, keys, row, known, slots):
    """The slot of a key with this hash, or the free one that it may have. A slot has half a hash, by which it is found,
    and the number of a group + 1.
    """
    mask, low = np.uint64(slots.size - 1), np.uint64(0xFFFF_FFFF)
    at = mine & mask
    slot = slots[at]
    while slot != 0 and not (slot >> np.uint64(32) == mine and is_key(keys, row, known, np.int64(slot & low) - 1)):
        at = (at + np.uint64(1)) & mask
        slot = slots[at]
    return at


@kernel
def fill_numbers(keys, first, numbers, known, slots, groups):
    """Number the rows of `keys` from `first` on, and take new keys into the table; stops where the table is full.

    `known` has the key of each group.
    """
    low = np.uint64(0xFFFF_FFFF)
    for row in range(first, numbers.size):
        mine = key_hash(keys, row)
        at = slot_of(mine, keys, row, known, slots)
        if slots[at] != 0:
            numbers[row] = np.int64(slots[at] & low) - 1
            continue
        if groups == known.shape[0]:
            return row, groups
        numbers[row] = groups
        for place in range(keys.shape[1]):
            known[groups, place] = keys[row, place]
        groups += 1
        slots[at] = (mine << np.uint64(32)) | np.uint64(groups)
    return numbers.size, groups


@kernel
def fill_single(codes, doubles, first, numbers, known, slots, direct, groups):
    """`fill_numbers` for keys of one code (`doubles`: the same bits as numbers).

    Most keys are small whole numbers or have a small place in the book: they are looked up in `direct`, without a hash.
    """
    low = np.uint64(0xFFFF_FFFF)
    for row in range(first, numbers.size):
        code, value = codes[row, 0], doubles[row, 0]
        index = np.int64(-1)
        if code >> 48 == BOXED >> 48:
            index = 2 * (code ^ BOXED) + 1
        elif code >= 0 and value < direct.size and np.int64(value) == value:  # the code of -0.0 means something else
            index = 2 * np.int64(value)
        if 0 <= index < direct.size:
            if direct[index] == 0:
                if groups == known.shape[0]:
                    return row, groups
                known[groups, 0] = code
                groups += 1
                direct[index] = groups
            numbers[row] = direct[index] - 1
            continue
        mine = key_hash(codes, row)
        at = slot_of(mine, codes, row, known, slots)
        if slots[at] == 0:
            if groups == known.shape[0]:
                return row, groups
            known[groups, 0] = code
            groups += 1
            slots[at] = (mine << np.uint64(32)) | np.uint64(groups)
        numbers[row] = np.int64(slots[at] & low) - 1
    return numbers.size, groups


@kernel
def move_slots(old, slots):
    """Fill a larger table."""
    mask = np.uint64(slots.size - 1)
    for slot in old:
        if slot != 0:
            at = (slot >> np.uint64(32)) & mask
            while slots[at] != 0:
                at = (at + np.uint64(1)) & mask
            slots[at] = slot


class Groups:
    """Numbers for rows of codes, in order of first appearance; whoever asks next goes on with the same numbers."""

    def __init__(self, width: int, expected: int = 0) -> None:
        self.count = 0
        slots = max(_FIRST_SLOTS, 1 << (2 * expected).bit_length())
        self._known: Ints = np.empty((slots // 2, width), np.int64)
        self._slots = np.zeros(slots, np.uint64)
        self._direct: Numbers | None = None

    @property
    def keys(self) -> Ints:
        """The codes of each group."""
        return self._known[: self.count]

    def number(self, rows: Ints) -> Numbers:
        """For each row of a matrix of codes the number of its group."""
        count, width = rows.shape
        if width == 0 or count == 0:
            self.count = max(self.count, min(count, 1))
            return np.zeros(count, np.int32)
        numbers = np.empty(count, np.int32)
        keys = np.ascontiguousarray(rows)
        at = self._fill(keys, 0, numbers)
        while at < count:
            self._grow()
            at = self._fill(keys, at, numbers)
        return numbers

    def _fill(self, keys: Ints, first: int, numbers: Numbers) -> int:
        table = self._known, self._slots
        if keys.shape[1] == 1:
            if self._direct is None:
                self._direct = np.zeros(min(_MOST_DIRECT, max(_FIRST_SLOTS, 32 * len(keys))), np.int32)
            doubles = keys.view(np.float64)
            at, self.count = fill_single(keys, doubles, first, numbers, *table, self._direct, self.count)
        else:
            at, self.count = fill_numbers(keys, first, numbers, *table, self.count)
        return at

    def _grow(self) -> None:
        known, slots = self._known, self._slots
        self._known = np.empty((4 * len(known), known.shape[1]), np.int64)
        self._known[: len(known)] = known
        self._slots = np.zeros(4 * len(slots), np.uint64)
        move_slots(slots, self._slots)


def number_rows(keys: Ints, expected: int = 0) -> tuple[Ints, int]:
    """For each row of a matrix the number of its group, in order of first appearance; and how many groups there are
    (`expected` saves time if many are).
    """
    groups = Groups(keys.shape[1], expected)
    return groups.number(keys).astype(np.int64), groups.count


@kernel
def segments(numbers, groups):
    """Rows gathered by group, in their order: where each group starts, and the rows."""
    starts = np.zeros(groups + 1, np.int64)
    for row in range(numbers.size):
        starts[numbers[row] + 1] += 1
    for group in range(groups):
        starts[group + 1] += starts[group]
    fill = starts[:-1].copy()
    rows = np.empty(numbers.size, np.int64)
    for row in range(numbers.size):
        rows[fill[numbers[row]]] = row
        fill[numbers[row]] += 1
    return starts, rows
