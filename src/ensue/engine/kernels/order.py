"""The total order of docs/semantics.md §1, over columns.

Ids compare as text. An id is a code: a number that is not negative stands for its decimal digits, as a position does;
a negative one, -(k + 1), is the k-th text of the id table (`offsets`, `bytes`).
"""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel


@kernel
def id_length(code, offsets):
    if code < 0:
        return offsets[-code] - offsets[-code - 1]
    length, limit = 1, 10
    while length < 19 and limit <= code:  # no number of 64 bits has more digits
        limit *= 10
        length += 1
    return length


@kernel
def id_byte(code, place, length, offsets, data):
    if code < 0:
        return np.int64(data[offsets[-code - 1] + place])
    for _ in range(length - 1 - place):
        code //= 10
    return 48 + code % 10


@kernel
def compare_ids(one, two, offsets, data):
    """-1, 0 or 1, by the bytes of the two ids."""
    if one == two:
        return 0
    first, second = id_length(one, offsets), id_length(two, offsets)
    if one >= 0 and two >= 0 and first == second:
        return -1 if one < two else 1
    for place in range(min(first, second)):
        a = id_byte(one, place, first, offsets, data)
        b = id_byte(two, place, second, offsets, data)
        if a != b:
            return -1 if a < b else 1
    return 0 if first == second else (-1 if first < second else 1)


@kernel
def compare_events(one, two, ordered, times, codes, offsets, data):
    """By (time, id); `one` and `two` are handles of events. If handles are in order, they are all that is looked at."""
    if one == two:
        return 0
    if ordered:
        return -1 if one < two else 1
    if times[one] != times[two]:
        return -1 if times[one] < times[two] else 1
    return compare_ids(codes[one], codes[two], offsets, data)


@kernel
def compare_sets(one, two, codes, offsets, data):
    """Two lists of events by the ids of their members, first to last."""
    for place in range(min(one.size, two.size)):
        if one[place] != two[place]:
            answer = compare_ids(codes[one[place]], codes[two[place]], offsets, data)
            if answer != 0:
                return answer
    return 0 if one.size == two.size else (-1 if one.size < two.size else 1)


@kernel
def compare_bindings(one, two, unbound):
    """By which variables are bound (columns stand in the order of names), then by their codes."""
    for place in range(one.size):
        if one[place] == two[place]:
            continue
        if one[place] != unbound and two[place] != unbound:
            return -1 if one[place] < two[place] else 1
        other = two if one[place] != unbound else one
        ends = True
        for later in range(place + 1, one.size):
            if other[later] != unbound:
                ends = False
        first_is_bound = one[place] != unbound
        return (1 if ends else -1) if first_is_bound else (-1 if ends else 1)
    return 0


@kernel
def compare_rows(i, j, begin, end, starts, members, values, unbound, codes, offsets, data):
    if end[i] != end[j]:
        return -1 if end[i] < end[j] else 1
    if begin[i] != begin[j]:
        return -1 if begin[i] < begin[j] else 1
    answer = compare_sets(members[starts[i] : starts[i + 1]], members[starts[j] : starts[j + 1]], codes, offsets, data)
    return answer if answer != 0 else compare_bindings(values[i], values[j], unbound)


@kernel
def untidy(begin, end, places):
    """Of rows that are sorted by end: the places where begin does not say what comes first, so that ids must be looked
    at. Gives how many there are; notes as many as there is room for.
    """
    count = 0
    for place in range(1, end.size):
        if end[place] == end[place - 1] and begin[place] <= begin[place - 1]:
            if count < places.size:
                places[count] = place
            count += 1
    return count


@kernel
def sort_ties(places, order, scratch, repeated, begin, end, starts, members, values, unbound, codes, offsets, data):
    """Put runs of equal end into §1's order, in place, by merging; note which rows repeat the one before them.

    Only the runs around the given places are looked at; `order` is sorted by end.
    """
    done = 0
    for place in places:
        if place < done:
            continue
        first, last = place, place + 1
        while first > 0 and end[order[first - 1]] == end[order[place]]:
            first -= 1
        while last < order.size and end[order[last]] == end[order[place]]:
            last += 1
        done = last
        width = 1
        while width < last - first:
            low = first
            while low < last:
                middle, high = min(low + width, last), min(low + 2 * width, last)
                left, right, out = low, middle, low
                while left < middle and right < high:
                    answer = compare_rows(
                        order[left], order[right], begin, end, starts, members, values, unbound, codes, offsets, data
                    )
                    if answer <= 0:
                        scratch[out] = order[left]
                        left += 1
                    else:
                        scratch[out] = order[right]
                        right += 1
                    out += 1
                while left < middle:
                    scratch[out] = order[left]
                    left += 1
                    out += 1
                while right < high:
                    scratch[out] = order[right]
                    right += 1
                    out += 1
                low += 2 * width
            order[first:last] = scratch[first:last]
            width *= 2
        for place_in_run in range(first + 1, last):
            answer = compare_rows(
                order[place_in_run - 1],
                order[place_in_run],
                begin,
                end,
                starts,
                members,
                values,
                unbound,
                codes,
                offsets,
                data,
            )
            repeated[place_in_run] = answer == 0


@kernel
def sort_simultaneous(order, times, codes, offsets, data):
    """Put runs of equal time into the order of ids, in place, by insertion; runs are expected to be short."""
    for place in range(1, order.size):
        current = order[place]
        at = place
        while at > 0 and times[order[at - 1]] == times[current]:
            if compare_ids(codes[order[at - 1]], codes[current], offsets, data) <= 0:
                break
            order[at] = order[at - 1]
            at -= 1
        order[at] = current


@kernel
def is_sorted(values):
    """0: not sorted; 1: sorted, with ties; 2: strictly increasing."""
    strict = 2
    for place in range(1, values.size):
        if values[place] <= values[place - 1]:
            if values[place] < values[place - 1]:
                return 0
            strict = 1
    return strict


@kernel
def in_order(times, codes, offsets, data):
    """0: times are not sorted; 1: they are, but some simultaneous events are not in the order of ids; 2: all is in
    order.
    """
    answer = 2
    same_from = same_to = np.int64(0)  # positions from here to there have the same number of digits
    for place in range(1, times.size):
        if times[place] <= times[place - 1]:
            if times[place] < times[place - 1]:
                return 0
            one, two = codes[place - 1], codes[place]
            if same_from <= one < two < same_to:
                continue
            if answer == 2 and compare_ids(one, two, offsets, data) > 0:
                answer = 1
            if one >= 0:
                same_to = np.int64(10) ** id_length(one, offsets)
                same_from = same_to // 10
    return answer
