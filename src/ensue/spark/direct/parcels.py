"""Tables as bytes, in as few of them as there is need for: they go through Java twice.

Times, ids and keys of one row group lie close together, so a whole number is written as its distance from the smallest
one, in the fewest bytes that have room for all.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ensue.spark.streaming.packing import read

_BASE = b"ensue.base"
_WIDTHS = ((1 << 8, np.uint8), (1 << 16, np.uint16), (1 << 32, np.uint32))


def packed(table: pa.Table) -> pa.Table:
    """The same values in narrower columns."""
    pairs = [_packed(field, table.column(field.name)) for field in table.schema]
    return pa.table([column for _, column in pairs], schema=pa.schema([field for field, _ in pairs]))


def _packed(field: pa.Field, column: pa.ChunkedArray) -> tuple[pa.Field, pa.ChunkedArray]:
    if field.type != pa.int64() or column.null_count or not len(column):
        return field, column
    numbers = np.asarray(column)
    lowest, highest = int(numbers.min()), int(numbers.max())
    for room, width in _WIDTHS:
        if highest - lowest < room:
            narrow = pa.array((numbers - lowest).astype(width))
            return field.with_type(narrow.type).with_metadata({_BASE: str(lowest)}), pa.chunked_array([narrow])
    return field, column


def unpacked(parcel: bytes) -> pa.Table:
    """The table as it was."""
    table = read(parcel)
    for place, field in enumerate(table.schema):
        if field.metadata and _BASE in field.metadata:
            numbers = np.asarray(table.column(place)).astype(np.int64) + int(field.metadata[_BASE])
            table = table.set_column(place, field.name, pa.array(numbers))
    return table
