"""One history for all sides of a sweep, as Parquet files."""

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


def write(folder: Path, history: pa.Table) -> tuple[Files, Columns]:
    """Events in the order in which they come; their ids are their places in it. A history without values gets zeros."""
    count = len(history)
    if "value" not in history.column_names:
        history = history.append_column("value", pa.array(np.zeros(count)))
    type_ = history.column("type").combine_chunks()
    type_ = type_.chunk(0) if isinstance(type_, pa.ChunkedArray) else type_
    columns = Columns(
        type_.indices.to_numpy().astype(np.int8),
        history.column("time").cast(pa.int64()).to_numpy(),
        history.column("key").to_numpy(),
        history.column("value").to_numpy(),
    )
    files = Files(folder, tuple(type_.dictionary.to_pylist()), count)
    files.parquet.mkdir()
    named = history.set_column(history.schema.get_field_index("type"), "type", type_.cast(pa.string()))
    named = named.append_column("id", pa.array(np.arange(count, dtype=np.int64)))
    for start in range(0, count, IN_A_FILE):
        pq.write_table(named.slice(start, IN_A_FILE), files.parquet / f"{start:012}.parquet")
    return files, columns
