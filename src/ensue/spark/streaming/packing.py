"""Many events in one row: what crosses to the stateful operator, and back from it, is Arrow's stream format.

Spark hands rows to Python one by one, so an operator that takes one row for each event spends its time on that. A
*parcel* is a row with a whole table in it: one for each place and task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

PLACE = "__place"
"""The column that says at which place of the plan an event is wanted."""

ECHO = "__echo"
"""Whether a row is one more copy of an event that is wanted at several places: only the first speaks for the event."""

PARCELS = pa.schema([("place", pa.int32()), ("parcel", pa.binary())])
MOST_ROWS = 1 << 20
"""More events than this are not kept together: a parcel has to fit into memory several times."""

_BASE, _KIND = b"ensue.base", b"ensue.kind"
_WIDTHS = ((1 << 8, np.uint8), (1 << 16, np.uint16), (1 << 32, np.uint32))
_WIDE = {str(kind).encode(): kind for kind in (pa.int64(), pa.timestamp("us", "UTC"), pa.timestamp("us"))}


def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Events with their places, as parcels: one for each place, as far as the events come together."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.num_rows for part in waiting) >= MOST_ROWS:
            yield from _parcels(waiting)
            waiting = []
    yield from _parcels(waiting)


def _parcels(batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    filled = [batch for batch in batches if batch.num_rows]
    if not filled:
        return
    table = pa.Table.from_batches(filled)
    places = np.asarray(table.column(PLACE).combine_chunks().fill_null(0)).astype(np.int64)
    order = np.argsort(places, kind="stable")
    table, places = table.drop_columns([PLACE]).take(pa.array(order)), places[order]
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    ends = [*starts[1:].tolist(), len(places)]
    parcels = [written(table.slice(start, end - start)) for start, end in zip(starts.tolist(), ends, strict=True)]
    columns = [pa.array(places[starts], pa.int32()), pa.array(parcels, pa.binary())]
    yield pa.RecordBatch.from_arrays(columns, schema=PARCELS)


def written(table: pa.Table) -> bytes:
    """A table as bytes, which go through Java twice: in as few of them as there is need for.

    Times, ids and keys that come together lie close together, so a whole number is written as its distance from the
    smallest one, in the fewest bytes that have room for all.
    """
    pairs = [_narrowed(field, table.column(field.name)) for field in table.schema]
    narrow = pa.table([column for _, column in pairs], schema=pa.schema([field for field, _ in pairs]))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, narrow.schema) as writer:
        writer.write_table(narrow.combine_chunks())
    content: bytes = sink.getvalue().to_pybytes()
    return content


def read(parcel: bytes) -> pa.Table:
    """The table that was written; empty columns that Spark knows no rows of are part of it."""
    with pa.ipc.open_stream(pa.py_buffer(parcel)) as reader:
        table = reader.read_all()
    for place, field in enumerate(table.schema):
        if field.metadata and _BASE in field.metadata:
            numbers = np.asarray(table.column(place)).astype(np.int64) + int(field.metadata[_BASE])
            table = table.set_column(place, field.name, pa.array(numbers).cast(_WIDE[field.metadata[_KIND]]))
    return table


def _narrowed(field: pa.Field, column: pa.ChunkedArray) -> tuple[pa.Field, pa.ChunkedArray]:
    kind = str(field.type).encode()
    if kind not in _WIDE or column.null_count or not len(column):
        return field, column
    numbers = np.asarray(column.cast(pa.int64()))
    lowest, highest = int(numbers.min()), int(numbers.max())
    for room, width in _WIDTHS:
        if highest - lowest < room:
            narrow = pa.array((numbers - lowest).astype(width))
            base = {_BASE: str(lowest).encode(), _KIND: kind}
            return pa.field(field.name, narrow.type, metadata=base), pa.chunked_array([narrow])
    return field, column
