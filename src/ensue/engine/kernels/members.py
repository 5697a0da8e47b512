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
def merge_into(out, at, one, two, ordered, times, codes, offsets, data):
    """Write the union of two sets to `out` from `at` on; gives where it ends."""
    left, right = 0, 0
    while left < one.size and right < two.size:
        answer = compare_events(one[left], two[right], ordered, times, codes, offsets, data)
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
def common_length(starts):
    """How many members each list has; 0 if that differs."""
    if starts.size < 2:
        return 0
    length = starts[1] - starts[0]
    for place in range(2, starts.size):
        if starts[place] - starts[place - 1] != length:
            return 0
    return length


@kernel
def join_even_pairs(
    left,
    right,
    lbegin,
    lend,
    llength,
    lmembers,
    rbegin,
    rend,
    rlength,
    rmembers,
    ordered,
    times,
    codes,
    offsets,
    data,
    begin,
    end,
    members,
):
    """`join_pairs` where all lists of a side have the same length; says whether the unions have one, too."""
    at = 0
    for i in range(left.size):
        one, two = left[i], right[i]
        begin[i], end[i] = min(lbegin[one], rbegin[two]), max(lend[one], rend[two])
        first, other = one * llength, two * rlength
        if lend[one] < rbegin[two]:
            for place in range(llength):
                members[at + place] = lmembers[first + place]
            for place in range(rlength):
                members[at + llength + place] = rmembers[other + place]
        else:
            mine, theirs = lmembers[first : first + llength], rmembers[other : other + rlength]
            if merge_into(members, at, mine, theirs, ordered, times, codes, offsets, data) < at + llength + rlength:
                return False
        at += llength + rlength
    return True


@kernel
def room_for_pairs(left, right, lstarts, rstarts):
    """How many members the unions of left[i] and right[i] have at most."""
    total = 0
    for i in range(left.size):
        total += lstarts[left[i] + 1] - lstarts[left[i]] + rstarts[right[i] + 1] - rstarts[right[i]]
    return total


@kernel
def join_pairs(
    left,
    right,
    lbegin,
    lend,
    lstarts,
    lmembers,
    rbegin,
    rend,
    rstarts,
    rmembers,
    ordered,
    times,
    codes,
    offsets,
    data,
    begin,
    end,
    starts,
    members,
):
    """The hull and the members of the union of left[i] and right[i], for each i; what lies apart is only copied."""
    starts[0] = 0
    at = 0
    for i in range(left.size):
        one, two = left[i], right[i]
        begin[i], end[i] = min(lbegin[one], rbegin[two]), max(lend[one], rend[two])
        first, stop = lstarts[one], lstarts[one + 1]
        other_first, other_stop = rstarts[two], rstarts[two + 1]
        if lend[one] < rbegin[two]:
            for place in range(first, stop):
                members[at] = lmembers[place]
                at += 1
            for place in range(other_first, other_stop):
                members[at] = rmembers[place]
                at += 1
        else:
            mine, theirs = lmembers[first:stop], rmembers[other_first:other_stop]
            at = merge_into(members, at, mine, theirs, ordered, times, codes, offsets, data)
        starts[i + 1] = at
    return at


@kernel
def join_groups(numbers, groups, starts, members, ordered, times, codes, offsets, data):
    """The union of the members of all rows with the same number; `numbers` does not decrease.

    Each row's members are put in one by one from the end, where they mostly belong.
    """
    out_starts = np.zeros(groups + 1, np.int64)
    out = np.empty(members.size, np.int64)
    at, row = 0, 0
    for group in range(groups):
        base = at
        while row < numbers.size and numbers[row] == group:
            for place in range(starts[row], starts[row + 1]):
                member = members[place]
                to = at
                answer = 1
                while to > base:
                    answer = compare_events(member, out[to - 1], ordered, times, codes, offsets, data)
                    if answer >= 0:
                        break
                    to -= 1
                if to > base and answer == 0:
                    continue
                for moved in range(at, to, -1):
                    out[moved] = out[moved - 1]
                out[to] = member
                at += 1
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


@kernel
def join_values(lefts, rights, left, right, mine, theirs, unbound, out):
    """The joined substitutions of pairs. Column `place` of `out` is `mine[place]` of the left and `theirs[place]` of
    the right side (-1: it does not have it); where the left is unbound, the right says it.
    """
    for pair in range(lefts.size):
        for place in range(mine.size):
            code = unbound
            if mine[place] >= 0:
                code = left[lefts[pair], mine[place]]
            if code == unbound and theirs[place] >= 0:
                code = right[rights[pair], theirs[place]]
            out[pair, place] = code
