"""The times of events, from whatever a column of times holds: texts, numbers or instants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.engine.arrays import Ints, Truths, is_everywhere
from ensue.engine.columns import Column
from ensue.time import parse_instant
from ensue.time.instants import EARLIEST, LATEST


def instants(column: Column) -> tuple[Ints, Truths]:
    """The instant of each row, and which rows have one: the answers that `ensue.time.to_instant` gives one by one."""
    parts = [_KINDS[kind](values, valid) for kind, (values, valid) in column.parts.items() if kind in _KINDS]
    if len(parts) == 1 and is_everywhere(parts[0][1]):
        times, known = parts[0]
    else:
        times, known = np.zeros(column.length, np.int64), np.zeros(column.length, np.bool_)
        for found, fine in parts:
            times, known = np.where(fine, found, times), known | fine
    if times.min(initial=EARLIEST) >= EARLIEST and times.max(initial=LATEST) <= LATEST:
        return times, known
    return times, known & (times >= EARLIEST) & (times <= LATEST)


def _from_milliseconds(values: Any, valid: Truths) -> tuple[Ints, Truths]:
    if values.dtype == np.int64:
        fine = valid & (values >= EARLIEST // 1000) & (values <= LATEST // 1000)
        return np.where(fine, values, 0) * 1000, fine
    values = values.astype(np.float64)  # whole numbers beyond 64 bits come as objects
    with np.errstate(all="ignore"):
        fine = valid & np.isfinite(values) & (np.abs(values) < 2.0**52)
        return np.rint(np.where(fine, values, 0.0) * 1000).astype(np.int64), fine


def _from_texts(values: pa.Array, valid: Truths) -> tuple[Ints, Truths]:
    """Arrow reads columns in which all texts have a zone, or none has; the rest goes one by one."""
    plain = values.cast(pa.large_string()) if isinstance(values, pa.DictionaryArray) else values
    for zone in ("UTC", None):
        try:
            found = plain.cast(pa.timestamp("us", zone)).cast(pa.int64())
        except pa.ArrowInvalid:
            continue
        return np.asarray(found.fill_null(0)), valid
    known: dict[str, int | None] = {}
    times, fine = np.zeros(len(plain), np.int64), valid.copy()
    for row, text in enumerate(plain.to_pylist()):
        if not valid[row]:
            continue
        if text not in known:
            known[text] = _parsed(text)
        instant = known[text]
        if instant is None:
            fine[row] = False
        else:
            times[row] = instant
    return times, fine


def _parsed(text: str) -> int | None:
    try:
        return parse_instant(text)
    except ValueError:
        return None


_KINDS: dict[str, Callable[[Any, Truths], tuple[Ints, Truths]]] = {
    "time": lambda values, valid: (values, valid),
    "number": _from_milliseconds,
    "text": _from_texts,
}
