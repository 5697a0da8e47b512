"""Runs of successive rows of one group: `n times`."""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel


@kernel
def windows(length, begin, end, group, groups, new, longest, low, high):
    """Every run of `length` successive rows of a group that ends in a new row and keeps the limits.

    Gives the rows of each run, oldest first, its begin, and its last row's place in the sequence of its group.
    """
    most = begin.size - new
    runs = 0
    rows = np.empty(length * max(16, most // 4), np.int64)
    first, place_of = np.empty(most, np.int64), np.empty(most, np.int64)
    ring = np.full(groups * length, -1, np.int64)
    filled = np.zeros(groups, np.int64)
    for row in range(begin.size):
        mine = group[row]
        base, at = mine * length, filled[mine] % length
        ring[base + at] = row
        filled[mine] += 1
        if row < new or filled[mine] < length or end[row] > high:
            continue
        oldest = at + 1 if at + 1 < length else 0
        if end[row] - begin[ring[base + oldest]] > longest:
            continue
        start = begin[row]
        for place in range(length):
            start = min(start, begin[ring[base + place]])
        if end[row] - start <= longest and start >= low:
            if (runs + 1) * length > rows.size:
                larger = np.empty(2 * rows.size, np.int64)
                larger[: rows.size] = rows
                rows = larger
            to, place = runs * length, oldest
            for _ in range(length):
                rows[to] = ring[base + place]
                to += 1
                place = place + 1 if place + 1 < length else 0
            first[runs] = start
            place_of[runs] = filled[mine] - 1
            runs += 1
    return rows[: runs * length], first[:runs], place_of[:runs]


@kernel
def disjoint(length, group, place, groups):
    """Of runs that are given in order, those that share no row with one chosen before; and where each group goes on."""
    free = np.zeros(groups, np.int64)
    chosen = np.zeros(group.size, np.bool_)
    for run in range(group.size):
        mine = group[run]
        if place[run] - length + 1 >= free[mine]:
            chosen[run] = True
            free[mine] = place[run] + 1
    return chosen, free


@kernel
def still_needed(length, group, groups, free):
    """The rows that may be part of a run yet: the last `length - 1` of each group that are not used up."""
    total = np.zeros(groups, np.int64)
    for mine in group:
        total[mine] += 1
    seen = np.zeros(groups, np.int64)
    needed = np.zeros(group.size, np.bool_)
    for row in range(group.size):
        mine = group[row]
        needed[row] = seen[mine] >= free[mine] and seen[mine] > total[mine] - length
        seen[mine] += 1
    return needed


@kernel
def join_runs(length, rows, starts, members):
    """The members of each run, one after another; they still have to be sorted."""
    count = rows.size // length
    out_starts = np.zeros(rows.size + 1, np.int64)
    numbers = np.empty(rows.size, np.int64)
    total = 0
    for i in range(rows.size):
        total += starts[rows[i] + 1] - starts[rows[i]]
        out_starts[i + 1] = total
        numbers[i] = i // length
    out = np.empty(total, np.int64)
    for i in range(rows.size):
        out[out_starts[i] : out_starts[i + 1]] = members[starts[rows[i]] : starts[rows[i] + 1]]
    return numbers, count, out_starts, out
