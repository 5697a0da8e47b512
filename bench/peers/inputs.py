"""The same events for all sides: Parquet for those that read it, plain columns in a file for the peers in Java.

Reading such columns costs next to nothing: what the Java peers are given is in their favour.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import data, on_spark

BATCH = 500_000
"""So many events are a file, and in a stream a micro-batch."""
_LATER = 3_600_000_000


@dataclass(frozen=True)
class Inputs:
    """A history of which no two events are simultaneous, since peers differ in what they make of those."""

    folder: Path
    columns: data.Columns

    @property
    def count(self) -> int:
        return len(self.columns.times)

    @property
    def parquet(self) -> Path:
        """Files in order of time."""
        return self.folder / "events"

    @property
    def stream(self) -> Path:
        """The same files, and one with an event of another class much later: by then everything has been told."""
        return self.folder / "stream"

    @property
    def plain(self) -> Path:
        """The columns, one after the other."""
        return self.folder / f"{self.count}.columns"

    def first(self, count: int) -> Inputs:
        """Its first events, as plain columns only: for those who would be at it for hours."""
        types, times, keys, values = self.columns
        some = data.Columns(types[:count], times[:count], keys[:count], values[:count])
        return _with_columns(Inputs(self.folder, some))


def prepare(folder: Path, events: int) -> Inputs:
    inputs = Inputs(folder, data.Columns.of(data.events(events, tied=False)))
    inputs.parquet.mkdir()
    on_spark.write_events(inputs.parquet, events, BATCH, tied=False)
    inputs.stream.mkdir()
    for file in inputs.parquet.iterdir():
        (inputs.stream / file.name).hardlink_to(file)
    last = pq.read_table(max(inputs.parquet.iterdir())).slice(0, 1)
    later = pa.array([int(inputs.columns.times[-1]) + _LATER]).cast(last.schema.field("time").type)
    ending = {"type": pa.array(["Z"]), "time": later, "id": pa.array([events])}
    for name, values in ending.items():
        last = last.set_column(last.schema.get_field_index(name), name, values)
    pq.write_table(last, inputs.stream / "later.parquet")
    return _with_columns(inputs)


def _with_columns(inputs: Inputs) -> Inputs:
    if not inputs.plain.exists():
        with inputs.plain.open("wb") as file:
            for column in inputs.columns:
                file.write(np.ascontiguousarray(column).tobytes())
    return inputs
