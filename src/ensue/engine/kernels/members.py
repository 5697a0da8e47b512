"""Sets of events: joining them, and whether two share one. Members stand in (time, id) order."""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.order import compare_events


@kernel
def shares(one, two):
    """Whether two sets have an event in common; both are short."""
    for a in one:
        for b in two:
            if a == b:
                return True
    return False


@kernel
def merge_into(out, at, one, two, times, codes, offsets, data):
    """Write the union of two sets to `out` from `at` on; gives where it ends."""
    left, right = 0, 0
    while left < one.size and right < two.size:
        answer = compare_events(one[left], two[right], times, codes, offsets, data)
        if answer <= 0:
            out[at] = one[left]
            left += 1
            if answer == 0:
                right += 1
        else:
            out[at] = two[right]
            right += 1
        at += 1
    while left < one.size:
        out[at] = one[left]
        left += 1
        at += 1
    while right < two.size:
        out[at] = two[right]
        right += 1
        at += 1
    return at


@kernel
def join_pairs(left, right, lstarts, lmembers, rstarts, rmembers, times, codes, offsets, data):
    """The union of the members of left[i] and right[i], for each i."""
    count = left.size
    most = 0
    for i in range(count):
        most += lstarts[left[i] + 1] - lstarts[left[i]] + rstarts[right[i] + 1] - rstarts[right[i]]
    starts = np.zeros(count + 1, np.int64)
    members = np.empty(most, np.int64)
    at = 0
    for i in range(count):
        one = lmembers[lstarts[left[i]] : lstarts[left[i] + 1]]
        two = rmembers[rstarts[right[i]] : rstarts[right[i] + 1]]
        at = merge_into(members, at, one, two, times, codes, offsets, data)
        starts[i + 1] = at
    return starts, members[:at].copy()


@kernel
def join_groups(numbers, groups, starts, members, times, codes, offsets, data):
    """The union of the members of all rows with the same number; `numbers` does not decrease."""
    out_starts = np.zeros(groups + 1, np.int64)
    out = np.empty(members.size, np.int64)
    scratch = np.empty(members.size, np.int64)
    at, row = 0, 0
    for group in range(groups):
        base = at
        while row < numbers.size and numbers[row] == group:
            one = out[base:at].copy()
            stop = merge_into(scratch, 0, one, members[starts[row] : starts[row + 1]], times, codes, offsets, data)
            out[base : base + stop] = scratch[:stop]
            at = base + stop
            row += 1
        out_starts[group + 1] = at
    return out_starts, out[:at].copy()


@kernel
def take_lists(rows, starts, members):
    """The member lists of some rows."""
    out_starts = np.zeros(rows.size + 1, np.int64)
    for i in range(rows.size):
        out_starts[i + 1] = out_starts[i] + starts[rows[i] + 1] - starts[rows[i]]
    out = np.empty(out_starts[-1], np.int64)
    for i in range(rows.size):
        at = out_starts[i]
        for place in range(starts[rows[i]], starts[rows[i] + 1]):
            out[at] = members[place]
            at += 1
    return out_starts, out
