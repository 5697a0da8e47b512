"""Pieces of Parquet files: some row groups each, and the earliest time in them, as far as the files tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from ensue.embedded.times import instants
from ensue.engine.arrays import FOREVER
from ensue.engine.columns import from_arrow
from ensue.files.opening import reading
from ensue.files.parquet import unreadable

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SIZE = 1_000_000
"""Row groups are put together until there are so many rows: enough for columns to pay."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some row groups of a file, one after another."""

    file: str
    groups: tuple[int, ...]
    first: int
    """How many rows of the file stand before it."""
    begin: int | None
    """No event in it is earlier; None if that is not known."""


def pieces_of(file: str, time: str) -> Iterator[Piece]:
    """The pieces of a file, in their order; `time` is the column of times."""
    import pyarrow.parquet as pq

    with reading(file), unreadable(file):
        metadata = pq.read_metadata(file)
        schema = metadata.schema.to_arrow_schema()
    kind = schema.field(time).type if time in schema.names else None
    groups: list[int] = []
    first = rows = 0
    for group in range(metadata.num_row_groups):
        groups.append(group)
        rows += metadata.row_group(group).num_rows
        if rows - first >= SIZE or group == metadata.num_row_groups - 1:
            begins = [_begin(metadata.row_group(one), time, kind) for one in groups]
            known = [begin for begin in begins if begin is not None]
            yield Piece(file, tuple(groups), first, min(known) if len(known) == len(begins) else None)
            groups, first = [], rows


def complete_with(pieces: Sequence[Piece]) -> list[int | None]:
    """For each piece the time before which everything has come with it; None if not known, or if it is the last."""
    found: list[int | None] = []
    begin: int | None = FOREVER
    for piece in reversed(pieces):
        found.append(None if begin is None or begin >= FOREVER else begin)
        begin = None if begin is None or piece.begin is None else min(begin, piece.begin)
    return found[::-1]


def rows_of(piece: Piece, columns: Sequence[str], texts: str, *, alone: bool = True) -> pa.Table:
    """The rows of a piece, in those columns that are there; a column of few texts comes in a dictionary.

    Where it is not `alone`, other threads read other pieces, and Arrow reads this one in a single thread: to share its
    columns out among several takes a fifth more processor time.
    """
    import pyarrow.parquet as pq

    with reading(piece.file), unreadable(piece.file):
        metadata = pq.read_metadata(piece.file)
        names = metadata.schema.to_arrow_schema().names
        there = [name for name in dict.fromkeys(columns) if name in names]
        listed = [texts] if texts in there else []
        with pq.ParquetFile(piece.file, metadata=metadata, read_dictionary=listed) as opened:
            return opened.read_row_groups(list(piece.groups), columns=there, use_threads=alone)


def _begin(group: pq.RowGroupMetaData, time: str, kind: pa.DataType | None) -> int | None:
    """The earliest time in a row group by its statistics; not of texts, which are in another order."""
    exact = kind is not None and pa.types.is_timestamp(kind) and kind.unit != "ns"  # Python's times know no nanoseconds
    if not exact and not pa.types.is_integer(kind or pa.null()):
        return None
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema == time and column.is_stats_set and column.statistics.has_min_max:
            times, known = instants(from_arrow(pa.array([column.statistics.min], kind)))
            return int(times[0]) if known[0] else None
    return None
