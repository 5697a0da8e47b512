"""The practical limit: for each workload, a hand-written loop that does only that workload.

From the raw columns straight to the rows of the constituents: one line for each occurrence, in the order of its last
event. The loops know the codes of the types, the number of keys and the durations. What waits forms a list for each
key, linked through arrays as long as the history: a link is written at its event's own row, so writing goes forward,
and what is read back is recent. tests/bench/test_loops.py holds each loop to the reference evaluator.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench import data

Links: TypeAlias = NDArray[np.int32]
Loop: TypeAlias = Callable[[data.Columns, Links, data.Integers], data.Integers]

A, B, C, D = range(4)
NONE = -1
BLOCK = 2048
MINUTE = 60_000_000
HALF_MINUTE = 30_000_000


def run(loop: Loop, events: data.Columns, width: int) -> data.Integers:
    """The rows of the constituents, `width` of them on each line, as a loop finds them.

    In all workloads but W2 there are no more occurrences than events; W2's loop asks for more memory if need be.
    """
    count = len(events.types)
    return loop(events, _links(count), np.empty((count, width), np.int64))


@cache
def _links(count: int) -> Links:
    """Memory that is used again: with new memory in each run, a quarter of the time would go into page faults."""
    return np.empty((2, count), np.int32)


@data.compiled
def sequence_continuous(events: data.Columns, links: Links, found: data.Integers) -> data.Integers:
    """W1: each B takes every waiting A, each C every waiting pair.

    The As that one B takes stay linked to each other: the list as a whole changes hands.
    """
    types, times, keys = events.types, events.times, events.keys
    count = len(types)
    newest = np.full((data.KEYS, 2), NONE, np.int32)  # of each key: the newest waiting A, the newest B that took any
    before = links[0]  # of an A or a B: the one that was the newest before it
    taken = links[1]  # of a B: the newest A that it has taken
    total = start = 0
    rows = np.empty(2 * BLOCK, np.int64)
    while start < count:
        rows, length, start = in_turn(types, times, start, rows)
        for i in range(length):
            row = rows[i]
            key = keys[row]
            if types[row] == A:
                before[row] = newest[key, 0]
                newest[key, 0] = row
            elif types[row] == B:
                if newest[key, 0] != NONE:
                    taken[row] = newest[key, 0]
                    newest[key, 0] = NONE
                    before[row] = newest[key, 1]
                    newest[key, 1] = row
            else:
                earliest = times[row] - MINUTE
                b = newest[key, 1]
                newest[key, 1] = NONE
                while b != NONE and times[b] >= earliest:
                    a = taken[b]
                    while a != NONE and times[a] >= earliest:
                        found[total, 0] = a
                        found[total, 1] = b
                        found[total, 2] = row
                        total += 1
                        a = before[a]
                    b = before[b]
    return found[:total]


@data.compiled
def sequence_chronicle(events: data.Columns, links: Links, found: data.Integers) -> data.Integers:
    """W1: each B takes the oldest waiting A, each C the oldest waiting pair; both queues are in the order of the As."""
    types, times, keys = events.types, events.times, events.keys
    count = len(types)
    queues = np.full((data.KEYS, 4), NONE, np.int32)  # of each key: first and last waiting A, first and last waiting B
    after = links[0]  # of an A or a B: the one that waits behind it
    taken = links[1]  # of a B: the A that it has taken
    total = start = 0
    rows = np.empty(2 * BLOCK, np.int64)
    while start < count:
        rows, length, start = in_turn(types, times, start, rows)
        for i in range(length):
            row = rows[i]
            key = keys[row]
            earliest = times[row] - MINUTE
            if types[row] == A:
                after[row] = NONE
                if queues[key, 0] == NONE:
                    queues[key, 0] = row
                else:
                    after[queues[key, 1]] = row
                queues[key, 1] = row
            elif types[row] == B:
                a = queues[key, 0]
                while a != NONE and times[a] < earliest:
                    a = after[a]
                queues[key, 0] = NONE if a == NONE else after[a]
                if a != NONE:
                    taken[row] = a
                    after[row] = NONE
                    if queues[key, 2] == NONE:
                        queues[key, 2] = row
                    else:
                        after[queues[key, 3]] = row
                    queues[key, 3] = row
            else:
                b = queues[key, 2]
                while b != NONE and times[taken[b]] < earliest:
                    b = after[b]
                queues[key, 2] = NONE if b == NONE else after[b]
                if b != NONE:
                    found[total, 0] = taken[b]
                    found[total, 1] = b
                    found[total, 2] = row
                    total += 1
    return found[:total]


@data.compiled
def conditions(events: data.Columns, links: Links, found: data.Integers) -> data.Integers:
    """W2, in both contexts: every A, B and C of a key in the window that fulfil the condition.

    Candidates are grouped by σ, which here includes the three values; no two events of a key have the same value
    (bench/data.py), so each combination is a group of its own and uses nothing up for the others.
    """
    types, times, keys, values = events.types, events.times, events.keys, events.values
    count = len(types)
    newest = np.full((data.KEYS, 2), NONE, np.int32)  # of each key: the newest A, the newest B
    before = links[0]  # of an A or a B: the one that was the newest before it
    taken = links[1]  # of a B: the newest A that goes with it; a B without any is left out
    total = start = 0
    rows = np.empty(2 * BLOCK, np.int64)
    while start < count:
        rows, length, start = in_turn(types, times, start, rows)
        for i in range(length):
            row = rows[i]
            key = keys[row]
            if types[row] == A:
                before[row] = newest[key, 0]
                newest[key, 0] = row
            elif types[row] == B:
                a = newest[key, 0]
                while a != NONE and times[a] >= times[row] - MINUTE:
                    if values[row] > values[a] * 1.5:
                        taken[row] = a
                        before[row] = newest[key, 1]
                        newest[key, 1] = row
                        break
                    a = before[a]
            else:
                earliest = times[row] - MINUTE
                b = newest[key, 1]
                while b != NONE and times[b] >= earliest:
                    if values[row] < values[b]:
                        a = taken[b]
                        while a != NONE and times[a] >= earliest:
                            if values[b] > values[a] * 1.5:
                                if total == len(found):
                                    found = np.concatenate((found, np.empty_like(found)))
                                found[total, 0] = a
                                found[total, 1] = b
                                found[total, 2] = row
                                total += 1
                            a = before[a]
                    b = before[b]
    return found[:total]


@data.compiled
def absence_continuous(events: data.Columns, links: Links, found: data.Integers) -> data.Integers:
    """W3: each C takes every waiting A; a B sends the As away, because it would lie between them and any C to come."""
    types, times, keys = events.types, events.times, events.keys
    count = len(types)
    newest = np.full(data.KEYS, NONE, np.int32)  # of each key: the newest waiting A
    before = links[0]  # of an A: the one that was the newest before it
    total = start = 0
    rows = np.empty(2 * BLOCK, np.int64)
    while start < count:
        rows, length, start = in_turn(types, times, start, rows)
        for i in range(length):
            row = rows[i]
            key = keys[row]
            if types[row] == A:
                before[row] = newest[key]
                newest[key] = row
            else:
                a = newest[key] if types[row] == C else NONE
                newest[key] = NONE
                earliest = times[row] - MINUTE
                while a != NONE and times[a] >= earliest:
                    found[total, 0] = a
                    found[total, 1] = row
                    total += 1
                    a = before[a]
    return found[:total]


@data.compiled
def absence_chronicle(events: data.Columns, links: Links, found: data.Integers) -> data.Integers:
    """W3: each C takes the oldest waiting A; a B sends the As away."""
    types, times, keys = events.types, events.times, events.keys
    count = len(types)
    queues = np.full((data.KEYS, 2), NONE, np.int32)  # of each key: first and last waiting A
    after = links[0]  # of an A: the one that waits behind it
    total = start = 0
    rows = np.empty(2 * BLOCK, np.int64)
    while start < count:
        rows, length, start = in_turn(types, times, start, rows)
        for i in range(length):
            row = rows[i]
            key = keys[row]
            if types[row] == A:
                after[row] = NONE
                if queues[key, 0] == NONE:
                    queues[key, 0] = row
                else:
                    after[queues[key, 1]] = row
                queues[key, 1] = row
            elif types[row] == B:
                queues[key, 0] = NONE
            else:
                a = queues[key, 0]
                while a != NONE and times[a] < times[row] - MINUTE:
                    a = after[a]
                queues[key, 0] = NONE if a == NONE else after[a]
                if a != NONE:
                    found[total, 0] = a
                    found[total, 1] = row
                    total += 1
    return found[:total]


@data.compiled
def runs_continuous(events: data.Columns, _: Links, found: data.Integers) -> data.Integers:
    """W4: every three successive Ds of a key."""
    types, times, keys, values = events.types, events.times, events.keys, events.values
    count = len(types)
    held = np.full((data.KEYS, 2), NONE, np.int32)  # of each key: the last D but one, the last D
    total = 0
    rows = np.empty(BLOCK + 1, np.int64)
    for start in range(0, count, BLOCK):
        for i in range(high(types, values, start, rows)):
            row = rows[i]
            key = keys[row]
            first = held[key, 0]
            second = held[key, 1]
            if first != NONE and times[first] >= times[row] - HALF_MINUTE:
                found[total, 0] = first
                found[total, 1] = second
                found[total, 2] = row
                total += 1
            held[key, 0] = second
            held[key, 1] = row
    return found[:total]


@data.compiled
def runs_chronicle(events: data.Columns, _: Links, found: data.Integers) -> data.Integers:
    """W4: the same, but a D serves once."""
    types, times, keys, values = events.types, events.times, events.keys, events.values
    count = len(types)
    held = np.full((data.KEYS, 2), NONE, np.int32)  # of each key: the last D but one, the last D
    total = 0
    rows = np.empty(BLOCK + 1, np.int64)
    for start in range(0, count, BLOCK):
        for i in range(high(types, values, start, rows)):
            row = rows[i]
            key = keys[row]
            first = held[key, 0]
            second = held[key, 1]
            if first != NONE and times[first] >= times[row] - HALF_MINUTE:
                found[total, 0] = first
                found[total, 1] = second
                found[total, 2] = row
                total += 1
                held[key, 0] = NONE
                held[key, 1] = NONE
            else:
                held[key, 0] = second
                held[key, 1] = row
    return found[:total]


@data.compiled
def in_turn(types: data.Codes, times: data.Integers, start: int, rows: data.Integers) -> tuple[data.Integers, int, int]:
    """The rows of the next block's As, Bs and Cs as they are to be processed, how many, and where the block ends.

    Of simultaneous events, A comes before B before C ("at equal ends, left before right", docs/semantics.md §3), so
    that an A or a B at the very time of a C counts wherever its row is. A block does not end between such events.
    """
    count = len(types)
    stop = min(start + BLOCK, count)
    while stop < count and times[stop] == times[stop - 1]:
        stop += 1
    if len(rows) <= stop - start:
        rows = np.empty(2 * (stop - start), np.int64)
    length = 0
    for row in range(start, stop):  # without a branch, because no processor could predict it
        rows[length] = row
        length += types[row] <= C
    for i in range(1, length):
        row, place = rows[i], i
        while place > 0 and times[rows[place - 1]] == times[row] and types[rows[place - 1]] > types[row]:
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row
    return rows, length, stop


@data.compiled
def high(types: data.Codes, values: data.Reals, start: int, rows: data.Integers) -> int:
    """Puts the rows of the next block's Ds above 0.9 into `rows`, and says how many they are."""
    length = 0
    for row in range(start, min(start + BLOCK, len(types))):
        rows[length] = row
        length += (types[row] == D) & (values[row] > 0.9)
    return length
