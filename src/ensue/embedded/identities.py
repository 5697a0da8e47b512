"""The ids of what was found, for all rows of a report at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ensue.embedded.gathering import Gathered
from ensue.embedded.patterns import Watched
from ensue.engine.codes import UNBOUND, Codebook
from ensue.engine.engine import Found
from ensue.engine.kernels.identity import Words, digest_texts, occurrence_ids
from ensue.model.identity import SEED_HIGH, SEED_LOW, digest_bytes, value_bytes


class Identities:
    """Makes occurrence ids; keeps the digests of values that are not plain numbers: they come again and again."""

    def __init__(self) -> None:
        self._book: Codebook | None = None
        self._lanes: Words = np.empty((0, 2), np.uint64)
        self._names: dict[str, tuple[int, int]] = {}

    def of(self, found: Found, watched: Watched) -> pa.Array:
        """The id of each row, in its order, as text."""
        return self.of_all(Gathered.alone(found, watched))

    def of_all(self, gathered: Gathered) -> pa.Array:
        """The same for the rows of several patterns."""
        found = gathered.found
        rows = found.rows
        count = len(rows)
        ids = found.store.ids
        values = np.ascontiguousarray(rows.values)
        names = np.array([self._digest(name) for name in found.variables], np.uint64).reshape(-1, 2)
        texts = occurrence_ids(
            rows.begin,
            rows.end,
            rows.starts,
            rows.members,
            values,
            values.view(np.float64),
            UNBOUND,
            ids.codes,
            *ids.table(),
            np.array([self._digest(watched.name) for watched in gathered.watched], np.uint64),
            gathered.numbers,
            names,
            self._boxed(found.book),
            gathered.watched[0].timed,
        )
        ends = pa.py_buffer(np.arange(0, 32 * (count + 1), 32, dtype=np.int64))
        return pa.LargeStringArray.from_buffers(count, ends, pa.py_buffer(texts))

    def _digest(self, name: str) -> tuple[int, int]:
        if name not in self._names:
            data = name.encode()
            self._names[name] = digest_bytes(data, SEED_HIGH), digest_bytes(data, SEED_LOW)
        return self._names[name]

    def _boxed(self, book: Codebook) -> Words:
        """The digests of the book's values; only those that are new in it are worked out."""
        if book is not self._book:
            self._book, self._lanes = book, np.empty((0, 2), np.uint64)
        known = len(self._lanes)
        if known < len(book.keys):
            contents = pa.array([value_bytes(key) for key in book.keys[known:]], pa.large_binary())
            _, offsets, data = contents.buffers()
            ends = np.frombuffer(offsets, np.int64)[: len(contents) + 1]
            self._lanes = np.concatenate([self._lanes, digest_texts(ends, np.frombuffer(data, np.uint8))])
        return self._lanes
