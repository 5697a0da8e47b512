"""What Python workers do: read pieces of files into parcels, one for each place, and detect what is in them there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ensue.embedded.incoming import Names
from ensue.engine.kernels.partition import segments
from ensue.engine.memory import keep_freed_memory
from ensue.spark.direct.choosing import Chosen, Events, Wish
from ensue.spark.direct.files import Piece, rows_of
from ensue.spark.streaming.packing import read, written
from ensue.spark.worker import Work

PARCELS = "group int, place int, parcel binary"
_SCHEMA = pa.schema([("group", pa.int32()), ("place", pa.int32()), ("parcel", pa.binary())])


@dataclass(frozen=True, slots=True)
class Share:
    """A piece of the files of a source."""

    piece: Piece
    names: Names
    columns: tuple[str, ...]
    """Those that have to be read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The work of those who read: each row says which of the shares are its own."""

    shares: tuple[tuple[Share, ...], ...]
    wishes: tuple[Wish, ...]
    places: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keep_freed_memory()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for share in self.shares[number]:
                    events = _events(share)
                    for group, wish in enumerate(self.wishes):
                        yield from self._parcels(group, events.chosen(wish), keyed=bool(wish.key))

    def _parcels(self, group: int, chosen: Chosen, *, keyed: bool) -> Iterator[pa.RecordBatch]:
        if not chosen.table.num_rows:
            return
        if keyed:
            numbers = ((chosen.hashes >> np.uint64(33)) % np.uint64(self.places)).astype(np.int64)
            starts, rows = segments(numbers, self.places)
            table, bounds = chosen.table.take(pa.array(rows)), starts.tolist()
            parts = [
                (place, table.slice(bounds[place], bounds[place + 1] - bounds[place])) for place in range(self.places)
            ]
        else:
            parts = [(group % self.places, chosen.table)]
        for place, part in parts:
            if part.num_rows:
                row = [[group], [place], [written(part)]]
                arrays = [pa.array(value, field.type) for value, field in zip(row, _SCHEMA, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


@dataclass(frozen=True, slots=True)
class Detecting:
    """The work of those who get the parcels of some places."""

    works: tuple[Work, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keep_freed_memory()
        received: dict[tuple[int, int], list[pa.Table]] = {}
        for batch in batches:
            groups, places = (batch.column(name).to_pylist() for name in ("group", "place"))
            for group, place, parcel in zip(groups, places, batch.column("parcel"), strict=True):
                received.setdefault((group, place), []).append(read(parcel.as_buffer()))
        for group, place in sorted(received):
            parts = sorted(received.pop((group, place)), key=lambda part: part.column("time")[0].as_py())
            yield from self.works[group](pa.concat_tables(parts).to_batches())


def _events(share: Share) -> Events:
    texts = [] if share.names.event_type is not None else [share.names.type]
    return Events(rows_of(share.piece, share.columns, texts), share.names)
