"""The ids of what was found, for all rows of a report at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ensue.embedded.gathering import Gathered
from ensue.embedded.patterns import Watched
from ensue.engine.arrays import frozen
from ensue.engine.codes import UNBOUND, Codebook
from ensue.engine.engine import Found
from ensue.engine.kernels.identity import Words, digest_ids, digest_texts, occurrence_ids
from ensue.model.identity import value_bytes


class Identities:
    """Makes occurrence ids; keeps the digests of values that are not plain numbers: they come again and again."""

    def __init__(self) -> None:
        self._book: Codebook | None = None
        self._lanes: Words = np.empty((0, 2), np.uint64)

    def of(self, found: Found, watched: Watched) -> pa.Array:
        """The id of each row, in its order, as text."""
        return self.of_all(Gathered.alone(found, watched))

    def of_all(self, gathered: Gathered) -> pa.Array:
        """The same for the rows of several patterns."""
        found = gathered.found
        rows = found.rows
        count = len(rows)
        ids = found.store.ids.take(rows.members)
        values = np.ascontiguousarray(rows.values)
        names = _digests([name.encode() for name in found.variables])
        texts = occurrence_ids(
            rows.begin,
            rows.end,
            rows.starts,
            digest_ids(frozen(ids.codes), *ids.table()),
            values,
            values.view(np.float64),
            UNBOUND,
            _digests([watched.name.encode() for watched in gathered.watched]),
            gathered.numbers,
            names,
            self._boxed(found.book),
            gathered.watched[0].timed,
        )
        ends = pa.py_buffer(np.arange(0, 32 * (count + 1), 32, dtype=np.int64))
        return pa.LargeStringArray.from_buffers(count, ends, pa.py_buffer(texts))

    def _boxed(self, book: Codebook) -> Words:
        """The digests of the book's values; only those that are new in it are worked out."""
        if book is not self._book:
            self._book, self._lanes = book, np.empty((0, 2), np.uint64)
        known = len(self._lanes)
        if known < len(book.keys):
            self._lanes = np.concatenate([self._lanes, _digests([value_bytes(key) for key in book.keys[known:]])])
        return self._lanes


def _digests(contents: list[bytes]) -> Words:
    """Both lanes of the digest of each."""
    ends = np.cumsum([0, *map(len, contents)], dtype=np.int64)
    lanes: Words = digest_texts(ends, np.frombuffer(b"".join(contents), np.uint8))
    return lanes
