"""Finding partners: the two-sided combining nodes (`then`, `and`).

Rows of both sides are taken in order of end, at equal ends left before right. A row that comes looks among the rows of
the other side that wait in its group, then waits itself. Waiting rows of a group form a linked list in §1's order.

No partner may begin before the *floor* of the row that comes: its end less the longest duration, the lower limit, and
what is excluded (something that has ended by now lies inside every interval that begins no later than it does). The
floor of a group never falls, so a row below it has no future: it is unlinked, and no row is looked at in vain twice.

`used_…` is for the contexts that use rows up, `newest_…` for `recent`; `every_sequence` and `all_together` find every
pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ensue.engine.arrays import Ints, Numbers, Truths
from ensue.engine.kernels.compiled import Kernel, kernel
from ensue.engine.kernels.exclusion import between
from ensue.engine.kernels.members import merge_into, shares
from ensue.engine.kernels.order import compare_sets

ENUMERATE, RECENT, CHRONICLE, CONTINUOUS, CUMULATIVE = range(5)
INSIDE, BETWEEN = range(2)

HEAD, TAIL = range(2)


class Coming(NamedTuple):
    """The rows of one side, in order of end; those before `new` waited already: they terminate nothing."""

    begin: Ints
    end: Ints
    group: Numbers
    starts: Ints
    members: Ints
    new: int


class Limits(NamedTuple):
    """How long a pair may last, from when to when, and the units of time that it must end in."""

    longest: int
    low: int
    high: int
    unit_starts: Ints
    unit_stops: Ints


class Inside(NamedTuple):
    """What must not lie inside: items' rows one after another, each item's in order of end, and where each item is.

    `newest` has the latest begin that was seen, for each group of each item; `to_group` leads from a group of pairs to
    the group of the item.
    """

    starts: Ints
    begin: Ints
    end: Ints
    group: Numbers
    bases: Ints
    to_group: Ints
    newest: Ints


class Between(NamedTuple):
    """What must not lie between the two parts: rows by item, group and begin, with their members."""

    bases: Ints
    to_group: Ints
    starts: Ints
    begin: Ints
    end: Ints
    least: Ints
    member_starts: Ints
    members: Ints


class Loose(NamedTuple):
    """Codes of variables that both sides may bind, and that must agree where both do."""

    left: Ints
    right: Ints
    unbound: int


class Progress(NamedTuple):
    """What lasts from one call to the next: how far the sides and the excluded items are, and who waits.

    `lists` has the first row of each list, + 1, and its last; only where every pair is wanted, `lengths` are kept.
    """

    at: Ints
    places: Ints
    lists: Numbers
    lengths: Numbers
    following: Numbers
    gone: Truths


class Found(NamedTuple):
    """Room for pairs, and (if several may be one occurrence) for the number of the occurrence."""

    left: Ints
    right: Ints
    number: Ints


@kernel
def lowest(end, group, groups, limits, places, inside):
    """The floor for partners of a row that ends now."""
    floor = max(end - limits.longest, limits.low)
    if inside is not None:
        for x in range(places.size):
            at = places[x]
            while at < inside.starts[x + 1] and inside.end[at] <= end:
                spot = inside.bases[x] + inside.group[at]
                inside.newest[spot] = max(inside.newest[spot], inside.begin[at])
                at += 1
            places[x] = at
            floor = max(floor, inside.newest[inside.bases[x] + inside.to_group[x * groups + group]] + 1)
    return floor


@kernel
def is_timely(end, limits):
    """Whether a pair may end now."""
    for unit in range(limits.unit_starts.size):
        if not limits.unit_starts[unit] <= end < limits.unit_stops[unit]:
            return False
    return end <= limits.high


@kernel
def agree(loose, one, two):
    """Whether the two rows agree on the variables that may be unbound."""
    for place in range(loose.left.shape[1]):
        first, second = loose.left[one, place], loose.right[two, place]
        if first not in (second, loose.unbound) and second != loose.unbound:
            return False
    return True


@kernel
def share_event(left, one, right, two):
    return shares(
        left.members[left.starts[one] : left.starts[one + 1]], right.members[right.starts[two] : right.starts[two + 1]]
    )


@kernel
def lies_between(left, one, right, two, group, groups, apart):
    """Whether something excluded lies between the two parts: 0 no, 1 yes, 2 yes and before any later second one too."""
    worst = 0
    for x in range(apart.bases.size):
        worst = max(
            worst,
            between(
                left.members[left.starts[one] : left.starts[one + 1]],
                right.members[right.starts[two] : right.starts[two + 1]],
                left.end[one],
                right.begin[two],
                apart.starts,
                apart.begin,
                apart.end,
                apart.least,
                apart.member_starts,
                apart.members,
                apart.bases[x] + apart.to_group[x * groups + group],
            ),
        )
    return worst


def _finding_pairs(both_ways: bool, every: bool) -> Kernel:
    """The kernel for `and` (`both_ways`) or for `then`, to find every pair or to use rows up.

    What differs is decided when it is compiled.
    """

    @kernel
    def pair(mode, right_is_instant, left, right, groups, limits, inside, apart, loose, progress, out):
        """Fills `out` with pairs, and says how many; call again as long as `progress` has not come to the end.

        Stops before a row that waits for more partners than there is room: progress.at[3] says how much it needs.
        What is used up, or has no future, is gone.
        """
        nl, nr = left.begin.size, right.begin.size
        sides = 2 if both_ways else 1
        lists, following, gone = progress.lists, progress.following, progress.gone
        i, j, number, count = progress.at[0], progress.at[1], progress.at[2], 0
        progress.at[3] = 0
        while j < nr or (both_ways and i < nl):
            is_left = j >= nr or (i < nl and left.end[i] <= right.end[j])
            if is_left:
                row, slot, group, fresh = i, i, left.group[i], both_ways and i >= left.new
                begin, end = left.begin[i], left.end[i]
            else:
                row, slot, group, fresh = j, nl + j, right.group[j], j >= right.new
                begin, end = right.begin[j], right.end[j]
            waits = is_left or both_ways
            wanted = sides * group + (1 if is_left else 0)
            if fresh and lists[wanted, HEAD] != 0 and is_timely(end, limits):
                if every and count + progress.lengths[wanted] > out.left.size:
                    progress.at[3] = progress.lengths[wanted]
                    break
                floor = lowest(end, group, groups, limits, progress.places, inside)
                taken = False
                before, current = -1, lists[wanted, HEAD] - 1
                while current >= 0:
                    after = following[current]
                    other = current - nl if is_left else current
                    if is_left:
                        other_begin, other_end = right.begin[other], right.end[other]
                    else:
                        other_begin, other_end = left.begin[other], left.end[other]
                    leaves = other_begin < floor
                    if not leaves:
                        if not both_ways and other_end > begin:
                            break
                        one, two = (row, other) if is_left else (other, row)
                        fits = begin >= floor
                        if loose is not None:
                            fits = fits and agree(loose, one, two)
                        if not both_ways and fits and other_end == begin:
                            fits = not share_event(left, one, right, two)
                        if apart is not None and fits:
                            answer = lies_between(left, one, right, two, group, groups, apart)
                            fits = answer == 0
                            leaves = not both_ways and answer == 2 and right_is_instant
                        if fits:
                            out.left[count], out.right[count] = one, two
                            if not every:
                                if mode == CUMULATIVE:
                                    out.number[count] = number
                                taken = leaves = True
                            count += 1
                    if leaves:
                        gone[current] = True
                        if every:
                            progress.lengths[wanted] -= 1
                        if before >= 0:
                            following[before] = after
                        else:
                            lists[wanted, HEAD] = after + 1
                        if after < 0:
                            lists[wanted, TAIL] = before
                        if taken and mode == CHRONICLE:
                            break
                    else:
                        before = current
                    current = after
                if taken:
                    number += 1
                if waits and (taken or begin < floor):
                    gone[slot] = True
                    waits = False
            if waits:
                own = sides * group + (0 if is_left else 1)
                following[slot] = -1
                if lists[own, HEAD] != 0:
                    following[lists[own, TAIL]] = slot
                else:
                    lists[own, HEAD] = slot + 1
                lists[own, TAIL] = slot
                if every:
                    progress.lengths[own] += 1
            if is_left:
                i += 1
            else:
                j += 1
        progress.at[0], progress.at[1], progress.at[2] = i, j, number
        return count

    return pair


used_sequences = _finding_pairs(both_ways=False, every=False)
used_together = _finding_pairs(both_ways=True, every=False)
every_sequence = _finding_pairs(both_ways=False, every=True)
all_together = _finding_pairs(both_ways=True, every=True)


@kernel
def later_union(l1, r1, l2, r2, left, right, ordered, times, codes, offsets, data):
    """Whether the union of (l1, r1) comes after that of (l2, r2) by the ids of its members; then by l, then by r."""
    a1, b1 = left.members[left.starts[l1] : left.starts[l1 + 1]], right.members[right.starts[r1] : right.starts[r1 + 1]]
    a2, b2 = left.members[left.starts[l2] : left.starts[l2 + 1]], right.members[right.starts[r2] : right.starts[r2 + 1]]
    one = np.empty(a1.size + b1.size, np.int64)
    two = np.empty(a2.size + b2.size, np.int64)
    n1 = merge_into(one, 0, a1, b1, ordered, times, codes, offsets, data)
    n2 = merge_into(two, 0, a2, b2, ordered, times, codes, offsets, data)
    answer = compare_sets(one[:n1], two[:n2], codes, offsets, data)
    return answer > 0 or (answer == 0 and (l1, r1) > (l2, r2))


def _finding_newest(both_ways: bool) -> Kernel:
    """The same for `recent`."""

    @kernel
    def newest(
        steady,
        left,
        right,
        groups,
        limits,
        inside,
        apart,
        progress,
        preceding,
        best,
        ordered,
        times,
        codes,
        offsets,
        data,
        out,
    ):
        """Of the pairs of a group with the same end the one with the latest begin, then the last in §1.

        The latest begin is wanted, so lists are walked from their end. `steady` says that on both sides later rows
        never begin earlier. `best` has the best pair of each group so far.
        """
        nl, nr = left.begin.size, right.begin.size
        sides = 2 if both_ways else 1
        lists, following = progress.lists, progress.following
        i, j, count = 0, 0, 0
        while j < nr or (both_ways and i < nl):
            is_left = j >= nr or (i < nl and left.end[i] <= right.end[j])
            if is_left:
                row, slot, group, fresh = i, i, left.group[i], both_ways and i >= left.new
                my_begin, my_end = left.begin[i], left.end[i]
                i += 1
            else:
                row, slot, group, fresh = j, nl + j, right.group[j], j >= right.new
                my_begin, my_end = right.begin[j], right.end[j]
                j += 1
            wanted = sides * group + (1 if is_left else 0)
            if fresh and lists[wanted, HEAD] != 0 and is_timely(my_end, limits):
                floor = lowest(my_end, group, groups, limits, progress.places, inside)
                current = np.int64(lists[wanted, TAIL])
                while current >= 0:
                    before = preceding[current]
                    other = current - nl if is_left else current
                    if is_left:
                        other_begin, other_end = right.begin[other], right.end[other]
                    else:
                        other_begin, other_end = left.begin[other], left.end[other]
                    old_left, old_right = best[group, 0], best[group, 1]
                    old_begin = np.int64(-(2**63))
                    if old_left >= 0 and max(left.end[old_left], right.end[old_right]) == my_end:
                        old_begin = min(left.begin[old_left], right.begin[old_right])
                    if steady and other_begin < old_begin:
                        break
                    if other_begin < floor:
                        after = following[current]
                        if before >= 0:
                            following[before] = after
                        else:
                            lists[wanted, HEAD] = after + 1
                        if after >= 0:
                            preceding[after] = before
                        else:
                            lists[wanted, TAIL] = before
                        current = before
                        continue
                    fits = my_begin >= floor and (both_ways or other_end <= my_begin)
                    one, two = (row, other) if is_left else (other, row)
                    if not both_ways and fits and other_end == my_begin:
                        fits = not share_event(left, one, right, two)
                    if apart is not None and fits:
                        fits = lies_between(left, one, right, two, group, groups, apart) == 0
                    if fits:
                        begin = min(my_begin, other_begin)
                        better = begin > old_begin
                        if begin == old_begin:
                            better = later_union(
                                one, two, old_left, old_right, left, right, ordered, times, codes, offsets, data
                            )
                        if better:
                            if old_left >= 0 and max(left.end[old_left], right.end[old_right]) < my_end:
                                out.left[count], out.right[count] = old_left, old_right
                                count += 1
                            best[group, 0], best[group, 1] = one, two
                    current = before
            if is_left or both_ways:
                own = sides * group + (0 if is_left else 1)
                following[slot] = -1
                preceding[slot] = -1
                if lists[own, HEAD] != 0:
                    preceding[slot] = lists[own, TAIL]
                    following[lists[own, TAIL]] = slot
                else:
                    lists[own, HEAD] = slot + 1
                lists[own, TAIL] = slot
        for group in range(best.shape[0]):
            if best[group, 0] >= 0:
                out.left[count], out.right[count] = best[group, 0], best[group, 1]
                count += 1
        return count

    return newest


newest_sequences = _finding_newest(both_ways=False)
newest_together = _finding_newest(both_ways=True)
