"""What runs in Spark's Python workers: the events of a partition go through one engine, and occurrences come out.

A worker gets the rows of all keys of its partition, in no order. It knows nothing of Spark but batches of Arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.embedded.findings import INSTANT, check_range, id_texts
from ensue.embedded.gathering import Gathered, gathered
from ensue.embedded.identities import ids_of_all
from ensue.embedded.kinds import column_as
from ensue.embedded.packing import packed, unpacked
from ensue.embedded.patterns import Watched
from ensue.embedded.seen import SeenIds
from ensue.engine.arrays import FOREVER, Ints
from ensue.engine.columns import Column, from_arrow
from ensue.engine.engine import Engine
from ensue.engine.events import EventBatch, encode_types
from ensue.engine.found import Found
from ensue.engine.memory import keep_freed_memory
from ensue.engine.store import Ids
from ensue.errors import Diagnostic, InputError
from ensue.model import Taxonomy
from ensue.time import format_instant

ROWS_AT_ONCE = 50_000
"""How many occurrences go back to Spark in one batch."""

CONSTITUENTS = pa.list_(pa.struct([("leaf", pa.string()), ("id", pa.string()), ("time", INSTANT)]))


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable's column: its name in the patterns, in the frame, and its types, as values and as handed out."""

    name: str
    column: str
    values: pa.DataType
    given: pa.DataType


@dataclass(frozen=True, slots=True)
class Layout:
    """How events are written into rows: which types the codes mean (None: types are texts), which columns hold an
    attribute, and which bit of which column one that Spark has worked out.
    """

    types: tuple[str, ...] | None
    attributes: dict[str, tuple[str, ...]]
    bits: dict[str, tuple[str, int]]
    time: str
    sliced: bool = False
    spanned: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """The detection of some patterns in one partition."""

    watched: tuple[Watched, ...]
    taxonomy: Taxonomy
    layout: Layout
    variables: tuple[Variable, ...]

    def __reduce__(self) -> tuple[Callable[..., Work], tuple[object, ...]]:
        return _sent, (packed(self.watched), self.taxonomy, self.layout, self.variables)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keep_freed_memory()
        received = list(batches)
        if not received:
            return
        table = pa.Table.from_batches(received)
        del received
        if self.layout.sliced:
            for part in _slices(table):
                yield from self.occurrences(self._batch(part), since=_begin_of_slice(part))
        else:
            events, span = _span(table) if self.layout.spanned else (table, None)
            yield from self.occurrences(self._batch(events), span)

    def occurrences(
        self, batch: EventBatch, span: tuple[int, int] | None = None, since: int = -FOREVER
    ) -> Iterator[pa.RecordBatch]:
        """What is found in events, if it does not end before an instant; `span` is that of the whole history."""
        _refuse_duplicates(batch)
        batch = batch.sorted()
        engine = Engine({item.name: (item.pattern, item.context) for item in self.watched}, self.taxonomy)
        engine.span = span
        reports = engine.advance(batch, FOREVER)
        for part in gathered((item, _since(since, reports[item.name])) for item in self.watched):
            yield from self._table(part, batch).to_batches(max_chunksize=ROWS_AT_ONCE)

    def _batch(self, table: pa.Table) -> EventBatch:
        times = np.asarray(_whole(table, "time"))
        types, names = self._types(table)
        layout, count = self.layout, len(times)

        def attribute(name: str) -> Column:
            if name in layout.bits:
                column, bit = layout.bits[name]
                told = (np.asarray(_whole(table, column)) >> bit) & 1 == 1
                return Column(count, {"truth": (told, np.ones(count, np.bool_))})
            if name == layout.time:
                return Column(count, {"time": (times, np.ones(count, np.bool_))})
            columns = [from_arrow(_whole(table, column)) for column in layout.attributes.get(name, ())]
            if len(columns) == 1:
                return columns[0]
            return Column(count, {kind: part for column in columns for kind, part in column.parts.items()})

        return EventBatch(times, _ids(_whole(table, "id")), types, names, attribute)

    def _types(self, table: pa.Table) -> tuple[Ints, tuple[str, ...]]:
        if self.layout.types is None:
            codes, names = encode_types(_whole(table, "type"))
            return codes.astype(np.int64), names
        if "type" not in table.column_names:
            return np.zeros(table.num_rows, np.int64), self.layout.types
        return np.asarray(_whole(table, "type")), self.layout.types

    def _table(self, part: Gathered, batch: EventBatch) -> pa.Table:
        found = part.found
        rows = found.rows
        check_range(rows.end)
        count = len(rows)
        begin, end = (pa.array(instants).cast(INSTANT) for instants in (rows.begin, rows.end))
        places = {name: place for place, name in enumerate(found.variables)}
        columns = {
            "id": ids_of_all(part).cast(pa.string()),
            "class": pa.array([item.name for item in part.watched], pa.string()).take(pa.array(part.numbers)),
            "begin": begin,
            "end": end,
            "detected": end,
        }
        for variable in self.variables:
            if variable.name in places:
                values = found.book.decode(np.ascontiguousarray(rows.values[:, places[variable.name]]))
                columns[variable.column] = column_as(variable.values, values).cast(variable.given)
            else:
                columns[variable.column] = pa.nulls(count, variable.given)
        columns["constituents"] = _constituents(found, batch)
        return pa.table(columns)


def _sent(watched: bytes, taxonomy: Taxonomy, layout: Layout, variables: tuple[Variable, ...]) -> Work:
    """Work that has come to a worker."""
    return Work(unpacked(watched), taxonomy, layout, variables)


@dataclass(frozen=True, slots=True)
class GroupByGroup:
    """The work of several groups of patterns, whose events come together: `group` says whose a row is."""

    works: tuple[Work, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        received = list(batches)
        if not received:
            return
        table = pa.Table.from_batches(received)
        del received
        numbers = np.asarray(_whole(table, "group"))
        for number, work in enumerate(self.works):
            mine = table.filter(pa.array(numbers == number)).combine_chunks()
            if mine.num_rows:
                yield from work(mine.to_batches())


def _since(instant: int, found: Found) -> Found:
    """What does not end before an instant."""
    return found if instant <= -FOREVER else found.with_rows(found.rows.where(found.rows.end >= instant))


def _constituents(found: Found, batch: EventBatch) -> pa.Array:
    members, starts = found.rows.members, found.rows.starts
    ids = id_texts(found.store.ids.take(members)).cast(pa.string())
    times = pa.array(found.store.times[members]).cast(INSTANT)
    parts = pa.StructArray.from_arrays([_leaves(members, ids, batch), ids, times], fields=list(CONSTITUENTS.value_type))
    return pa.ListArray.from_arrays(pa.array(starts - starts[0], pa.int32()), parts)


def _leaves(members: Ints, ids: pa.Array, batch: EventBatch) -> pa.Array:
    """The type of each constituent; temporal events, which a pattern has made, have none.

    The events of a batch have the first handles of the store. In `latest` the store has them again, under their ids.
    """
    names = pa.array(batch.type_names, pa.string())
    direct = members < len(batch)
    places = batch.types[np.where(direct, members, 0)] if len(batch) else np.zeros(len(members), np.int64)
    if direct.all():
        return names.take(pa.array(places))
    known = dict(zip(batch.ids.to_pylist(), batch.types.tolist(), strict=True))
    others = [known.get(name) for name in ids.filter(pa.array(~direct)).to_pylist()]
    found = places.astype(np.float64)
    found[~direct] = [np.nan if place is None else place for place in others]
    return names.take(pa.array(found, from_pandas=True).cast(pa.int64()))


def _ids(column: pa.Array) -> Ids:
    return Ids.from_numbers(np.asarray(column)) if pa.types.is_integer(column.type) else Ids.from_texts(column)


def _refuse_duplicates(batch: EventBatch) -> None:
    """Two events of a partition with one id; if they went to different partitions, nobody sees both."""
    earlier = SeenIds().add(batch.ids, np.arange(len(batch), dtype=np.int64), batch.times)
    again = np.flatnonzero(earlier >= 0)
    if not len(again):
        return
    row = int(again[0])
    (name,) = batch.ids.take(again[:1]).to_pylist()
    moments = [format_instant(int(batch.times[place])) for place in (int(earlier[row]), row)]
    raise InputError(
        Diagnostic(
            "E404",
            f"two events have the id {name!r}, one at {moments[0]} and one at {moments[1]}",
            hint="every event needs an id of its own; if rows came twice, df.dropDuplicates([…]) takes one of each",
        )
    )


def _span(table: pa.Table) -> tuple[pa.Table, tuple[int, int] | None]:
    """The events, and the first and the last instant of the whole history, which stand beside them.

    A row without a time is no event: it brings the span where there may be no event at all.
    """
    bounds = [pc.max(table.column(name)).as_py() for name in ("first", "last")]
    events = table.filter(table.column("time").is_valid()) if table.column("time").null_count else table
    return events, None if None in bounds else (bounds[0], bounds[1])


def _slices(table: pa.Table) -> Iterator[pa.Table]:
    """The slices of time that came to this partition, each with the events before it that it needs."""
    numbers = np.asarray(_whole(table, "slice")) >> 1
    for number in np.unique(numbers).tolist():
        yield table.filter(pa.array(numbers == number))


def _begin_of_slice(table: pa.Table) -> int:
    """The time of the first event that is in the slice itself: no occurrence ends between two events."""
    own = np.asarray(_whole(table, "slice")) & 1 == 1
    return int(np.asarray(_whole(table, "time"))[own].min()) if own.any() else FOREVER


def _whole(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
