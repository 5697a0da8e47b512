"""Temporal events: delays and periods."""

from __future__ import annotations

import numpy as np

from ensue.algebra import Context
from ensue.engine.arrays import FOREVER, Ints
from ensue.engine.candidates import Tests, lying_between
from ensue.engine.found import Found
from ensue.engine.identities import temporal_texts
from ensue.engine.nodes.base import Holding, Step
from ensue.engine.nodes.matching import Matched, Side
from ensue.engine.nodes.pairs import Kind, Pairs
from ensue.engine.rows import Rows, concat


class Delays(Holding):
    """A temporal event, some time after the end of each row."""

    def __init__(self, duration: int, source: Side) -> None:
        super().__init__(source.variables, [source.node], [len(source.variables)])
        self.duration = duration

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        rows = ready[0]
        made = temporal(step, self.variables, rows, np.arange(len(rows)), np.full(len(rows), self.duration, np.int64))
        return self.release(made, step, self.frontier(step, gate))

    def frontier(self, step: Step, gate: int) -> int:
        return min(step.clock, gate + self.duration)


class Periods(Holding):
    """Temporal events every period after a start, up to the begin of the first agreeing stop after it.

    A tick is certain once no stop that began before it can turn up any more; `stop_length` is how long a stop can last.
    """

    def __init__(self, period: int, start: Side, stop: Side, stop_length: int | None) -> None:
        super().__init__(start.variables, [start.node, stop.node], [len(start.variables), len(stop.variables)])
        self.period, self.stop_length = period, FOREVER if stop_length is None else stop_length
        self.stop_names = stop.variables
        self.state["open"] = Rows.empty(len(self.variables))
        self.tables["ticked"] = np.empty(0, np.int64)

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        starts = concat([self.state["open"], ready[0]])
        ticked = np.concatenate([self.tables["ticked"], np.zeros(len(ready[0]), np.int64)])
        stops = ready[1]
        certain = self.frontier(step, gate)
        last = np.full(len(starts), min(certain, step.span[1] if step.span else -FOREVER), np.int64)
        closed = np.zeros(len(starts), np.bool_)
        left, right = first_after(starts, self.variables, stops, self.stop_names)
        last[left], closed[left] = stops.begin[right], True
        counts = np.maximum((last - starts.end) // self.period, ticked)
        rows, steps = _spread(ticked, counts)
        made = temporal(step, self.variables, starts, rows, (steps + 1) * self.period)
        self.state["open"], self.tables["ticked"] = starts.where(~closed), counts[~closed]
        return self.release(made, step, certain)

    def frontier(self, step: Step, gate: int) -> int:
        return min(step.clock, gate if gate >= FOREVER else gate - self.stop_length)


class CollectedPeriods(Pairs):
    """For each start and the first agreeing stop after it, the stop with all ticks between: once, at the stop."""

    def __init__(self, period: int, start: Side, stop: Side) -> None:
        super().__init__(Kind.FIRST_STOP, Context.ALL, start, stop, Tests())
        self.period = period

    def built(self, step: Step, pairs: Matched, extra: list[Rows]) -> tuple[Rows, Ints]:
        starts, stops = pairs.left.take(pairs.lefts), pairs.right.take(pairs.rights)
        counts = (stops.begin - starts.end) // self.period
        rows, ticks = _spread(np.zeros(len(counts), np.int64), counts)
        made = temporal(step, self.left.variables, starts, rows, (ticks + 1) * self.period)
        every = concat([stops.with_values(pairs.values), made.with_values(pairs.values[rows])])
        return every, np.concatenate([np.arange(len(counts)), rows])


def temporal(step: Step, names: tuple[str, ...], sources: Rows, rows: Ints, delays: Ints) -> Rows:
    """New temporal events, each some time after the end of one of the source rows, with its substitution."""
    times = sources.end[rows] + delays
    chosen = sources.take(rows)
    texts = temporal_texts(Found(chosen, names, step.store, step.book), delays)
    return Rows.of_events(times, step.store.append_temporal(times, texts), chosen.values)


def first_after(starts: Rows, names: tuple[str, ...], stops: Rows, stop_names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """For each start that has one, the first (in §1) agreeing stop after it; stops are in that order."""
    boundless = Rows.of_intervals(np.full(1, FOREVER, np.int64), np.full(1, FOREVER, np.int64))
    nothing = np.zeros(len(starts), np.int64)
    places, found = lying_between(
        np.arange(len(starts)), nothing, starts, boundless, starts.values, names, stops, stop_names
    )
    order = np.lexsort((found, places))
    places, found = places[order], found[order]
    firsts = np.diff(places, prepend=-1) != 0
    return places[firsts], found[firsts]


def _spread(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """For each row i the numbers from low[i] to high[i] - 1: pairs (row, number)."""
    counts = high - low
    rows = np.repeat(np.arange(len(low)), counts)
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, np.repeat(low, counts) + within
