"""Variable values as 64-bit codes: equal codes just for values that are the same.

A number is the bits of its double; everything else (texts, truth values, times, whole numbers beyond 2^53) has a
place in the book, written into the space of bit patterns that are not numbers. The bits of -0.0, which never occurs,
mean "unbound".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.engine.arrays import Ints, Truths, everywhere, frozen
from ensue.engine.columns import Column, from_values
from ensue.engine.kernels.encoding import encode_chosen_doubles, encode_chosen_integers, encode_integers
from ensue.engine.kernels.identity import Words, digest_texts
from ensue.engine.kernels.partition import BOXED
from ensue.model.identity import value_bytes
from ensue.model.occurrences import Bindings
from ensue.model.values import Value, ValueKey, value_key
from ensue.time import to_datetime

UNBOUND = -(2**63)
_EXACT = 2**53


def digests(contents: Sequence[bytes]) -> Words:
    """Both lanes of the digest of each."""
    ends = np.cumsum([0, *map(len, contents)], dtype=np.int64)
    lanes: Words = digest_texts(ends, np.frombuffer(b"".join(contents), np.uint8))
    return lanes


class Codebook:
    """The codes of all values that are not plain doubles."""

    def __init__(self, keys: Sequence[ValueKey] = ()) -> None:
        self.keys: list[ValueKey] = list(keys)
        self._places: dict[ValueKey, int] = {key: place for place, key in enumerate(self.keys)}
        self._digests: Words = np.empty((0, 2), np.uint64)

    def encode(self, column: Column, rows: Ints | None = None) -> Ints:
        """A code for each row, or for some of the rows; unbound where there is no value."""
        if rows is not None:
            doubles = np.empty(len(rows), np.float64)
            if column.whole is not None and not encode_chosen_integers(frozen(column.whole), rows, doubles):
                return doubles.view(np.int64)
            plain = column.doubles
            if plain is not None and not encode_chosen_doubles(frozen(np.ascontiguousarray(plain)), rows, doubles):
                return doubles.view(np.int64)
            column = column.take(rows)
        if set(column.parts) == {"number"}:
            values, valid = column.parts["number"]
            found = self._numbers(values, valid)
            return found if valid.all() else np.where(valid, found, UNBOUND)
        codes = np.full(column.length, UNBOUND, np.int64)
        for kind, (values, valid) in column.parts.items():
            if kind == "text":
                found = self._texts(values)
            elif kind == "number":
                found = self._numbers(values, valid)
            else:
                unique, inverse = np.unique(values, return_inverse=True)
                found = np.array([self.code((kind, item)) for item in unique.tolist()], np.int64)[inverse]
            codes = np.where(valid, found, codes)
        return codes

    def code(self, key: ValueKey) -> int:
        """The code of one value."""
        kind, content = key
        if kind == "number" and (not isinstance(content, int) or abs(content) <= _EXACT):
            return int(np.float64(float(content) + 0.0).view(np.int64))
        place = self._places.setdefault(key, len(self.keys))
        if place == len(self.keys):
            self.keys.append(key)
        return BOXED | place

    def key(self, code: int) -> ValueKey:
        """The value of a code."""
        if code >> 48 == 0x7FF9:
            return self.keys[code & 0xFFFF_FFFF_FFFF]
        number = float(np.int64(code).view(np.float64))
        return "number", int(number) if number.is_integer() else number

    def value(self, code: int) -> Value:
        kind, content = self.key(code)
        return to_datetime(int(content)) if kind == "time" else content

    def decode(self, codes: Ints) -> Column:
        """A column of values; unbound codes are missing."""
        found = self.numbers(codes)
        if found is not None:
            return found
        numbers = codes.view(np.float64)
        plain = (codes != UNBOUND) & ~np.isnan(numbers)
        boxed = (codes != UNBOUND) & ~plain
        listed = np.unique(codes[boxed])
        parts: dict[str, Any] = {}
        if len(listed):
            column = from_values([self.value(code) for code in listed.tolist()])
            column = column.take(np.searchsorted(listed, codes).clip(0, len(listed) - 1))
            parts = {kind: (values, valid & boxed) for kind, (values, valid) in column.parts.items()}
        if plain.any():
            large, at = parts.get("number", (np.zeros(len(codes)), np.zeros(len(codes), np.bool_)))
            if large.dtype == np.int64 and bool((np.floor(numbers[plain]) == numbers[plain]).all()):
                numbers = np.where(plain, numbers, 0.0).astype(np.int64)  # whole numbers keep all their digits
            parts["number"] = (np.where(plain, numbers, large), at | plain)
        return Column(len(codes), parts)

    def numbers(self, codes: Ints) -> Column | None:
        """The same if every value is a plain number, as is seen at a glance; otherwise None."""
        numbers = codes.view(np.float64)
        if np.isnan(numbers).any() or (codes == UNBOUND).any():
            return None
        return Column(len(codes), {"number": (numbers, everywhere(len(codes)))})

    def bindings(self, names: tuple[str, ...], row: Sequence[int]) -> Bindings:
        """The bindings of one row of codes; the names are in order."""
        return tuple((name, self.key(code)) for name, code in zip(names, row, strict=True) if code != UNBOUND)

    def digests(self) -> Words:
        """The digests of all values with a place here; they come again and again, so only new ones are worked out.

        Another thread may do the same meanwhile: each gets its own, which are the same as far as they go.
        """
        found = self._digests
        if len(found) < len(self.keys):
            found = np.concatenate([found, digests([value_bytes(key) for key in self.keys[len(found) :]])])
            self._digests = found
        return found

    def compacted(self, live: Ints) -> tuple[Codebook, Callable[[Ints], Ints]]:
        """A book with just the codes that still occur, in order of value, and a function from old codes to new ones."""
        old = np.unique(live[(live >> 48) == 0x7FF9])
        book = Codebook(sorted(self.key(code) for code in old.tolist()))
        new = np.array([book.code(self.key(code)) for code in old.tolist()], np.int64)

        def recode(codes: Ints) -> Ints:
            if not len(old):
                return codes
            places = np.searchsorted(old, codes).clip(0, len(old) - 1)
            return np.where(old[places] == codes, new[places], codes)

        return book, recode

    def _texts(self, values: pa.Array) -> Ints:
        encoded = values if isinstance(values, pa.DictionaryArray) else pc.dictionary_encode(values)
        codes = [self.code(("text", text)) for text in encoded.dictionary.to_pylist()]
        if not codes:
            return np.full(len(values), UNBOUND, np.int64)
        places = np.asarray(encoded.indices.fill_null(0)).astype(np.int64)
        return np.array(codes, np.int64)[places]

    def _numbers(self, values: Any, valid: Truths) -> Ints:
        if values.dtype == np.object_:
            return np.array([self.code(value_key(value)) for value in values], np.int64)
        if values.dtype == np.int64:
            codes, large = encode_integers(frozen(values), frozen(np.ascontiguousarray(valid)), UNBOUND)
            rows = np.flatnonzero(valid & ((values > _EXACT) | (values < -_EXACT))) if large else ()
        else:
            doubles = values + 0.0
            codes = doubles.view(np.int64)
            rows = np.flatnonzero(valid & (np.abs(doubles) > _EXACT) & np.isfinite(doubles))
        for row in rows:
            codes[row] = self.code(("number", int(values[row])))
        return codes
