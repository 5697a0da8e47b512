"""Columns of attribute values, split by kind.

Values of different kinds never compare as equal, and real data mixes kinds, so a column holds one array a kind; for
each row at most one of them is valid. Almost every column has just one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.engine.arrays import Floats, Ints, Truths, everywhere, is_everywhere, taken
from ensue.model.values import Value, normal, value_key

Part: TypeAlias = tuple[Any, Truths]
"""The values of one kind, and where they are valid. Texts are an Arrow array, the rest NumPy arrays: numbers as int64
or float64, truth values as bool, times as int64 microseconds."""


@dataclass(frozen=True, slots=True)
class Column:
    """One attribute or variable for many rows."""

    length: int
    parts: dict[str, Part]
    whole: Ints | None = None
    """The values, if every one of them is there and is a whole number: keys of events mostly are."""

    def valid(self) -> Truths:
        """Where there is a value of any kind."""
        result = np.zeros(self.length, np.bool_)
        for _, valid in self.parts.values():
            result |= valid
        return result

    @property
    def doubles(self) -> Floats | None:
        """The values, if it is plain that every one of them is there and is a double."""
        if self.parts.keys() != {"number"}:
            return None
        values, valid = self.parts["number"]
        return values if values.dtype == np.float64 and is_everywhere(valid) else None

    @property
    def complete(self) -> bool:
        """Whether it is plain that there is a value in every row."""
        return any(is_everywhere(valid) for _, valid in self.parts.values())

    def take(self, rows: Ints) -> Column:
        return Column(
            len(rows), {kind: (_take(values, rows), taken(valid, rows)) for kind, (values, valid) in self.parts.items()}
        )

    def to_pylist(self) -> list[Value | None]:
        """The values one by one, as users see them."""
        from ensue.time import to_datetime

        result: list[Value | None] = [None] * self.length
        for kind, (values, valid) in self.parts.items():
            listed = values.to_pylist() if kind == "text" else values.tolist()
            for row in np.flatnonzero(valid):
                result[row] = to_datetime(listed[row]) if kind == "time" else listed[row]
        return result


def constant(value: Value | None, length: int) -> Column:
    """The same value in every row."""
    one = from_values([value])
    if "text" in one.parts:
        return one.take(np.zeros(length, np.int64))
    return Column(
        length,
        {kind: (np.broadcast_to(values[0], length), everywhere(length)) for kind, (values, _) in one.parts.items()},
    )


def from_values(values: Sequence[object]) -> Column:
    """A column from Python values of any kinds."""
    normals = [normal(value) for value in values]
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(normals):
        if value is not None:
            rows.setdefault(value_key(value)[0], []).append(row)
    parts: dict[str, Part] = {}
    for kind, chosen in rows.items():
        valid = np.zeros(len(normals), np.bool_)
        valid[chosen] = True
        parts[kind] = (_spread(kind, [normals[row] for row in chosen], chosen, len(normals)), valid)
    return Column(len(normals), parts)


def _spread(kind: str, values: list[Any], rows: list[int], length: int) -> Any:
    if kind == "text":
        listed: list[str | None] = [None] * length
        for row, value in zip(rows, values, strict=True):
            listed[row] = value
        return pa.array(listed, pa.large_string())
    if kind == "truth":
        result = np.zeros(length, np.bool_)
    elif kind == "time":
        result = np.zeros(length, np.int64)
        values = [value_key(value)[1] for value in values]
    else:
        result = np.zeros(length, _number_type(values))
    result[rows] = values
    return result


def _number_type(values: list[Any]) -> Any:
    """Integers stay exact: beside doubles, or beyond 64 bits, as Python's own numbers."""
    if all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values):
        return np.int64
    large = any(isinstance(value, int) and abs(value) > 2**53 for value in values)
    return np.object_ if large else np.float64


def from_arrow(array: pa.Array | pa.ChunkedArray) -> Column:
    """A column from an Arrow array; lists, structs and binary are no values, so they are missing."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    kind = array.type
    valid = everywhere(len(array)) if array.null_count == 0 else np.asarray(array.is_valid())
    types = pa.types
    if types.is_dictionary(kind):
        return _from_dictionary(array, valid)
    if _is_text(kind):
        return Column(len(array), {"text": (array.cast(pa.large_string()), valid)})
    if types.is_boolean(kind):
        return Column(len(array), {"truth": (np.asarray(array.fill_null(False)), valid)})
    if kind == pa.uint64() and len(array) and (pc.max(array).as_py() or 0) >= 2**63:
        return from_values(array.to_pylist())
    if types.is_integer(kind):
        numbers = _filled(array.cast(pa.int64()))
        return Column(len(array), {"number": (numbers, valid)}, numbers if array.null_count == 0 else None)
    if types.is_floating(kind) or types.is_decimal(kind):
        numbers = _filled(array.cast(pa.float64()))
        unknown = np.isnan(numbers)
        return Column(len(array), {"number": (numbers, valid & ~unknown if unknown.any() else valid)})
    if types.is_timestamp(kind) or types.is_date(kind):
        return Column(len(array), {"time": (instants(array), valid)})
    return Column(len(array), {})


def instants(array: pa.Array) -> Ints:
    """The microseconds of an array of timestamps or dates; missing ones are 0."""
    in_utc = array.cast(pa.timestamp("us", array.type.tz if pa.types.is_timestamp(array.type) else None), safe=False)
    return _filled(in_utc.cast(pa.int64()))


def _from_dictionary(array: pa.DictionaryArray, valid: Truths) -> Column:
    if array.dictionary.null_count == 0 and _is_text(array.dictionary.type):
        return Column(len(array), {"text": (array, valid)})
    inner = from_arrow(array.dictionary)
    codes = np.asarray(array.indices.fill_null(0)).astype(np.int64)
    if not len(array.dictionary):
        return Column(len(array), {})
    taken = inner.take(codes)
    if set(inner.parts) == {"text"}:
        return Column(len(array), {"text": (array, valid & taken.parts["text"][1])})
    return Column(len(array), {kind: (values, valid & ok) for kind, (values, ok) in taken.parts.items()})


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _filled(array: pa.Array) -> Any:
    return np.asarray(array.fill_null(0)) if array.null_count else np.asarray(array)


def _take(values: Any, rows: Ints) -> Any:
    return pc.take(values, pa.array(rows)) if isinstance(values, pa.Array) else values[rows]
