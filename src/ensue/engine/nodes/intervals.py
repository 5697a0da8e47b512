"""Counting what lies in intervals: `atleast`, `atmost`, `exactly`, `every`, `withrank`, `last`, and absence."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from ensue.algebra.patterns import CalendarInterval, FixedInterval
from ensue.engine.arrays import FOREVER, Ints
from ensue.engine.candidates import lying_between, struck_inside
from ensue.engine.codes import UNBOUND
from ensue.engine.kernels.partition import number_rows
from ensue.engine.nodes.base import Holding, Node, Step
from ensue.engine.nodes.matching import Side, joined_values, merged
from ensue.engine.rows import Rows, canonical, columns, concat
from ensue.time.instants import EARLIEST, LATEST


class Counting(Enum):
    AT_LEAST = "atleast"
    AT_MOST = "atmost"
    EXACTLY = "exactly"
    EVERY = "every"
    RANK = "withrank"
    LAST = "last"

    @property
    def at_the_end(self) -> bool:
        """Known only when the interval has ended."""
        return self in (Counting.AT_MOST, Counting.EXACTLY, Counting.LAST)


def spans_between(
    interval: FixedInterval | CalendarInterval, first: int, last: int, step: Step
) -> list[tuple[int, int]]:
    """The instances of an interval that end at `first` or later and begin no later than `last`.

    Of a calendar those count that share an instant with the history so far.
    """
    if isinstance(interval, FixedInterval):
        return [(interval.start, interval.end)] if interval.end >= first and interval.start <= last else []
    if step.span is None:
        return []
    return list(interval.calendar.between(max(first, step.span[0]), min(last, step.span[1])))


def open_since(interval: FixedInterval | CalendarInterval, gate: int) -> int:
    """The begin of the earliest instance that has not ended at the gate."""
    if gate >= LATEST:
        return FOREVER
    if isinstance(interval, FixedInterval):
        return interval.start if gate < interval.end else FOREVER
    if gate < EARLIEST:
        return -FOREVER
    return next(interval.calendar.from_instant(gate + 1))[0]


class During(Holding):
    """Counts the rows of an operand in each interval, by substitution."""

    def __init__(
        self,
        counting: Counting,
        count: int,
        operand: Side,
        interval: FixedInterval | CalendarInterval | Side,
        length: int | None,
    ) -> None:
        inner = [interval] if isinstance(interval, Side) else []
        names = {*operand.variables, *(name for side in inner for name in side.variables)}
        sides: Sequence[Side] = [operand, *inner]
        super().__init__(tuple(names), [side.node for side in sides], [len(side.variables) for side in sides])
        self.counting, self.count, self.operand, self.interval = counting, count, operand, interval
        self.length = FOREVER if length is None else length
        self.state["inside"] = Rows.empty(len(operand.variables))

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        old = len(self.state["inside"])
        rows = concat([self.state["inside"], ready[0]])
        spans, names = self._spans(step, ready, gate)
        found = self._counted(step, rows, old, spans, names)
        if isinstance(self.interval, Side):
            oldest = gate + 1 - self.length if gate < FOREVER else FOREVER
        else:
            oldest = open_since(self.interval, gate)
        self.state["inside"] = rows.where(rows.begin >= oldest)
        return self.release(found, step, self.frontier(step, gate))

    def frontier(self, step: Step, gate: int) -> int:
        if self.counting in (Counting.AT_MOST, Counting.EXACTLY) or gate >= FOREVER:
            return gate
        if isinstance(self.interval, Side):
            return gate - self.length
        return min(gate, open_since(self.interval, gate) - 1) if self.counting is Counting.LAST else gate

    def _spans(self, step: Step, ready: list[Rows], gate: int) -> tuple[Rows, tuple[str, ...]]:
        """The intervals to look at now, and the variables that come with them."""
        if isinstance(self.interval, Side):
            return ready[1], self.interval.variables
        spans = np.array(spans_between(self.interval, self.gate + 1, gate, step), np.int64).reshape(-1, 2)
        if self.counting.at_the_end:
            spans = spans[spans[:, 1] <= gate]
        return Rows.of_intervals(spans[:, 0].copy(), spans[:, 1].copy()), ()

    def _counted(self, step: Step, rows: Rows, old: int, spans: Rows, names: tuple[str, ...]) -> Rows:
        places, inside = _inside(spans, names, rows, self.operand.variables)
        values = joined_values(
            columns(spans.values, names, self.variables)[places],
            columns(rows.values, self.operand.variables, self.variables)[inside],
        )
        order = np.lexsort(
            (inside, number_rows(np.ascontiguousarray(np.concatenate([places[:, None], values], axis=1)))[0])
        )
        places, inside, values = places[order], inside[order], values[order]
        keys = np.ascontiguousarray(np.concatenate([places[:, None], values], axis=1))
        group, groups = number_rows(keys)
        size = np.bincount(group, minlength=groups)
        rank = np.arange(len(group)) - np.repeat(np.cumsum(size) - size, size)
        new = (inside >= old) | isinstance(self.interval, Side)
        chosen = rows.take(inside).with_values(values)
        match self.counting:
            case Counting.EVERY:
                return chosen.where(((rank + 1) % self.count == 0) & new)
            case Counting.RANK:
                return chosen.where((rank + 1 == self.count) & new)
            case Counting.LAST:
                return chosen.where(rank + 1 == size[group])
            case Counting.AT_LEAST:
                fires = np.zeros(groups, np.bool_)
                fires[group[(rank + 1 == self.count) & new]] = True
                mask = fires[group] & (rank < self.count)
                return merged(chosen.where(mask), group[mask], step.store)
            case _:
                fits = size <= self.count if self.counting is Counting.AT_MOST else size == self.count
                mask = fits[group]
                whole = Rows(spans.begin[places], spans.end[places], chosen.starts, chosen.members, values)
                return concat([merged(whole.where(mask), group[mask], step.store), self._none(spans, names, places)])

    def _none(self, spans: Rows, names: tuple[str, ...], places: Ints) -> Rows:
        """Intervals with nothing in them count where the substitution comes from the interval."""
        if self.counting is Counting.EXACTLY and self.count > 0:
            return Rows.empty(len(self.variables))
        values = columns(spans.values, names, self.variables)
        bound = columns(spans.values, names, self.operand.variables) != UNBOUND
        mask = bound.all(axis=1)
        mask[places] = False
        count = int(mask.sum())
        return Rows(
            spans.begin[mask], spans.end[mask], np.zeros(count + 1, np.int64), np.empty(0, np.int64), values[mask]
        )


class Absences(Node):
    """An occurrence without constituents for each interval that has passed with nothing excluded in it."""

    watches_the_clock = True

    def __init__(self, excluded: Side, interval: FixedInterval | CalendarInterval) -> None:
        super().__init__((), [excluded.node], [len(excluded.variables)])
        self.interval, self.excluded = interval, excluded
        self.state["inside"] = Rows.empty(len(excluded.variables))

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        rows = concat([self.state["inside"], ready[0]])
        spans = np.array(spans_between(self.interval, self.gate + 1, gate, step), np.int64).reshape(-1, 2)
        spans = spans[spans[:, 1] <= gate]
        free = Rows.of_intervals(spans[:, 0].copy(), spans[:, 1].copy())
        free = free.where(~struck_inside(free, (), rows, self.excluded.variables))
        # One that began last lies inside whatever interval any of them lies in: it is all that must be kept.
        newest = int(rows.begin.max()) if len(rows) else FOREVER
        kept = rows.begin >= max(open_since(self.interval, gate), newest)
        self.state["inside"] = rows.where(kept)
        return canonical(free, step.store)


def _inside(spans: Rows, names: tuple[str, ...], rows: Rows, row_names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Pairs (interval, row that lies in it and agrees)."""
    everyone = np.arange(len(spans))
    low, high = Rows.of_intervals(spans.begin, spans.begin), Rows.of_intervals(spans.end, spans.end)
    return lying_between(everyone, everyone, low, high, spans.values, names, rows, row_names)
