"""Events that are offered to patterns, and which of them some atom wants: the engine's own tests, before it runs.

Where events lie in files, most are of no use to the patterns at hand. What is left out here is neither checked nor
sorted nor sent anywhere.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra.patterns import Atom
from ensue.algebra.wants import Tests
from ensue.embedded.incoming import Names
from ensue.embedded.times import instants
from ensue.engine.arrays import Ints, Truths, frozen
from ensue.engine.columns import Column, from_arrow
from ensue.engine.conditions import holds
from ensue.engine.kernels.types import of_kinds


class Offered:
    """The rows of a table as events whose columns are looked at when somebody asks for them."""

    def __init__(self, table: pa.Table, names: Names) -> None:
        self.table, self.names = table, names
        self.codes: npt.NDArray[np.integer[Any]] = np.zeros(len(table), np.int64)
        self.listed: tuple[str, ...] = (names.event_type or "",)
        self.untyped: Truths | None = None
        """The rows without a type, if there are any: they must not be overlooked."""
        if names.event_type is None:
            types = encoded(_in_one(table.column(names.type)))
            if types.null_count:
                self.untyped = np.asarray(types.is_null())
            self.codes = np.asarray(types.indices.fill_null(0) if types.null_count else types.indices)
            self.listed = tuple(types.dictionary.to_pylist()) or ("",)
        self._columns: dict[str, Column] = {}

    def column(self, name: str) -> Column:
        """An attribute; one that the table does not have is missing everywhere. The time is a time, however written."""
        if name not in self._columns:
            found = from_arrow(self.table.column(name)) if name in self.table.column_names else None
            if found is None:
                found = Column(len(self.table), {})
            elif name == self.names.time:
                found = Column(len(self.table), {"time": instants(found)})
            self._columns[name] = found
        return self._columns[name]

    def of_types(self, types: AbstractSet[str]) -> Truths:
        among: Truths = self._among(types)[self.codes]
        return among

    def rows_of(self, types: AbstractSet[str]) -> Ints:
        """The rows of the events of some types."""
        rows = np.empty(len(self.codes) + 1, np.int64)
        codes = frozen(self.codes.astype(np.int32, copy=False))
        return rows[: of_kinds(codes, self._among(types).astype(np.int8), rows)]

    def _among(self, types: AbstractSet[str]) -> Truths:
        return np.array([name in types for name in self.listed])

    def passing(self, atom: Atom, rows: Ints) -> Truths:
        """Of some rows those that pass an atom's condition."""
        if atom.condition is None:
            return np.ones(len(rows), np.bool_)
        return holds(atom.condition, lambda name: self.column(name).take(rows), len(rows))

    def wanted(self, tests: Tests) -> Ints:
        """The rows that some atom wants: its condition holds, and no variable would lack a value."""
        plain = {atoms for atoms in tests if any(self._takes_all(atom) for atom in atoms)}
        rows = self.rows_of(frozenset[str]().union(*(tests[atoms] for atoms in plain)))
        if len(plain) == len(tests) and self.untyped is None:
            return rows  # types say it all: mostly they do
        mask = np.zeros(len(self.table), np.bool_) if self.untyped is None else self.untyped.copy()
        mask[rows] = True
        for atoms in tests.keys() - plain:
            rows = self.rows_of(tests[atoms])
            any_of = np.zeros(len(rows), np.bool_)
            for atom in atoms:
                passes = self.passing(atom, rows)
                for attribute in self._bound(atom):
                    passes = passes & self.column(attribute).valid()[rows]
                any_of |= passes
            mask[rows] |= any_of
        return np.flatnonzero(mask)

    def _takes_all(self, atom: Atom) -> bool:
        return atom.condition is None and all(self.column(name).complete for name in self._bound(atom))

    def _bound(self, atom: Atom) -> list[str]:
        """The attributes that variables are bound to; an event without a time is refused, and not left out."""
        return list(dict.fromkeys(attribute for _, attribute in atom.bindings if attribute != self.names.time))


def encoded(texts: pa.Array) -> pa.DictionaryArray:
    """Texts as codes."""
    return texts if isinstance(texts, pa.DictionaryArray) else pc.dictionary_encode(texts)


def _in_one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
