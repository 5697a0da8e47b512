"""Which rules of a family want which events: pairs of the two, found by an index instead of rule by rule.

The index only has to miss none: what it cannot tell for certain is tested on every pair that it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra.expressions import Expression
from ensue.algebra.families import parameter_test
from ensue.engine.arrays import Floats, Ints, counting
from ensue.engine.columns import Column

MOST_PAIRS = 1 << 22
"""So many pairs are looked at together."""
SMALL_TABLE = 1 << 16
"""A table of so many places may be mostly empty: to look into it is still faster than to search."""
ROUNDED = 2.0**53
"""From here on, whole numbers may be rounded to this double or a larger one."""
Finder: TypeAlias = Callable[[Any], Ints]
"""For each value its place among the known ones, or -1."""


def best_index(
    conditions: Sequence[Expression], parameters: Mapping[str, Column], size: int
) -> tuple[Index, list[Expression]]:
    """An index by equality with a parameter if there is one, else by order, else every rule for every event; and the
    conditions that are left to be tested.
    """
    tests = {condition: test for condition in conditions if (test := parameter_test(condition)) is not None}
    equal = [
        (ByValue(attribute, parameters[name]), condition)
        for condition, (attribute, symbol, name) in tests.items()
        if symbol == "="
    ]
    if equal:
        index, answered = max(equal, key=lambda pair: pair[0].distinct)
        return index, [condition for condition in conditions if not (index.certain and condition == answered)]
    for attribute, symbol, name in tests.values():
        if set(parameters[name].parts) == {"number"} and bool(parameters[name].valid().all()):
            return ByOrder(attribute, symbol, parameters[name]), list(conditions)
    return EveryRule(size), list(conditions)


def pairs(index: Index, lookup: Callable[[str], Column], count: int) -> Iterator[tuple[Ints, Ints]]:
    """Places of events and numbers of rules, some at a time, in order of the events and then of the rules."""
    starts, ends = index.runs(lookup, count)
    lengths = ends - starts
    if count and lengths.max() <= 1:  # a rule for each value: mostly
        rows = np.flatnonzero(lengths)
        yield rows, index.order[starts[rows]]
        return
    many = np.cumsum(lengths)
    first = 0
    while first < count:
        before = int(many[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(many, before + MOST_PAIRS, side="right")))
        some = lengths[first:last]
        rows = np.repeat(np.arange(first, last), some)
        if len(rows):
            within = counting(len(rows)) - np.repeat(many[first:last] - some - before, some)
            rules = index.order[np.repeat(starts[first:last], some) + within]
            yield (rows, rules) if index.tidy else _sorted(rows, rules)
        first = last


def _sorted(rows: Ints, rules: Ints) -> tuple[Ints, Ints]:
    order = np.lexsort((rules, rows))
    return rows, rules[order]


class EveryRule:
    """Nothing is known: each rule may want each event."""

    tidy = True
    """Whether the rules of a run are in the order of their numbers."""

    def __init__(self, size: int) -> None:
        self.order: Ints = counting(size)

    def runs(self, _: Callable[[str], Column], count: int) -> tuple[Ints, Ints]:
        """For each event where its run of rules starts in `order`, and where it ends."""
        return np.zeros(count, np.int64), np.full(count, len(self.order), np.int64)


class ByValue:
    """Rules by the value that an attribute has to be equal to."""

    tidy = True

    def __init__(self, attribute: str, values: Column) -> None:
        self.attribute = attribute
        self.finders: dict[str, Finder] = {}
        self.first: dict[str, int] = {}
        self.certain = True
        """Whether all values are looked up as they are: a whole number that a double does not hold is rounded."""
        orders: list[Ints] = []
        starts: list[Ints] = []
        total = 0
        for kind, (content, valid) in values.parts.items():
            rows = np.flatnonzero(valid)
            unique, places = _distinct(kind, content, rows)
            self.certain &= kind == "text" or bool((np.abs(unique) < ROUNDED).all())
            order = np.argsort(places, kind="stable")
            self.finders[kind], self.first[kind] = _finder(kind, unique), sum(len(part) for part in starts)
            starts.append(total + np.searchsorted(places[order], np.arange(len(unique))))
            orders.append(rows[order])
            total += len(rows)
        self.order: Ints = np.concatenate(orders) if orders else np.empty(0, np.int64)
        self.starts: Ints = np.append(np.concatenate(starts) if starts else np.empty(0, np.int64), total)

    @property
    def distinct(self) -> int:
        return len(self.starts) - 1

    def runs(self, lookup: Callable[[str], Column], count: int) -> tuple[Ints, Ints]:
        places = np.full(count, -1, np.int64)
        column = lookup(self.attribute)
        for kind, (content, valid) in column.parts.items():
            if kind in self.finders:
                found = self.finders[kind](content)
                places = np.where(valid & (found >= 0), found + self.first[kind], places)
        known = places >= 0
        return np.where(known, self.starts[places], 0), np.where(known, self.starts[places + 1], 0)


class ByOrder:
    """Rules by the number that an attribute has to be above or below: those before a place in their order."""

    tidy = False

    def __init__(self, attribute: str, symbol: str, values: Column) -> None:
        self.attribute = attribute
        self.above = symbol in (">", ">=")
        content = values.parts["number"][0].astype(np.float64)
        self.order: Ints = np.argsort(content, kind="stable")
        self.limits = content[self.order]

    def runs(self, lookup: Callable[[str], Column], count: int) -> tuple[Ints, Ints]:
        starts, ends = np.zeros(count, np.int64), np.zeros(count, np.int64)
        column = lookup(self.attribute)
        if "number" in column.parts:
            content, valid = column.parts["number"]
            numbers = content.astype(np.float64)
            if self.above:
                ends = np.where(valid, np.searchsorted(self.limits, numbers, side="right"), 0)
            else:
                starts = np.where(valid, np.searchsorted(self.limits, numbers, side="left"), 0)
                ends = np.where(valid, len(self.limits), 0)
        return starts, ends


Index: TypeAlias = ByValue | ByOrder | EveryRule


def _distinct(kind: str, content: Any, rows: Ints) -> tuple[Any, Ints]:
    """The distinct values of some rows, and which of them each row has."""
    if kind == "text":
        encoded = content.take(pa.array(rows)).cast(pa.large_string()).dictionary_encode()
        return encoded.dictionary, np.asarray(encoded.indices).astype(np.int64)
    unique, places = np.unique(content[rows].astype(np.float64), return_inverse=True)
    return unique, places.astype(np.int64)


def _finder(kind: str, known: Any) -> Finder:
    if kind == "text":
        return partial(_text_places, known)
    search = _by_table(known) if _close_together(known) else partial(_by_search, known)

    def find(content: Any) -> Ints:
        numbers = content.astype(np.float64)
        places = search(numbers)
        return np.where(known[places] == numbers, places, -1)

    return find


def _text_places(known: pa.Array, content: Any) -> Ints:
    if isinstance(content, pa.DictionaryArray):
        inner = _text_places(known, content.dictionary)
        codes = np.asarray(content.indices.fill_null(0)).astype(np.int64)
        return inner[codes] if len(inner) else np.full(len(content), -1, np.int64)
    found = pc.index_in(content.cast(pa.large_string()), value_set=known)
    return np.asarray(found.fill_null(-1)).astype(np.int64)


def _close_together(known: Floats) -> bool:
    """Whether a table from the first to the last is small, or not much larger than what is in it, as with keys that
    count up.
    """
    if not np.isfinite(known[[0, -1]]).all() or known[-1] - known[0] > 4 * len(known) + SMALL_TABLE:
        return False
    return bool((np.floor(known) == known).all())


def _by_table(known: Floats) -> Callable[[Floats], Ints]:
    """For each number the place of the known one that it may be equal to, by looking it up; any, if there is none."""
    low, span = known[0], int(known[-1] - known[0])
    table = np.zeros(span + 1, np.int64)
    table[(known - low).astype(np.int64)] = np.arange(len(known))

    def look_up(numbers: Floats) -> Ints:
        away = numbers - low
        return table[np.where((away >= 0) & (away <= span), away, 0).astype(np.int64)]

    return look_up


def _by_search(known: Floats, numbers: Floats) -> Ints:
    """The same for numbers that lie far apart."""
    return np.searchsorted(known, numbers).clip(0, len(known) - 1)
