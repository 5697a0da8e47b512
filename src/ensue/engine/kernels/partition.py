"""Numbering groups: rows with equal codes get the same small number.

No slices of arrays here, nor in the other inner loops: each would cost more than the work it stands for.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel


@kernel
def scrambled(state, word):
    state = (state ^ np.uint64(word)) * np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(32)
    state *= np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(29))


@kernel
def number_rows(keys):
    """For each row of a matrix the number of its group, in order of first appearance; and how many groups there are."""
    count, width = keys.shape
    numbers = np.zeros(count, np.int64)
    if width == 0 or count == 0:
        return numbers, 1 if count else 0
    size = 1024
    table = np.full(size, -1, np.int64)
    firsts = np.empty(512, np.int64)
    groups = 0
    for row in range(count):
        state = np.uint64(0x9E3779B97F4A7C15)
        for place in range(width):
            state = scrambled(state, keys[row, place])
        slot = np.int64(state & np.uint64(size - 1))
        group = table[slot]
        while group >= 0:
            first = firsts[group]
            same = True
            for place in range(width):
                if keys[first, place] != keys[row, place]:
                    same = False
            if same:
                break
            slot = (slot + 1) & (size - 1)
            group = table[slot]
        if group < 0:
            if groups == firsts.size:
                larger = np.empty(2 * groups, np.int64)
                larger[:groups] = firsts
                firsts = larger
            group = groups
            firsts[group] = row
            table[slot] = group
            groups += 1
            if 2 * groups > size:
                size *= 4
                table = np.full(size, -1, np.int64)
                for other in range(groups):
                    state = np.uint64(0x9E3779B97F4A7C15)
                    for place in range(width):
                        state = scrambled(state, keys[firsts[other], place])
                    slot = np.int64(state & np.uint64(size - 1))
                    while table[slot] >= 0:
                        slot = (slot + 1) & (size - 1)
                    table[slot] = other
        numbers[row] = group
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
