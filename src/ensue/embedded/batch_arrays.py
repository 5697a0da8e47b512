"""Events that are held back, as plain arrays and from them, so that they can be saved."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.embedded.batches import with_columns
from ensue.engine.columns import Column
from ensue.engine.events import EventBatch
from ensue.engine.store import Ids


def batch_arrays(batch: EventBatch, attributes: frozenset[str]) -> tuple[list[str], dict[str, Any]]:
    """The names of the types, and the arrays of a batch that stands by itself."""
    offsets, texts = batch.ids.table()
    arrays: dict[str, Any] = {
        "held times": batch.times,
        "held types": batch.types,
        "held codes": batch.ids.codes,
        "held id offsets": offsets,
        "held id texts": texts[: offsets[-1]],
    }
    for name in sorted(attributes):
        for kind, (values, valid) in batch.column(name).parts.items():
            place = f"held {kind} {name}"
            arrays[f"{place} valid"] = valid
            if kind == "text" or values.dtype == np.object_:
                listed = values if kind == "text" else [json.dumps(value) for value in values.tolist()]
                arrays[f"{place} offsets"], content = Ids.from_texts(listed).table()
                arrays[f"{place} texts"] = content[: arrays[f"{place} offsets"][-1]]
            else:
                arrays[place] = values
    return list(batch.type_names), arrays


def batch_of(arrays: dict[str, Any], type_names: tuple[str, ...], attributes: frozenset[str]) -> EventBatch:
    """The batch that became these arrays."""
    times = arrays["held times"]
    columns = {}
    for name in attributes:
        parts = {}
        for kind in ("text", "number", "truth", "time"):
            place = f"held {kind} {name}"
            if f"{place} valid" in arrays:
                parts[kind] = (_values(arrays, place, kind), arrays[f"{place} valid"])
        columns[name] = Column(len(times), parts)
    ids = Ids(arrays["held codes"], _texts(arrays, "held id"))
    return with_columns(times, ids, arrays["held types"], type_names, columns)


def _values(arrays: dict[str, Any], place: str, kind: str) -> Any:
    """The values of one kind. Whole numbers beyond 64 bits, which NumPy holds as objects, were written as texts."""
    if kind == "text":
        return _texts(arrays, place)
    if place in arrays:
        return arrays[place]
    return np.array([json.loads(text) for text in _texts(arrays, place).to_pylist()], np.object_)


def _texts(arrays: dict[str, Any], place: str) -> pa.Array:
    offsets = arrays[f"{place} offsets"]
    buffers = pa.py_buffer(offsets), pa.py_buffer(arrays[f"{place} texts"])
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)
