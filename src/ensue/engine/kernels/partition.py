"""Numbering groups: rows with equal codes get the same small number."""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel


@kernel
def hash_row(row):
    state = np.uint64(0x9E3779B97F4A7C15)
    for place in range(row.size):
        state ^= np.uint64(row[place])
        state *= np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(32)
        state *= np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(29)
    return state


@kernel
def number_rows(keys):
    """For each row of a matrix the number of its group, in order of first appearance; and how many groups there are."""
    count, width = keys.shape
    numbers = np.zeros(count, np.int64)
    if width == 0 or count == 0:
        return numbers, 1 if count else 0
    size = 64
    table = np.full(size, -1, np.int64)
    firsts = np.empty(64, np.int64)
    groups = 0
    for row in range(count):
        slot = np.int64(hash_row(keys[row]) & np.uint64(size - 1))
        while True:
            group = table[slot]
            if group < 0:
                break
            first = firsts[group]
            same = True
            for place in range(width):
                if keys[first, place] != keys[row, place]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & (size - 1)
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
                    place = np.int64(hash_row(keys[firsts[other]]) & np.uint64(size - 1))
                    while table[place] >= 0:
                        place = (place + 1) & (size - 1)
                    table[place] = other
        numbers[row] = group
    return numbers, groups


@kernel
def segments(numbers, groups):
    """Rows gathered by group, in their order: where each group starts, and the rows."""
    starts = np.zeros(groups + 1, np.int64)
    for number in numbers:
        starts[number + 1] += 1
    for group in range(groups):
        starts[group + 1] += starts[group]
    fill = starts[:-1].copy()
    rows = np.empty(numbers.size, np.int64)
    for row in range(numbers.size):
        rows[fill[numbers[row]]] = row
        fill[numbers[row]] += 1
    return starts, rows
