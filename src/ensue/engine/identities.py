"""The ids of rows, all at once: of occurrences, and of the temporal events that occurrences start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ensue.engine.arrays import Bytes, Ints, frozen
from ensue.engine.codes import UNBOUND, digests
from ensue.engine.found import Found
from ensue.engine.kernels.identity import digest_ids, occurrence_ids

_WIDTH = 32


def occurrence_texts(found: Found, classes: Sequence[str], numbers: Ints, *, timed: bool) -> pa.LargeStringArray:
    """The id of each row; `numbers` says which of the classes it is of, `timed` whether its interval counts."""
    return _texts(_hexadecimal(found, classes, numbers, timed=timed))


def temporal_texts(found: Found, delays: Ints) -> pa.LargeStringArray:
    """The id of the temporal event that each row starts, so long after it: `ensue.model.temporal_id` for many."""
    distinct, numbers = np.unique(delays, return_inverse=True)
    classes = [f"temporal {delay}" for delay in distinct.tolist()]
    signed = np.full((len(found), _WIDTH + 1), ord("+"), np.uint8)
    signed[:, 1:] = _hexadecimal(found, classes, numbers.astype(np.int64), timed=True)
    return _texts(signed)


def _hexadecimal(found: Found, classes: Sequence[str], numbers: Ints, *, timed: bool) -> Bytes:
    rows = found.rows
    ids = found.store.ids.take(rows.members)
    values = np.ascontiguousarray(rows.values)
    words = occurrence_ids(
        rows.begin,
        rows.end,
        rows.starts,
        digest_ids(frozen(ids.codes), *ids.table()),
        values,
        values.view(np.float64),
        UNBOUND,
        digests([name.encode() for name in classes]),
        numbers,
        digests([name.encode() for name in found.variables]),
        found.book.digests(),
        timed,
    )
    texts: Bytes = words.view(np.uint8).reshape(len(rows), _WIDTH)
    return texts


def _texts(characters: Bytes) -> pa.LargeStringArray:
    """Texts of the same length, one in each row."""
    count, width = characters.shape
    ends = np.arange(0, width * (count + 1), width, dtype=np.int64)
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(characters))
