"""Selecting among candidates that were enumerated: for nodes whose groups are not known before the rows are joined."""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.pairing import CHRONICLE, CUMULATIVE


@kernel
def keep(rows, mask, out):
    """Put the rows where the mask is true into `out`; gives how many. No branch: none could be predicted."""
    count = 0
    for place in range(rows.size):
        out[count] = rows[place]
        count += mask[place]
    return count


@kernel
def choose(mode, order, parts, turn, used):
    """Which candidates are selected by a context that uses up its parts, and the number of each one's occurrence.

    `order` lists the candidates by group, then by their terminator's turn, then oldest partners first. `parts` holds,
    for each candidate, numbers of (row, group) pairs; `used` says which of those are used up and is brought up to date.
    """
    count, width = parts.shape
    number = np.full(count, -1, np.int64)
    numbers = 0
    first = 0
    while first < count:
        last = first + 1
        while last < count and turn[order[last]] == turn[order[first]]:
            last += 1
        # All candidates of one terminator in one group; what is used up is judged before any of them is taken.
        waiting = np.zeros(last - first, np.bool_)
        for place in range(first, last):
            free = True
            for part in range(width):
                mine = parts[order[place], part]
                free = free and (mine < 0 or not used[mine])
            waiting[place - first] = free
        chosen = False
        for place in range(first, last):
            if not waiting[place - first] or (mode == CHRONICLE and chosen):
                continue
            if mode == CUMULATIVE:
                number[order[place]] = numbers
            else:
                number[order[place]] = numbers
                numbers += 1
            chosen = True
            for part in range(width):
                if parts[order[place], part] >= 0:
                    used[parts[order[place], part]] = True
        if mode == CUMULATIVE and chosen:
            numbers += 1
        first = last
    return number
