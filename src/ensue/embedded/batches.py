"""Cutting batches of events apart and putting them together, which is what holding events back needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ensue.engine.arrays import Ints
from ensue.engine.columns import Column, Part
from ensue.engine.events import EventBatch
from ensue.engine.store import Ids

Types: TypeAlias = npt.NDArray[np.integer[Any]]


def cut(batch: EventBatch, start: int, stop: int) -> EventBatch:
    """Some successive rows; nothing is copied."""
    if start == 0 and stop == len(batch):
        return batch
    rows = slice(start, stop)
    return EventBatch(
        batch.times[rows],
        Ids(batch.ids.codes[rows], batch.ids.texts),
        batch.types[rows],
        batch.type_names,
        lambda name: _cut_column(batch.column(name), start, stop),
    )


def detached(batch: EventBatch, attributes: Iterable[str]) -> EventBatch:
    """The same rows with just these attributes, copied, so that what they were cut from can be forgotten."""
    rows: Ints = np.arange(len(batch), dtype=np.int64)
    codes: Ints = batch.ids.codes
    textual = codes < 0
    texts = batch.ids.texts.take(pa.array(-1 - codes[textual]))
    numbers: Ints = np.cumsum(textual, dtype=np.int64)
    ids = Ids(np.where(textual, -numbers, codes), texts)
    columns = {name: batch.column(name).take(rows) for name in attributes}
    return with_columns(batch.times[rows], ids, batch.types[rows], batch.type_names, columns)


def joined(batches: Sequence[EventBatch], attributes: Iterable[str]) -> EventBatch:
    """The rows of all batches, one after another, with just these attributes."""
    filled = [batch for batch in batches if len(batch)]
    if len(filled) <= 1:
        return filled[0] if filled else batches[0]
    names = tuple(dict.fromkeys(name for batch in filled for name in batch.type_names))
    places = {name: place for place, name in enumerate(names)}
    types: list[Ints] = [np.array([places[t] for t in batch.type_names], np.int64)[batch.types] for batch in filled]
    columns = {name: _join_columns([batch.column(name) for batch in filled]) for name in attributes}
    times = np.concatenate([batch.times for batch in filled])
    return with_columns(times, _join_ids([batch.ids for batch in filled]), np.concatenate(types), names, columns)


def with_columns(
    times: Ints, ids: Ids, types: Types, type_names: tuple[str, ...], columns: dict[str, Column]
) -> EventBatch:
    """A batch whose attributes are there already."""
    count = len(times)
    return EventBatch(times, ids, types, type_names, lambda name: columns.get(name, Column(count, {})))


def _cut_column(column: Column, start: int, stop: int) -> Column:
    parts = {
        kind: (_cut_values(values, start, stop), valid[start:stop]) for kind, (values, valid) in column.parts.items()
    }
    return Column(stop - start, parts)


def _cut_values(values: Any, start: int, stop: int) -> Any:
    return values.slice(start, stop - start) if isinstance(values, pa.Array) else values[start:stop]


def _join_ids(ids: Sequence[Ids]) -> Ids:
    codes, known = [], 0
    for part in ids:
        codes.append(np.where(part.codes < 0, part.codes - known, part.codes))
        known += len(part.texts)
    return Ids(np.concatenate(codes), pa.concat_arrays([part.texts for part in ids]))


def _join_columns(columns: Sequence[Column]) -> Column:
    kinds = dict.fromkeys(kind for column in columns for kind in column.parts)
    length = sum(column.length for column in columns)
    return Column(length, {kind: _join_parts(kind, columns) for kind in kinds})


def _join_parts(kind: str, columns: Sequence[Column]) -> Part:
    found = [column.parts.get(kind) or _filler(kind, column.length) for column in columns]
    valid = np.concatenate([valid for _, valid in found])
    if kind != "text":
        return np.concatenate(_exact([values for values, _ in found])), valid
    return pa.concat_arrays([_plain_texts(values) for values, _ in found]), valid


def _exact(parts: list[Any]) -> list[Any]:
    """Beside doubles, whole numbers that are too large for one stay what they are."""
    whole = [part for part in parts if part.dtype == np.int64]
    mixed = any(part.dtype == np.float64 for part in parts)
    if mixed and any((np.abs(part) > 2**53).any() for part in whole):
        return [part.astype(np.object_) for part in parts]
    return parts


def _plain_texts(values: pa.Array) -> pa.Array:
    return values.cast(pa.large_string()) if isinstance(values, pa.DictionaryArray) else values


def _filler(kind: str, length: int) -> Part:
    valid = np.zeros(length, np.bool_)
    if kind == "text":
        return pa.nulls(length, pa.large_string()), valid
    return np.zeros(length, np.bool_ if kind == "truth" else np.int64), valid
