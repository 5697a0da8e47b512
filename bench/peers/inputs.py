"""The same events for all sides, as Parquet files; and as plain columns for those who are fed at a fixed rate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bench import data, on_spark

BATCH = 1_000_000
"""So many events are a file, and in a stream a micro-batch."""
_LATER = 3_600_000_000


@dataclass(frozen=True)
class Inputs:
    """A history of which no two events are simultaneous, since peers differ in what they make of those."""

    folder: Path
    count: int

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

    def columns(self) -> data.Columns:
        return data.Columns.of(data.events(self.count, tied=False))

    def first(self, count: int) -> Inputs:
        """The same files, of which only the first events are taken: for those who would be at it for hours."""
        return Inputs(self.folder, count)

    def in_columns(self) -> Inputs:
        """With its plain columns, which cost next to nothing to read."""
        if not self.plain.exists():
            self.columns().write(self.plain)
        return self


def prepare(folder: Path, events: int) -> Inputs:
    inputs = Inputs(folder, events)
    inputs.parquet.mkdir()
    on_spark.write_events(inputs.parquet, events, BATCH, tied=False)
    inputs.stream.mkdir()
    for file in inputs.parquet.iterdir():
        (inputs.stream / file.name).hardlink_to(file)
    newest = pq.read_table(max(inputs.parquet.iterdir()))
    last = newest.slice(len(newest) - 1)
    later = pa.array([last.column("time").cast(pa.int64())[0].as_py() + _LATER]).cast(last.schema.field("time").type)
    ending = {"type": pa.array(["Z"]), "time": later, "id": pa.array([events])}
    for name, values in ending.items():
        last = last.set_column(last.schema.get_field_index(name), name, values)
    pq.write_table(last, inputs.stream / "later.parquet")
    return inputs
