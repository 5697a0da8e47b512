"""Numbering groups: rows with equal codes get the same small number.

No slices of arrays here, nor in the other inner loops: each would cost more than the work it stands for.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.arrays import Ints
from ensue.engine.kernels.compiled import kernel


@kernel
def scrambled(state, word):
    state = (state ^ np.uint64(word)) * np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(32)
    state *= np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(29))


@kernel
def number_codes(codes):
    """For each code the number of its group, in order of first appearance; and how many groups there are."""
    size = 1024
    known = np.empty(size, np.int64)
    group_of = np.full(size, -1, np.int32)
    numbers = np.empty(codes.size, np.int64)
    groups = 0
    for row in range(codes.size):
        code = codes[row]
        slot = np.int64(scrambled(np.uint64(0), code) & np.uint64(size - 1))
        while group_of[slot] >= 0 and known[slot] != code:
            slot = (slot + 1) & (size - 1)
        if group_of[slot] < 0:
            known[slot], group_of[slot] = code, groups
            groups += 1
            if 2 * groups > size:
                old_known, old_groups = known, group_of
                size *= 4
                known, group_of = np.empty(size, np.int64), np.full(size, -1, np.int32)
                for place in range(old_known.size):
                    if old_groups[place] >= 0:
                        to = np.int64(scrambled(np.uint64(0), old_known[place]) & np.uint64(size - 1))
                        while group_of[to] >= 0:
                            to = (to + 1) & (size - 1)
                        known[to], group_of[to] = old_known[place], old_groups[place]
            numbers[row] = groups - 1
        else:
            numbers[row] = group_of[slot]
    return numbers, groups


@kernel
def number_pairs(one, two):
    """Numbers for pairs (number, code), given the numbers of the first: one column more to tell groups apart."""
    size = 1024
    known_one, known_two = np.empty(size, np.int64), np.empty(size, np.int64)
    group_of = np.full(size, -1, np.int32)
    numbers = np.empty(one.size, np.int64)
    groups = 0
    for row in range(one.size):
        slot = np.int64(scrambled(scrambled(np.uint64(0), one[row]), two[row]) & np.uint64(size - 1))
        while group_of[slot] >= 0 and (known_one[slot] != one[row] or known_two[slot] != two[row]):
            slot = (slot + 1) & (size - 1)
        if group_of[slot] < 0:
            known_one[slot], known_two[slot], group_of[slot] = one[row], two[row], groups
            groups += 1
            if 2 * groups > size:
                old_one, old_two, old_groups = known_one, known_two, group_of
                size *= 4
                known_one, known_two = np.empty(size, np.int64), np.empty(size, np.int64)
                group_of = np.full(size, -1, np.int32)
                for place in range(old_one.size):
                    if old_groups[place] >= 0:
                        to = np.int64(
                            scrambled(scrambled(np.uint64(0), old_one[place]), old_two[place]) & np.uint64(size - 1)
                        )
                        while group_of[to] >= 0:
                            to = (to + 1) & (size - 1)
                        known_one[to], known_two[to], group_of[to] = old_one[place], old_two[place], old_groups[place]
            numbers[row] = groups - 1
        else:
            numbers[row] = group_of[slot]
    return numbers, groups


def number_rows(keys: Ints) -> tuple[Ints, int]:
    """For each row of a matrix the number of its group, in order of first appearance; and how many groups there are."""
    count, width = keys.shape
    if width == 0 or count == 0:
        return np.zeros(count, np.int64), min(count, 1)
    numbers, groups = number_codes(np.ascontiguousarray(keys[:, 0]))
    for column in range(1, width):
        if groups == count:
            break
        numbers, groups = number_pairs(numbers, np.ascontiguousarray(keys[:, column]))
    return numbers, groups


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
