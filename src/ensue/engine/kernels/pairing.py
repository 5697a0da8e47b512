"""Finding partners: the two-sided combining nodes (`then`, `and`) in every context.

Rows of both sides are taken in order of end, at equal ends left before right. A row that comes looks among the rows of
the other side that wait in its group, then waits itself. Waiting rows of a group form a linked list in §1's order; rows
that are used up, too old, or spoilt for good by something excluded are unlinked, so no row is looked at in vain twice.

Without `ENUMERATE`, a group is exactly one joined substitution, and selection happens on the way. With it, every
candidate comes out and selection is left to `choosing`.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.exclusion import agrees, between, lower_bound
from ensue.engine.kernels.members import merge_into, shares
from ensue.engine.kernels.order import compare_sets

ENUMERATE, RECENT, CHRONICLE, CONTINUOUS, CUMULATIVE = range(5)
INSIDE, BETWEEN = range(2)


@kernel
def append(array, count, value):
    """Put a value at the end of an array that grows."""
    if count == array.size:
        larger = np.empty(2 * array.size, np.int64)
        larger[:count] = array
        array = larger
    array[count] = value
    return array


@kernel
def excluded(
    begin, end, first_end, second_begin, first, second, group, groups, kinds, bases, xmap, starts, xb, xe, xl, xs, xm
):
    """Whether one of the exclusions strikes a candidate: 0 no, 1 yes, 2 yes and for every later terminator too."""
    worst = 0
    for x in range(kinds.size):
        mine = xmap[x * groups + group]
        if mine < 0:
            continue
        if kinds[x] == INSIDE:
            last = starts[bases[x] + mine + 1]
            place = lower_bound(xb, starts[bases[x] + mine], last, begin)
            answer = 1 if place < last and xl[place] <= end else 0
        else:
            answer = between(first, second, first_end, second_begin, starts, xb, xe, xl, xs, xm, bases[x] + mine)
        worst = max(worst, answer)
    return worst


@kernel
def later_union(l1, r1, l2, r2, lstarts, lmembers, rstarts, rmembers, times, codes, offsets, data):
    """Whether the union of (l1, r1) comes after that of (l2, r2) by the ids of its members; then by l, then by r."""
    a1, b1 = lmembers[lstarts[l1] : lstarts[l1 + 1]], rmembers[rstarts[r1] : rstarts[r1 + 1]]
    a2, b2 = lmembers[lstarts[l2] : lstarts[l2 + 1]], rmembers[rstarts[r2] : rstarts[r2 + 1]]
    one = np.empty(a1.size + b1.size, np.int64)
    two = np.empty(a2.size + b2.size, np.int64)
    n1 = merge_into(one, 0, a1, b1, times, codes, offsets, data)
    n2 = merge_into(two, 0, a2, b2, times, codes, offsets, data)
    return compare_sets(one[:n1], two[:n2], codes, offsets, data)


@kernel
def pair(
    both_ways,
    mode,
    lbegin,
    lend,
    lgroup,
    lloose,
    lstarts,
    lmembers,
    lnew,
    rbegin,
    rend,
    rgroup,
    rloose,
    rstarts,
    rmembers,
    rnew,
    groups,
    unbound,
    longest,
    low,
    high,
    at_low,
    at_high,
    right_is_instant,
    steady,
    kinds,
    bases,
    xmap,
    xstarts,
    xbegin,
    xend,
    xleast,
    xmstarts,
    xmembers,
    times,
    codes,
    offsets,
    data,
):
    """Pairs of rows (left, right, number of the occurrence), and which rows of each side still wait.

    Rows before `lnew` and `rnew` waited already: they terminate nothing. `both_ways` is `and`; else it is `then`. `steady`
    says that on both sides later rows never begin earlier.
    """
    nl, nr = lbegin.size, rbegin.size
    out_left, out_right, out_number = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    count, number = 0, 0
    # Rows of both sides share one index space in the linked lists: left rows first.
    following = np.full(nl + nr, -1, np.int64)
    preceding = np.full(nl + nr, -1, np.int64)
    head = np.full(2 * groups, -1, np.int64)
    tail = np.full(2 * groups, -1, np.int64)
    waits = np.zeros(nl + nr, np.bool_)
    best_left = np.full(groups if mode == RECENT else 0, -1, np.int64)
    best_right = np.full(groups if mode == RECENT else 0, -1, np.int64)
    only_inside = True
    for x in range(kinds.size):
        only_inside = only_inside and kinds[x] == INSIDE
    i, j = 0, 0
    while i < nl or j < nr:
        is_left = j >= nr or (i < nl and lend[i] <= rend[j])
        if is_left:
            row, slot, mine, fresh, terminates = i, i, lgroup[i], i >= lnew, both_ways
            my_begin, my_end = lbegin[i], lend[i]
            i += 1
        else:
            row, slot, mine, fresh, terminates = j, nl + j, rgroup[j], j >= rnew, True
            my_begin, my_end = rbegin[j], rend[j]
            j += 1
        taken = False
        if fresh and terminates:
            other_list = 2 * mine + (1 if is_left else 0)
            # In `recent` the latest begin is wanted, so the list is walked from its end.
            current = tail[other_list] if mode == RECENT else head[other_list]
            while current >= 0:
                step = preceding[current] if mode == RECENT else following[current]
                other = current - nl if is_left else current
                other_begin = rbegin[other] if is_left else lbegin[other]
                other_end = rend[other] if is_left else lend[other]
                if mode == RECENT and steady and best_left[mine] >= 0:
                    best_end = max(lend[best_left[mine]], rend[best_right[mine]])
                    if best_end == my_end and other_begin < min(lbegin[best_left[mine]], rbegin[best_right[mine]]):
                        break
                remove = my_end - other_begin > longest
                fits = not remove
                if fits and not both_ways and other_end > my_begin:
                    if mode != RECENT:
                        break
                    fits = False
                begin = min(my_begin, other_begin)
                left, right = (row, other) if is_left else (other, row)
                if fits:
                    fits = my_end - begin <= longest and begin >= low and my_end <= high
                if fits and not both_ways and other_end == my_begin:
                    fits = not shares(
                        lmembers[lstarts[left] : lstarts[left + 1]], rmembers[rstarts[right] : rstarts[right + 1]]
                    )
                if fits:
                    for window in range(at_low.size):
                        fits = fits and at_low[window] <= my_end < at_high[window]
                if fits and lloose.shape[1] > 0:
                    fits = agrees(lloose[left], rloose[right], unbound)
                if fits and kinds.size > 0:
                    answer = excluded(
                        begin,
                        my_end,
                        lend[left],
                        rbegin[right],
                        lmembers[lstarts[left] : lstarts[left + 1]],
                        rmembers[rstarts[right] : rstarts[right + 1]],
                        mine,
                        groups,
                        kinds,
                        bases,
                        xmap,
                        xstarts,
                        xbegin,
                        xend,
                        xleast,
                        xmstarts,
                        xmembers,
                    )
                    fits = answer == 0
                    # What lies inside [begin(other), end(mine)] lies inside every later candidate of the other too.
                    if answer > 0 and only_inside and begin == other_begin:
                        remove = True
                    if answer == 2 and right_is_instant and not both_ways:
                        remove = True
                if fits:
                    if mode == RECENT:
                        old_left, old_right = best_left[mine], best_right[mine]
                        if old_left >= 0 and max(lend[old_left], rend[old_right]) < my_end:
                            out_left = append(out_left, count, old_left)
                            out_right = append(out_right, count, old_right)
                            out_number = append(out_number, count, number)
                            count, number, old_left = count + 1, number + 1, -1
                        better = old_left < 0
                        if not better:
                            old_begin = min(lbegin[old_left], rbegin[old_right])
                            better = begin > old_begin
                            if begin == old_begin:
                                answer = later_union(
                                    left,
                                    right,
                                    old_left,
                                    old_right,
                                    lstarts,
                                    lmembers,
                                    rstarts,
                                    rmembers,
                                    times,
                                    codes,
                                    offsets,
                                    data,
                                )
                                better = answer > 0 or (answer == 0 and (left, right) > (old_left, old_right))
                        if better:
                            best_left[mine], best_right[mine] = left, right
                    else:
                        out_left = append(out_left, count, left)
                        out_right = append(out_right, count, right)
                        out_number = append(out_number, count, number)
                        count += 1
                        if mode != CUMULATIVE:
                            number += 1
                        if mode != ENUMERATE:
                            taken, remove = True, True
                if remove:
                    before, after = preceding[current], following[current]
                    waits[current] = False
                    if before >= 0:
                        following[before] = after
                    else:
                        head[other_list] = after
                    if after >= 0:
                        preceding[after] = before
                    else:
                        tail[other_list] = before
                if fits and mode == CHRONICLE:
                    break
                current = step
            if taken and mode == CUMULATIVE:
                number += 1
        if (is_left or both_ways) and not taken:
            own_list = 2 * mine + (0 if is_left else 1)
            waits[slot] = True
            preceding[slot] = tail[own_list]
            if tail[own_list] >= 0:
                following[tail[own_list]] = slot
            else:
                head[own_list] = slot
            tail[own_list] = slot
    for group in range(best_left.size):
        if best_left[group] >= 0:
            out_left = append(out_left, count, best_left[group])
            out_right = append(out_right, count, best_right[group])
            out_number = append(out_number, count, number)
            count, number = count + 1, number + 1
    return out_left[:count].copy(), out_right[:count].copy(), out_number[:count].copy(), waits[:nl].copy(), waits[nl:].copy()
