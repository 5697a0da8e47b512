"""Finding partners: the two-sided combining nodes (`then`, `and`).

Rows of both sides are taken in order of end, at equal ends left before right. A row that comes looks among the rows of
the other side that wait in its group, then waits itself. Waiting rows of a group form a linked list in §1's order; rows
that are used up, too old, or spoilt for good by something excluded are unlinked, so no row is looked at in vain twice.

`consume` is for the contexts that use rows up and `newest` for `recent`, where a group is one joined substitution.
`match` finds every pair; where joined substitutions are known only of pairs, selection among those is left to
`choosing`.
"""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.exclusion import between
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
def take_excluded(until, places, istarts, iend, ibegin, igroup, ibases, newest):
    """Take in what is excluded and has ended by now: of each group, the latest begin is all that must be known."""
    for x in range(places.size):
        while places[x] < istarts[x + 1] and iend[places[x]] <= until:
            at = ibases[x] + igroup[places[x]]
            newest[at] = max(newest[at], ibegin[places[x]])
            places[x] += 1


@kernel
def is_excluded(begin, group, groups, ibases, imap, newest):
    """Whether something excluded lies inside: one that has ended by now and began no earlier than the candidate."""
    for x in range(ibases.size):
        if newest[ibases[x] + imap[x * groups + group]] >= begin:
            return True
    return False


@kernel
def lies_between(first_end, second_begin, first, second, group, groups, bbases, bmap, starts, xb, xe, xl, xs, xm):
    """Whether something excluded lies between the two parts: 0 no, 1 yes, 2 yes and before any later second one too."""
    worst = 0
    for x in range(bbases.size):
        mine = bbases[x] + bmap[x * groups + group]
        worst = max(worst, between(first, second, first_end, second_begin, starts, xb, xe, xl, xs, xm, mine))
    return worst


@kernel
def later_union(l1, r1, l2, r2, lstarts, lmembers, rstarts, rmembers, ordered, times, codes, offsets, data):
    """Whether the union of (l1, r1) comes after that of (l2, r2) by the ids of its members; then by l, then by r."""
    a1, b1 = lmembers[lstarts[l1] : lstarts[l1 + 1]], rmembers[rstarts[r1] : rstarts[r1 + 1]]
    a2, b2 = lmembers[lstarts[l2] : lstarts[l2 + 1]], rmembers[rstarts[r2] : rstarts[r2 + 1]]
    one = np.empty(a1.size + b1.size, np.int64)
    two = np.empty(a2.size + b2.size, np.int64)
    n1 = merge_into(one, 0, a1, b1, ordered, times, codes, offsets, data)
    n2 = merge_into(two, 0, a2, b2, ordered, times, codes, offsets, data)
    return compare_sets(one[:n1], two[:n2], codes, offsets, data)


@kernel
def consume(
    both_ways,
    mode,
    lbegin,
    lend,
    lgroup,
    lstarts,
    lmembers,
    lnew,
    rbegin,
    rend,
    rgroup,
    rstarts,
    rmembers,
    rnew,
    groups,
    longest,
    low,
    high,
    at_low,
    at_high,
    right_is_instant,
    istarts,
    iend,
    ibegin,
    igroup,
    ibases,
    imap,
    isize,
    bbases,
    bmap,
    xstarts,
    xbegin,
    xend,
    xleast,
    xmstarts,
    xmembers,
):
    """Pairs of rows (left, right, number of the occurrence), and which rows of each side still wait.

    Rows before `lnew` and `rnew` waited already: they terminate nothing. `both_ways` is `and`; else it is `then`.
    """
    nl, nr = lbegin.size, rbegin.size
    # Every pair uses up a row that waited, so there are no more pairs than such rows.
    most = nl + nr if both_ways else nl
    out_left, out_right, out_number = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    count, number = 0, 0
    # Rows of both sides share one index space in the linked lists: left rows first.
    following = np.empty(nl + nr, np.int32)
    head = np.full(2 * groups, -1, np.int32)
    tail = np.full(2 * groups, -1, np.int32)
    places = istarts[:-1].copy()
    latest = np.full(isize, -(2**63), np.int64)
    i, j = 0, 0
    while i < nl or j < nr:
        is_left = j >= nr or (i < nl and lend[i] <= rend[j])
        if is_left:
            row, slot, mine, fresh = i, i, lgroup[i], both_ways and i >= lnew
            my_begin, my_end = lbegin[i], lend[i]
            i += 1
        else:
            row, slot, mine, fresh = j, nl + j, rgroup[j], j >= rnew
            my_begin, my_end = rbegin[j], rend[j]
            j += 1
        taken = False
        if fresh and places.size > 0:
            take_excluded(my_end, places, istarts, iend, ibegin, igroup, ibases, latest)
        if fresh:
            other_list = 2 * mine + (1 if is_left else 0)
            before, current = -1, head[other_list]
            while current >= 0:
                after = following[current]
                other = current - nl if is_left else current
                other_begin = rbegin[other] if is_left else lbegin[other]
                remove = my_end - other_begin > longest
                fits = not remove
                if fits:
                    other_end = rend[other] if is_left else lend[other]
                    if not both_ways and other_end > my_begin:
                        break
                    begin = min(my_begin, other_begin)
                    fits = my_end - begin <= longest and begin >= low and my_end <= high
                    for window in range(at_low.size):
                        fits = fits and at_low[window] <= my_end < at_high[window]
                    if fits and not both_ways and other_end == my_begin:
                        fits = not shares(
                            lmembers[lstarts[other] : lstarts[other + 1]], rmembers[rstarts[row] : rstarts[row + 1]]
                        )
                    if fits and places.size > 0 and is_excluded(begin, mine, groups, ibases, imap, latest):
                        # What lies inside it now lies inside every later candidate of the other row too.
                        fits, remove = False, begin == other_begin
                    if fits and bbases.size > 0:
                        left, right = (row, other) if is_left else (other, row)
                        answer = lies_between(
                            lend[left],
                            rbegin[right],
                            lmembers[lstarts[left] : lstarts[left + 1]],
                            rmembers[rstarts[right] : rstarts[right + 1]],
                            mine,
                            groups,
                            bbases,
                            bmap,
                            xstarts,
                            xbegin,
                            xend,
                            xleast,
                            xmstarts,
                            xmembers,
                        )
                        fits, remove = answer == 0, answer == 2 and right_is_instant and not both_ways
                    if fits:
                        out_left[count] = row if is_left else other
                        out_right[count] = other if is_left else row
                        out_number[count] = number
                        count += 1
                        if mode != CUMULATIVE:
                            number += 1
                        taken, remove = True, True
                if remove:
                    if before >= 0:
                        following[before] = after
                    else:
                        head[other_list] = after
                    if after < 0:
                        tail[other_list] = before
                    if taken and mode == CHRONICLE:
                        break
                else:
                    before = current
                current = after
            if taken and mode == CUMULATIVE:
                number += 1
        if (is_left or both_ways) and not taken:
            own_list = 2 * mine + (0 if is_left else 1)
            following[slot] = -1
            if tail[own_list] >= 0:
                following[tail[own_list]] = slot
            else:
                head[own_list] = slot
            tail[own_list] = slot
    waits = np.zeros(nl + nr, np.bool_)
    for start in head:
        current = start
        while current >= 0:
            waits[current] = True
            current = following[current]
    return (
        out_left[:count].copy(),
        out_right[:count].copy(),
        out_number[:count].copy(),
        waits[:nl].copy(),
        waits[nl:].copy(),
    )


@kernel
def match(
    both_ways,
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
    istarts,
    iend,
    ibegin,
    igroup,
    ibases,
    imap,
    isize,
    bbases,
    bmap,
    xstarts,
    xbegin,
    xend,
    xleast,
    xmstarts,
    xmembers,
):
    """Every pair of rows (left, right) that combine, keep the limits and agree; the parameters are those of
    `consume`.
    """
    nl, nr = lbegin.size, rbegin.size
    out_left, out_right = np.empty(1024 + nl, np.int64), np.empty(1024 + nl, np.int64)
    count = 0
    following = np.empty(nl + nr, np.int32)
    head = np.full(2 * groups, -1, np.int32)
    tail = np.full(2 * groups, -1, np.int32)
    places = istarts[:-1].copy()
    latest = np.full(isize, -(2**63), np.int64)
    i, j = 0, 0
    while i < nl or j < nr:
        is_left = j >= nr or (i < nl and lend[i] <= rend[j])
        if is_left:
            row, slot, mine, fresh = i, i, lgroup[i], both_ways and i >= lnew
            my_begin, my_end = lbegin[i], lend[i]
            i += 1
        else:
            row, slot, mine, fresh = j, nl + j, rgroup[j], j >= rnew
            my_begin, my_end = rbegin[j], rend[j]
            j += 1
        if fresh and places.size > 0:
            take_excluded(my_end, places, istarts, iend, ibegin, igroup, ibases, latest)
        if fresh and my_end <= high:
            other_list = 2 * mine + (1 if is_left else 0)
            before, current = -1, head[other_list]
            while current >= 0:
                after = following[current]
                other = current - nl if is_left else current
                other_begin = rbegin[other] if is_left else lbegin[other]
                if my_end - other_begin > longest:
                    if before >= 0:
                        following[before] = after
                    else:
                        head[other_list] = after
                    if after < 0:
                        tail[other_list] = before
                    current = after
                    continue
                other_end = rend[other] if is_left else lend[other]
                if not both_ways and other_end > my_begin:
                    break
                begin = min(my_begin, other_begin)
                left, right = (row, other) if is_left else (other, row)
                fits = my_end - begin <= longest and begin >= low
                for window in range(at_low.size):
                    fits = fits and at_low[window] <= my_end < at_high[window]
                for place in range(lloose.shape[1]):
                    one, two = lloose[left, place], rloose[right, place]
                    fits = fits and (one in (two, unbound) or two == unbound)
                if fits and not both_ways and other_end == my_begin:
                    fits = not shares(
                        lmembers[lstarts[left] : lstarts[left + 1]], rmembers[rstarts[right] : rstarts[right + 1]]
                    )
                if fits and places.size > 0:
                    fits = not is_excluded(begin, mine, groups, ibases, imap, latest)
                if fits and bbases.size > 0:
                    answer = lies_between(
                        lend[left],
                        rbegin[right],
                        lmembers[lstarts[left] : lstarts[left + 1]],
                        rmembers[rstarts[right] : rstarts[right + 1]],
                        mine,
                        groups,
                        bbases,
                        bmap,
                        xstarts,
                        xbegin,
                        xend,
                        xleast,
                        xmstarts,
                        xmembers,
                    )
                    fits = answer == 0
                if fits:
                    if count == out_left.size:
                        out_left, out_right = append(out_left, count, left), append(out_right, count, right)
                    out_left[count], out_right[count] = left, right
                    count += 1
                before = current
                current = after
        if is_left or both_ways:
            own_list = 2 * mine + (0 if is_left else 1)
            following[slot] = -1
            if tail[own_list] >= 0:
                following[tail[own_list]] = slot
            else:
                head[own_list] = slot
            tail[own_list] = slot
    return out_left[:count], out_right[:count]


@kernel
def newest(
    both_ways,
    lbegin,
    lend,
    lgroup,
    lstarts,
    lmembers,
    lnew,
    rbegin,
    rend,
    rgroup,
    rstarts,
    rmembers,
    rnew,
    groups,
    longest,
    low,
    high,
    at_low,
    at_high,
    steady,
    istarts,
    iend,
    ibegin,
    igroup,
    ibases,
    imap,
    isize,
    bbases,
    bmap,
    xstarts,
    xbegin,
    xend,
    xleast,
    xmstarts,
    xmembers,
    ordered,
    times,
    codes,
    offsets,
    data,
):
    """Context `recent`: of the pairs of a group with the same end the one with the latest begin, then the last in §1.

    The parameters are those of `consume`; `steady` says that on both sides later rows never begin earlier.
    """
    nl, nr = lbegin.size, rbegin.size
    out_left, out_right = np.empty(1024, np.int64), np.empty(1024, np.int64)
    count = 0
    # The latest begin is wanted, so lists are walked from their end.
    following = np.full(nl + nr, -1, np.int32)
    preceding = np.full(nl + nr, -1, np.int32)
    head = np.full(2 * groups, -1, np.int32)
    tail = np.full(2 * groups, -1, np.int32)
    best_left = np.full(groups, -1, np.int64)
    best_right = np.full(groups, -1, np.int64)
    places = istarts[:-1].copy()
    latest = np.full(isize, -(2**63), np.int64)
    i, j = 0, 0
    while i < nl or j < nr:
        is_left = j >= nr or (i < nl and lend[i] <= rend[j])
        if is_left:
            row, slot, mine, fresh = i, i, lgroup[i], both_ways and i >= lnew
            my_begin, my_end = lbegin[i], lend[i]
            i += 1
        else:
            row, slot, mine, fresh = j, nl + j, rgroup[j], j >= rnew
            my_begin, my_end = rbegin[j], rend[j]
            j += 1
        if fresh and places.size > 0:
            take_excluded(my_end, places, istarts, iend, ibegin, igroup, ibases, latest)
        if fresh:
            other_list = 2 * mine + (1 if is_left else 0)
            current = tail[other_list]
            while current >= 0:
                step = preceding[current]
                other = current - nl if is_left else current
                other_begin = rbegin[other] if is_left else lbegin[other]
                other_end = rend[other] if is_left else lend[other]
                if steady and best_left[mine] >= 0:
                    best_end = max(lend[best_left[mine]], rend[best_right[mine]])
                    if best_end == my_end and other_begin < min(lbegin[best_left[mine]], rbegin[best_right[mine]]):
                        break
                if my_end - other_begin > longest:
                    before, after = preceding[current], following[current]
                    if before >= 0:
                        following[before] = after
                    else:
                        head[other_list] = after
                    if after >= 0:
                        preceding[after] = before
                    else:
                        tail[other_list] = before
                    current = step
                    continue
                if not both_ways and other_end > my_begin:
                    current = step
                    continue
                begin = min(my_begin, other_begin)
                left, right = (row, other) if is_left else (other, row)
                fits = my_end - begin <= longest and begin >= low and my_end <= high
                for window in range(at_low.size):
                    fits = fits and at_low[window] <= my_end < at_high[window]
                if fits and not both_ways and other_end == my_begin:
                    fits = not shares(
                        lmembers[lstarts[left] : lstarts[left + 1]], rmembers[rstarts[right] : rstarts[right + 1]]
                    )
                if fits and places.size > 0:
                    fits = not is_excluded(begin, mine, groups, ibases, imap, latest)
                if fits and bbases.size > 0:
                    answer = lies_between(
                        lend[left],
                        rbegin[right],
                        lmembers[lstarts[left] : lstarts[left + 1]],
                        rmembers[rstarts[right] : rstarts[right + 1]],
                        mine,
                        groups,
                        bbases,
                        bmap,
                        xstarts,
                        xbegin,
                        xend,
                        xleast,
                        xmstarts,
                        xmembers,
                    )
                    fits = answer == 0
                if fits:
                    old_left, old_right = best_left[mine], best_right[mine]
                    if old_left >= 0 and max(lend[old_left], rend[old_right]) < my_end:
                        out_left, out_right = append(out_left, count, old_left), append(out_right, count, old_right)
                        count, old_left = count + 1, -1
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
                                ordered,
                                times,
                                codes,
                                offsets,
                                data,
                            )
                            better = answer > 0 or (answer == 0 and (left, right) > (old_left, old_right))
                    if better:
                        best_left[mine], best_right[mine] = left, right
                current = step
        if is_left or both_ways:
            own_list = 2 * mine + (0 if is_left else 1)
            preceding[slot] = tail[own_list]
            if tail[own_list] >= 0:
                following[tail[own_list]] = slot
            else:
                head[own_list] = slot
            tail[own_list] = slot
    for group in range(best_left.size):
        if best_left[group] >= 0:
            out_left, out_right = append(out_left, count, best_left[group]), append(out_right, count, best_right[group])
            count += 1
    return out_left[:count].copy(), out_right[:count].copy()
