"""What the sweeps' shapes find, worked out without any engine: every answer that counts has to be this one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.data import Columns, Integers
from bench.peers.matching import NOTHING, Matches, of_rows
from bench.shapes import Attribute, Shape, Step, by_shape

SECOND = 1_000_000


def matches(shapes: Sequence[Shape], names: Sequence[str], columns: Columns) -> Matches:
    """What a shape finds; or what rules find together, where each match begins with the number of its rule.

    Rules of one shape, each for another key, are looked for together: what is found belongs to the rule of its key.
    """
    if len(shapes) == 1 and shapes[0].key is None:
        return of_rows(rows(shapes[0], names, columns))
    total = NOTHING
    for shape, rules in by_shape(shapes).items():
        found = rows(shape, names, columns)
        keys, numbers = np.array(sorted(rules)), np.array([rules[key] for key in sorted(rules)])
        mine = columns.keys[found[:, 0]]
        at = np.minimum(np.searchsorted(keys, mine), len(keys) - 1)
        has = keys[at] == mine
        total += of_rows(np.column_stack([numbers[at[has]], found[has]]))
    return total


def rows(shape: Shape, names: Sequence[str], columns: Columns) -> Integers:
    """The places of the events of each match of a shape without a key of its own, whatever the order of the events."""
    order = np.argsort(columns.times, kind="stable")
    history = Columns(columns.types[order], columns.times[order], columns.keys[order], columns.values[order])
    first = _of(shape.steps[0], names, history)
    found = [first]
    for step in shape.unrolled[1:]:
        following, there = _following(step, names, history, found[0], found[-1])
        found = [column[there] for column in found] + [following[there]]
    times = history.times
    if shape.never:
        stop, there = _following(Step((shape.never,)), names, history, first, first)
        stopped = there & (times[np.where(there, stop, 0)] - times[first] <= shape.seconds * SECOND)
        return order[first[~stopped]][:, None]
    soon = times[found[-1]] - times[found[0]] <= shape.seconds * SECOND
    return order[np.column_stack([column[soon] for column in found])]


def _of(step: Step, names: Sequence[str], history: Columns) -> Integers:
    return np.flatnonzero(np.isin(history.types, [names.index(name) for name in step.types]))


def _following(
    step: Step, names: Sequence[str], history: Columns, firsts: Integers, behind: Integers
) -> tuple[Integers, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """For each place the next event of a step that agrees with the first one, and whether there is any."""
    size = len(history.types)
    group = _grouped(step.by, history)
    listed = _of(step, names, history)
    if not len(listed):
        return behind, np.zeros(len(behind), bool)
    ranked = np.sort(group[listed] * size + listed)
    at = np.searchsorted(ranked, group[firsts] * size + behind + 1)
    next_ones = ranked[np.minimum(at, len(ranked) - 1)]
    return next_ones % size, (at < len(ranked)) & (next_ones // size == group[firsts])


def _grouped(by: Attribute, history: Columns) -> Integers:
    """A small number for each key or value."""
    return np.unique(history.keys if by == "key" else history.values, return_inverse=True)[1].astype(np.int64)
