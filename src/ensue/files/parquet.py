"""Parquet, row group by row group."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from ensue.embedded.tables import Arrow
from ensue.errors import Diagnostic, InputError
from ensue.files.chunks import SIZE, Chunk, Chunks
from ensue.files.opening import reading, size_of


def read_parquet(name: str, columns: Iterable[str] | None) -> Chunks:
    """The rows of a file, of which only the named columns are read, if some are named."""
    import pyarrow.parquet as pq

    with reading(name), unreadable(name), pq.ParquetFile(name) as file:
        known = file.schema_arrow.names
        there = known if columns is None else [name for name in dict.fromkeys(columns) if name in known]
        total, first = max(1, file.metadata.num_rows), 1
        for batch in file.iter_batches(SIZE, columns=there):
            lines = range(first, first + batch.num_rows)
            first += batch.num_rows
            done = size_of(name) * (first - 1) // total
            yield Chunk(name, Arrow(batch), lines, lambda row, batch=batch: _raw(batch, row), done=done)  # type: ignore[misc]


@contextmanager
def unreadable(name: str) -> Iterator[None]:
    """Name the file if it is damaged, or has a type that Arrow does not know."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        message = f"{name} is not a Parquet file that can be read: {error}"
        raise InputError(Diagnostic("E601", message, hint="it may be cut off, or of another kind")) from None


def _raw(batch: pa.RecordBatch, row: int) -> str:
    return json.dumps(batch.slice(row, 1).to_pylist()[0], default=str, ensure_ascii=False)
