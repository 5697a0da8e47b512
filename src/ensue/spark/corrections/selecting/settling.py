"""From candidates to events, key by key: one exchange of rows by key, and then Python on the workers.

As plain Spark SQL this takes three windows and as many groups, which costs seconds for each class, however few rows
there are. A key in which nothing was found anew or ended is passed on without a look at its contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as f, types as t

from ensue.language.queries.formulas import Occurring
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Lifetimes,
    Window,
)
from ensue.spark.corrections.selecting.candidates import KEPT, KIND, NEW, ROWS, SCOPE, STANDING, Shape
from ensue.spark.corrections.selecting.places import FOREVER
from ensue.spark.corrections.selecting.sweeping import Candidate, Piece, comparable, islands, pieces, versions
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    Integers = NDArray[np.int64]


def settling_of(shape: Shape, window: Window, *, clip: bool) -> Settling:
    """What is done with the candidates of a class, wherever that is."""
    return Settling(shape.attributes, list(shape.stem.times), shape.stem.occurring, window, clip)


def settle(candidates: DataFrame, shape: Shape, window: Window, *, clip: bool) -> Lifetimes:
    """The versions of a class's events; with `clip`, what was before the window is known and not found again."""
    work = settling_of(shape, window, clip=clip)
    settled = candidates.repartition(quoted(KEY)).mapInArrow(work, _schema(candidates, shape))
    name = f.lit(shape.item.declaration.name + "\0")
    return Lifetimes(
        settled.select(
            *map(quoted, (KEY, FROM, TO, TOUCHED)),
            f.timestamp_micros(quoted(OCCURRED)).alias(OCCURRED),
            *map(quoted, shape.attributes),
            f.md5(f.concat(name, quoted(KEY))).alias(ID),
            f.timestamp_micros(quoted(OCCURRED)).alias(BEGIN),
            quoted(CONSTITUENTS),
            quoted(ROWS),
        )
    )


def _beginnings(values: pa.ChunkedArray) -> Integers:
    """The places at which another value begins than before."""
    other = pc.not_equal(values[1:], values[:-1]).to_numpy(zero_copy_only=False)
    return np.append(0, np.flatnonzero(other) + 1)


def _schema(candidates: DataFrame, shape: Shape) -> t.StructType:
    """What the workers give: the versions, each open one with the candidates that it stands for."""
    kinds = {one.name: one.dataType for one in candidates.schema.fields}
    row = t.StructType([t.StructField(name, kinds[name]) for name in (FROM, *shape.content, SCOPE)])
    fixed = {
        KEY: t.StringType(),
        FROM: t.LongType(),
        TO: t.LongType(),
        TOUCHED: t.BooleanType(),
        OCCURRED: t.LongType(),
    }
    found = {**fixed, **{name: kinds[name] for name in (*shape.attributes, CONSTITUENTS)}, ROWS: t.ArrayType(row)}
    return t.StructType([t.StructField(name, kind) for name, kind in found.items()])


@dataclass(frozen=True, slots=True)
class Settling:
    """What a worker does with the candidates of some keys."""

    attributes: list[str]
    times: list[str]
    occurring: Occurring
    window: Window
    clip: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Settle all keys of a partition."""
        found = [one for one in batches if one.num_rows]
        if found:
            yield from _Keys(self, pa.Table.from_batches(found).combine_chunks()).settled().to_batches()


@dataclass(slots=True)
class _Told:
    """Columns of the versions that were found: rows of the input stand for what is taken from there."""

    row: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int | None] = field(default_factory=list)
    touched: list[bool] = field(default_factory=list)
    occurred: list[int | None] = field(default_factory=list)
    source: list[int] = field(default_factory=list)
    remembered: list[list[tuple[int, int]] | None] = field(default_factory=list)
    """The candidates that still hold, each with when its row came to hold."""


class _Keys:
    def __init__(self, work: Settling, table: pa.Table) -> None:
        self._work = work
        self._table = table
        order = pc.sort_indices(table, [(KEY, "ascending"), (KIND, "ascending")])
        self._order, self._first = order.to_numpy(), _beginnings(table[KEY].take(order))
        self._kind = table[KIND].to_pylist()
        self._start = table[FROM].to_pylist()
        self._end = table[TO].to_pylist()
        self._occurred = table[OCCURRED].to_pylist()
        self._contents: dict[int, tuple[Any, ...]] = {}
        self._told = _Told()

    def settled(self) -> pa.Table:
        """The versions of all keys. Only where something was found or ended are the contents of rows looked at."""
        touched = []
        for rows in self._by_key():
            stood = rows[-1] if self._kind[rows[-1]] == STANDING else None
            candidates = rows if stood is None else rows[:-1]
            goes_on = all(self._kind[row] == KEPT and self._end[row] == FOREVER for row in candidates)
            if goes_on and stood is not None and candidates:
                self._tell(stood, self._start[stood], FOREVER, self._occurred[stood], stood)
                self._told.touched.append(False)
                self._told.remembered[-1] = [(row, self._start[row]) for row in candidates]
            else:
                touched.append((candidates, stood))
        self._look([row for candidates, stood in touched for row in (*candidates, *([] if stood is None else [stood]))])
        for candidates, stood in touched:
            self._settle(candidates, stood)
        return self._columns_of(self._told)

    def _by_key(self) -> Iterator[list[int]]:
        """The rows of each key: what is new, then what was kept, and last the event that stood.

        Where there is one new row and nothing else, it is told at once: that is so for most keys.
        """
        ends = np.append(self._first[1:], len(self._order))
        alone = (ends - self._first == 1) & (self._table[KIND].to_numpy()[self._order[self._first]] == NEW)
        self._tell_alone(self._order[self._first[alone]])
        for first, end in zip(self._first[~alone].tolist(), ends[~alone].tolist(), strict=True):
            yield self._order[first:end].tolist()

    def _tell_alone(self, rows: Integers) -> None:
        """What becomes of rows that have their keys to themselves: the same as `_settle`, for all at once."""
        work, window = self._work, self._work.window
        start, end = (self._table[name].to_numpy()[rows] for name in (FROM, TO))
        start = np.maximum(start, window.first) if work.clip else start
        times = [self._table[name].take(pa.array(rows)).to_pylist() for name in work.times]
        parts = zip(*times, strict=True) if times else [()] * len(rows)
        found = [work.occurring.at(since, given) for since, given in zip(start.tolist(), parts, strict=True)]
        counts = np.array([one for _, one in found], np.bool_) & (start < end)
        inside = [(window.first <= one) & (one <= window.last) for one in (start, end)]
        told, chosen = self._told, rows[counts].tolist()
        told.row += chosen
        told.source += chosen
        told.start += (starts := start[counts].tolist())
        told.end += (ends := [None if one == FOREVER else one for one in end[counts].tolist()])
        told.touched += (inside[0] | inside[1])[counts].tolist()
        told.occurred += [time for (time, _), one in zip(found, counts.tolist(), strict=True) if one]
        told.remembered += [
            [(row, since)] if until is None else None for row, since, until in zip(chosen, starts, ends, strict=True)
        ]

    def _look(self, rows: list[int]) -> None:
        """Take the contents of some rows out of their columns, all at once."""
        places = pa.array(rows, pa.int64())
        columns = [self._table[name].take(places).to_pylist() for name in (*self._work.times, *self._work.attributes)]
        for column in columns:
            if any(isinstance(value, float) for value in column):
                column[:] = map(comparable, column)
        self._contents = (
            dict(zip(rows, zip(*columns, strict=True), strict=True)) if columns else dict.fromkeys(rows, ())
        )

    def _replace(self, rows: list[int]) -> None:
        """What is remembered ends where it was found anew, and of that only the window counts."""
        first = self._work.window.first
        new = [row for row in rows if self._kind[row] == NEW and self._start[row] < first]
        again = {tuple(self._events(row)) for row in new} if len(new) < len(rows) else set()
        for row in rows:
            if self._kind[row] == NEW:
                self._start[row] = max(self._start[row], first)
            elif self._kind[row] == KEPT and again and tuple(self._events(row)) in again:
                self._end[row] = first

    def _settle(self, candidates: list[int], stood: int | None) -> None:
        work, times = self._work, len(self._work.times)
        if work.clip:
            self._replace(candidates)
        known = [
            Candidate(row, self._start[row], self._end[row], self._contents[row])
            for row in candidates
            if self._start[row] < self._end[row]
        ]
        found = islands(known, times, work.occurring)
        standing = None
        if stood is not None:
            attributes = self._contents[stood][times:]
            standing = Piece(self._start[stood], self._end[stood], self._occurred[stood], attributes, stood, stood)
        first = work.window.first if work.clip else None
        result = versions(standing, pieces(found, times, self._events), first)
        inside = range(work.window.first, work.window.last + 1)
        touched = any(one.start in inside or one.end in inside for one in result)
        for one in result:
            self._tell(one.index, one.start, one.end, one.occurred, one.source)
            self._told.touched.append(touched)
            if one.end == FOREVER:
                open_ones = ((island, member) for island in found for member in island.members if member.end == FOREVER)
                self._told.remembered[-1] = [(member.index, island.start) for island, member in open_ones]

    def _tell(self, row: int, start: int, end: int, occurred: int | None, source: int) -> None:
        told = self._told
        told.row.append(row)
        told.start.append(start)
        told.end.append(None if end == FOREVER else end)
        told.occurred.append(occurred)
        told.source.append(source)
        told.remembered.append(None)

    def _events(self, row: int) -> list[tuple[str, str]]:
        events = self._table[CONSTITUENTS][row].as_py()
        return [(one["class"], one["key"]) for one in events or ()]

    def _columns_of(self, told: _Told) -> pa.Table:
        rows = pa.array(told.row, pa.int64())
        columns = {
            KEY: self._table[KEY].take(rows),
            FROM: pa.array(told.start, pa.int64()),
            TO: pa.array(told.end, pa.int64()),
            TOUCHED: pa.array(told.touched, pa.bool_()),
            OCCURRED: pa.array(told.occurred, pa.int64()),
            **{name: self._table[name].take(rows) for name in self._work.attributes},
            CONSTITUENTS: self._table[CONSTITUENTS].take(pa.array(told.source, pa.int64())),
            ROWS: self._remembered(told),
        }
        return pa.table(columns)

    def _remembered(self, told: _Told) -> pa.Array:
        """Lists of what the rows of the input say, with the step at which each came to hold."""
        flat = [pair for pairs in told.remembered for pair in pairs or ()]
        rows = pa.array([row for row, _ in flat], pa.int64())
        names = [*self._work.times, *self._work.attributes, SCOPE]
        values = [self._table[name].take(rows).combine_chunks() for name in names]
        inner = pa.StructArray.from_arrays(
            [pa.array([start for _, start in flat], pa.int64()), *values], names=[FROM, *names]
        )
        offsets: list[int | None] = []
        reached = 0
        for pairs in told.remembered:
            offsets.append(None if pairs is None else reached)
            reached += len(pairs or ())
        return pa.ListArray.from_arrays(pa.array([*offsets, reached], pa.int32()), inner)
