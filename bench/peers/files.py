"""One history for all sides of a sweep, as Parquet files; or as plain columns for those who are fed event by event."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.data import Columns

IN_A_FILE = 250_000
"""Few enough that two who read have the same to do."""


@dataclass(frozen=True)
class Files:
    folder: Path
    names: tuple[str, ...]
    """The classes in the order of their codes."""
    count: int

    @property
    def parquet(self) -> Path:
        return self.folder / "events"

    @property
    def plain(self) -> Path:
        return self.folder / "columns"


def write_plain(folder: Path, history: pa.Table) -> tuple[Files, Columns]:
    """Events in the order in which they come, as plain columns alone."""
    names, columns = _columns(_valued(history))
    files = Files(folder, names, len(history))
    columns.write(files.plain)
    return files, columns


def write(folder: Path, history: pa.Table) -> tuple[Files, Columns]:
    """Events in the order in which they come; their ids are their places in it."""
    history = _valued(history)
    names, columns = _columns(history)
    files = Files(folder, names, len(history))
    files.parquet.mkdir()
    texts = history.column("type").cast(pa.string())
    named = history.set_column(history.schema.get_field_index("type"), "type", texts)
    named = named.append_column("id", pa.array(np.arange(files.count, dtype=np.int64)))
    for start in range(0, files.count, IN_A_FILE):
        pq.write_table(named.slice(start, IN_A_FILE), files.parquet / f"{start:012}.parquet")
    return files, columns


def _valued(history: pa.Table) -> pa.Table:
    """A history without values gets zeros."""
    return (
        history if "value" in history.column_names else history.append_column("value", pa.array(np.zeros(len(history))))
    )


def _columns(history: pa.Table) -> tuple[tuple[str, ...], Columns]:
    """The names of the classes in the order of their codes, and the columns in one piece."""
    type_ = history.column("type").combine_chunks()
    type_ = type_.chunk(0) if isinstance(type_, pa.ChunkedArray) else type_
    columns = Columns(
        type_.indices.to_numpy().astype(np.int8),
        history.column("time").cast(pa.int64()).to_numpy(),
        history.column("key").to_numpy(),
        history.column("value").to_numpy(),
    )
    return tuple(type_.dictionary.to_pylist()), columns
