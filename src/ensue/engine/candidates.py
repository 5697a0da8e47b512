"""Tests on the candidates of a combining node: limits, units of time, conditions, and what must not be there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ensue.algebra.expressions import Expression
from ensue.engine.arrays import FOREVER, Ints, Truths, counting
from ensue.engine.codes import UNBOUND, Codebook
from ensue.engine.conditions import Lookup, holds
from ensue.engine.kernels import exclusion as exclusion_kernels, partition as partition_kernels
from ensue.engine.kernels.order import is_sorted
from ensue.engine.kernels.pairing import BETWEEN, INSIDE, Between, Inside, Limits
from ensue.engine.kernels.partition import Groups
from ensue.engine.rows import Rows, columns


@dataclass(frozen=True, slots=True)
class Excluded:
    """Occurrences of a node that must not lie inside a candidate (or between its two parts)."""

    kind: int
    node: int
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tests:
    """What a candidate must pass; the limits of `within`, `in` and `before` hold for every node below them."""

    longest: int = FOREVER
    low: int = -FOREVER
    high: int = FOREVER
    at: tuple[tuple[int, int], ...] = ()
    conditions: tuple[Expression, ...] = ()
    excluded: tuple[Excluded, ...] = ()

    def limits(self) -> Tests:
        """Just the limits, which reach down."""
        return Tests(self.longest, self.low, self.high)

    def within(self, duration: int) -> Tests:
        return replace(self, longest=min(self.longest, duration))

    def inside(self, low: int, high: int) -> Tests:
        return replace(self, low=max(self.low, low), high=min(self.high, high))

    @property
    def trivial(self) -> bool:
        return self == Tests()

    def oldest(self, gate: int) -> int:
        """The earliest begin of a candidate that can still come after the gate."""
        return FOREVER if gate >= self.high else max(self.low, gate + 1 - self.longest) if gate < FOREVER else FOREVER

    def for_kernels(self) -> Limits:
        """The limits, and the units of time that the end must lie in: first instants, and those after the last."""
        starts, stops = (np.array([unit[side] for unit in self.at], np.int64) for side in (0, 1))
        return Limits(self.longest, self.low, self.high, starts, stops)

    def interval_holds(self, begin: Ints, end: Ints) -> Truths:
        """Limits and units, for many candidates."""
        mask: Truths = (end - begin <= self.longest) & (begin >= self.low) & (end <= self.high)
        for low, high in self.at:
            mask &= (end >= low) & (end < high)
        return mask

    def conditions_hold(self, count: int, lookup: Lookup) -> Truths:
        """The conditions over variables, for many candidates."""
        mask = np.ones(count, np.bool_)
        for condition in self.conditions:
            mask &= holds(condition, lookup, count)
        return mask

    def conditions_hold_for(self, rows: Rows, names: tuple[str, ...], book: Codebook) -> Truths:
        """The conditions over variables, for many rows."""
        return self.conditions_hold(len(rows), lambda name: book.decode(column_of(rows.values, names, name)))


def column_of(values: Ints, names: tuple[str, ...], name: str) -> Ints:
    """The codes of one variable; unbound if the rows do not have it."""
    if name not in names:
        return np.full(len(values), UNBOUND, np.int64)
    return np.ascontiguousarray(values[:, names.index(name)])


def struck_inside(rows: Rows, names: tuple[str, ...], excluded: Rows, excluded_names: tuple[str, ...]) -> Truths:
    """The rows inside whose interval an agreeing excluded row lies."""
    if not len(excluded) or not len(rows):
        return np.zeros(len(rows), np.bool_)
    looked = Looked.at(rows.values, names, excluded, excluded_names)
    found: Truths = exclusion_kernels.any_inside(
        rows.begin, rows.end, looked.group, looked.loose, *looked.segments, looked.their_loose, UNBOUND
    )
    return found


def lying_between(
    left: Ints,
    right: Ints,
    lrows: Rows,
    rrows: Rows,
    values: Ints,
    names: tuple[str, ...],
    others: Rows,
    other_names: tuple[str, ...],
) -> tuple[Ints, Ints]:
    """Pairs (place of a candidate, row of the others that lies between its two parts and agrees with it)."""
    if not len(others) or not len(left):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    looked = Looked.at(values, names, others, other_names)
    starts, begin, end, least = looked.segments
    sorted_rows = others.take(looked.order)
    places, found = exclusion_kernels.any_between(
        left,
        right,
        lrows.end,
        lrows.starts,
        lrows.members,
        rrows.begin,
        rrows.starts,
        rrows.members,
        looked.group,
        looked.loose,
        starts,
        begin,
        end,
        least,
        sorted_rows.starts,
        sorted_rows.members,
        looked.their_loose,
        UNBOUND,
    )
    return places, looked.order[found]


@dataclass(frozen=True, slots=True)
class Looked:
    """Other rows, arranged so that those which agree with a candidate are found fast.

    Shared variables that are bound in every row make groups; the rest (`loose`) are compared one by one.
    """

    group: Ints
    loose: Ints
    their_loose: Ints
    order: Ints
    segments: tuple[Ints, Ints, Ints, Ints]

    @classmethod
    def at(cls, values: Ints, names: tuple[str, ...], others: Rows, other_names: tuple[str, ...]) -> Looked:
        shared = tuple(name for name in names if name in other_names)
        mine, theirs = columns(values, names, shared), columns(others.values, other_names, shared)
        firm = [
            i for i in range(len(shared)) if not (mine[:, i] == UNBOUND).any() and not (theirs[:, i] == UNBOUND).any()
        ]
        rest = [i for i in range(len(shared)) if i not in firm]
        keys = np.ascontiguousarray(np.concatenate([mine[:, firm], theirs[:, firm]]))
        numbers, count = partition_kernels.number_rows(keys)
        group, their_group = numbers[: len(mine)], numbers[len(mine) :]
        by_begin = np.arange(len(others)) if is_sorted(others.begin) else np.argsort(others.begin, kind="stable")
        starts, places = partition_kernels.segments(their_group[by_begin], count)
        order = by_begin[places]
        begin, end = others.begin[order], others.end[order]
        least = exclusion_kernels.smallest_from(starts, end)
        loose, their_loose = np.ascontiguousarray(mine[:, rest]), np.ascontiguousarray(theirs[order][:, rest])
        return cls(group, loose, their_loose, order, (starts, begin, end, least))


def exclusions(
    excluded: tuple[Excluded, ...], rows: list[Rows], groups: Groups, names: tuple[str, ...]
) -> tuple[Inside | None, Between | None]:
    """What the pairing kernels need to look for excluded rows, by the groups of pairs.

    All variables shared with an excluded node are always bound.
    """
    items = list(zip(excluded, rows, strict=True))
    inside = [(others, item) for item, others in items if item.kind == INSIDE]
    apart = [(others, item) for item, others in items if item.kind == BETWEEN]
    keys = groups.keys
    return _inside(inside, keys, groups, names) if inside else None, _between(apart, keys, names) if apart else None


def _inside(items: list[tuple[Rows, Excluded]], keys: Ints, groups: Groups, names: tuple[str, ...]) -> Inside:
    """Rows in order of end, with the numbers of their groups, and from the groups of pairs to those."""
    starts, bases, ends, begins, numbers, maps = [0], [], [], [], [], []
    size = 0
    for others, item in items:
        shared = tuple(name for name in names if name in item.variables)
        if shared == names == item.variables:
            mine, theirs = groups, counting(len(keys))
        else:
            mine = Groups(len(shared))
            theirs = mine.number(columns(keys, names, shared)).astype(np.int64)
        numbers.append(mine.number(columns(others.values, item.variables, shared)))
        starts.append(starts[-1] + len(others))
        bases.append(size)
        ends.append(others.end)
        begins.append(others.begin)
        maps.append(theirs)
        size += max(mine.count, 1)
    return Inside(
        np.array(starts, np.int64),
        _joined(begins),
        _joined(ends),
        _joined(numbers),
        np.array(bases, np.int64),
        _joined(maps),
        np.full(size, -FOREVER, np.int64),
    )


def _between(items: list[tuple[Rows, Excluded]], keys: Ints, names: tuple[str, ...]) -> Between:
    """Rows by group and begin, with their members."""
    bases, maps, starts, begins, ends, leasts, mstarts, members = [], [], [], [], [], [], [], []
    base = shift = mshift = 0
    for others, item in items:
        looked = Looked.at(keys, names, others, item.variables)
        first, begin, end, least = looked.segments
        ordered = others.take(looked.order)
        bases.append(base)
        maps.append(looked.group)
        starts.append(first + shift)
        begins.append(begin)
        ends.append(end)
        leasts.append(least)
        mstarts.append(ordered.starts[:-1] + mshift)
        members.append(ordered.members)
        base, shift, mshift = base + len(first), shift + len(begin), mshift + len(ordered.members)
    tail = [*mstarts, np.array([mshift], np.int64)]
    return Between(np.array(bases, np.int64), *map(_joined, (maps, starts, begins, ends, leasts, tail, members)))


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


__all__ = ["BETWEEN", "INSIDE", "Excluded", "Looked", "Tests", "exclusions", "lying_between", "struck_inside"]
