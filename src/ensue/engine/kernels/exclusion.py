"""Looking for what must not be there: an occurrence inside an interval, or between two parts.

The excluded rows of a group stand sorted by begin, with the smallest end from there on beside them: then one binary
search says whether any of them lies inside an interval.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.members import shares


@kernel
def lower_bound(values, low, high, target):
    """The first place in [low, high) whose value is at least the target."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def smallest_from(starts, end):
    """For each place, the smallest end from there to the end of its group."""
    least = np.empty(end.size, np.int64)
    for group in range(starts.size - 1):
        best = np.int64(2**63 - 1)
        for place in range(starts[group + 1] - 1, starts[group] - 1, -1):
            best = min(best, end[place])
            least[place] = best
    return least


@kernel
def agrees(one, two, unbound):
    """Whether two rows of codes agree wherever both are bound."""
    for place in range(one.size):
        if one[place] != two[place] and one[place] != unbound and two[place] != unbound:
            return False
    return True


@kernel
def any_inside(begin, end, group, loose, starts, xbegin, xend, xleast, xloose, unbound):
    """For each interval whether an excluded row of its group lies inside it and agrees on the loose variables."""
    count = begin.size
    found = np.zeros(count, np.bool_)
    for i in range(count):
        if group[i] < 0:
            continue
        first, last = starts[group[i]], starts[group[i] + 1]
        place = lower_bound(xbegin, first, last, begin[i])
        while place < last and xleast[place] <= end[i]:
            if xend[place] <= end[i] and agrees(loose[i], xloose[place], unbound):
                found[i] = True
                break
            place += 1
    return found


@kernel
def between(first, second, low, high, starts, xbegin, xend, xleast, xstarts, xmembers, group):
    """Whether an excluded row of the group lies in [low, high] and shares no event with either part.

    0: no; 1: yes; 2: yes, and strictly before `high`, so that it lies between the first part and any later second one
    too.
    """
    if group < 0:
        return 0
    last = starts[group + 1]
    place = lower_bound(xbegin, starts[group], last, low)
    answer = 0
    while place < last and xbegin[place] <= high and xleast[place] <= high:
        if xend[place] <= high:
            mine = xmembers[xstarts[place] : xstarts[place + 1]]
            if not shares(first, mine) and not shares(second, mine):
                answer = 2 if xend[place] < high else max(answer, 1)
                if answer == 2:
                    break
        place += 1
    return answer


@kernel
def any_between(
    left,
    right,
    lend,
    lstarts,
    lmembers,
    rbegin,
    rstarts,
    rmembers,
    group,
    loose,
    starts,
    xbegin,
    xend,
    xleast,
    xstarts,
    xmembers,
    xloose,
    unbound,
):
    """For each pair of rows the excluded (or gathered) rows that lie between them: pairs (place of the pair, row)."""
    pairs, rows = np.empty(64, np.int64), np.empty(64, np.int64)
    count = 0
    for i in range(left.size):
        low, high = lend[left[i]], rbegin[right[i]]
        first = lmembers[lstarts[left[i]] : lstarts[left[i] + 1]]
        second = rmembers[rstarts[right[i]] : rstarts[right[i] + 1]]
        last = starts[group[i] + 1]
        place = lower_bound(xbegin, starts[group[i]], last, low)
        while place < last and xbegin[place] <= high and xleast[place] <= high:
            if xend[place] <= high and agrees(loose[i], xloose[place], unbound):
                mine = xmembers[xstarts[place] : xstarts[place + 1]]
                if not shares(first, mine) and not shares(second, mine):
                    if count == pairs.size:
                        more = np.empty(2 * count, np.int64)
                        more[:count] = pairs
                        pairs = more
                        more = np.empty(2 * count, np.int64)
                        more[:count] = rows
                        rows = more
                    pairs[count], rows[count] = i, place
                    count += 1
            place += 1
    return pairs[:count].copy(), rows[:count].copy()
