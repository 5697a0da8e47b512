"""The tables of a data folder, read by Arrow: as much of each as a page can hold, newest first.

A history may have any length. What is not read is counted, from the files' footers, so that the page can say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ensue.errors import Diagnostic, InputError
from ensue.spark.programs.places import table_folder

Progress: TypeAlias = Callable[[int], None]
"""Is told how many files more have been read."""

BATCH = "batch"
_BATCH = f"{BATCH}="


@dataclass(frozen=True, slots=True)
class Rows:
    """The newest rows of a table, oldest first, as columns by name, and how many rows the table has in all."""

    columns: dict[str, list[Any]]
    read: int
    total: int

    def column(self, name: str) -> list[Any]:
        """A column by its name; one that the table does not have is empty in every row."""
        return self.columns.get(name) or [None] * self.read


def table_files(data: Path, name: str) -> list[tuple[int, Path]]:
    """The files of a table with the numbers of their batches, newest first."""
    place = table_folder(data, name)
    batches = [(int(folder.name.removeprefix(_BATCH)), folder) for folder in place.glob(f"{_BATCH}*")]
    return [
        (number, path)
        for number, folder in sorted(batches, reverse=True)
        for path in sorted(folder.rglob("*.parquet"), reverse=True)
    ]


def read_rows(
    files: Sequence[tuple[int, Path]], most: int, progress: Progress, columns: Sequence[str] | None = None
) -> Rows:
    """The newest `most` rows or a few more: files are read whole. Times become microseconds since 1970."""
    found: list[tuple[int, pa.Table]] = []
    read = total = 0
    for number, path in files:
        with _file(path) as file:
            rows = file.metadata.num_rows
            total += rows
            if read < most and rows:
                table = _in_micros(_read(file, path, columns))
                found.append((number, table))
                read += rows
        progress(1)
    found.reverse()
    names = dict.fromkeys(name for _, table in found for name in table.column_names)
    merged: dict[str, list[Any]] = {
        name: [value for _, table in found for value in _values(table, name)] for name in names
    }
    merged[BATCH] = [number for number, table in found for _ in range(table.num_rows)]
    return Rows(merged, read, total)


def count_rows(files: Sequence[tuple[int, Path]]) -> int:
    """How many rows there are, from the files' footers."""
    total = 0
    for _, path in files:
        with _file(path) as file:
            total += file.metadata.num_rows
    return total


def batches_of(files: Sequence[tuple[int, Path]], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """A few columns of the whole table, piece by piece, for counting."""
    for _, path in files:
        with _file(path) as file:
            yield from file.iter_batches(columns=list(columns))


def _values(table: pa.Table, name: str) -> list[Any]:
    return table.column(name).to_pylist() if name in table.column_names else [None] * table.num_rows


def _in_micros(table: pa.Table) -> pa.Table:
    """Times on the top level as numbers: Spark and Arrow write them in different units."""
    for i, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            column = table.column(i).cast(pa.timestamp("us", field.type.tz)).cast(pa.int64())
            table = table.set_column(i, pa.field(field.name, pa.int64()), column)
    return table


def _file(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, coerce_int96_timestamp_unit="us")
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None


def _read(file: pq.ParquetFile, path: Path, columns: Sequence[str] | None) -> pa.Table:
    try:
        return file.read(columns=None if columns is None else list(columns))
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> InputError:
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(Diagnostic("E601", f"{path} cannot be read: {said}", hint="restore it from a copy"))
