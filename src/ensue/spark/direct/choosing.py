"""Of the events of a piece those that a group of patterns wants, in the columns that the engine gets.

The engine's own tests decide, so nothing is tested again behind the shuffle: an atom is told by a bit, or by the row's
being there (`ensue.spark.wanted`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ensue.embedded.incoming import Names
from ensue.embedded.offered import Offered, encoded
from ensue.engine.arrays import Ints
from ensue.engine.columns import Column
from ensue.engine.kernels.identity import digest_texts
from ensue.engine.store import Ids
from ensue.errors import Diagnostic, InputError
from ensue.spark.keys import Key
from ensue.spark.sources import TIME_HINT
from ensue.spark.wanted import WIDTH, Wanted

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a group of patterns wants of the events: which, what of them, and where they meet."""

    wanted: Wanted
    attributes: tuple[tuple[str, str, pa.DataType], ...]
    """The attributes that the engine has to know: each with its column and its type."""
    key: Key
    whole_ids: bool

    @property
    def needed(self) -> frozenset[str]:
        """The attributes that have to be read."""
        tested = {name for atom in self.wanted.atoms for name in self.wanted.of_atom(atom)}
        routed = {name for route in self.key.routes.values() for name in route}
        return frozenset(tested | routed | {name for name, _, _ in self.attributes})


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that are wanted, and for each a number that is the same wherever the key is."""

    table: pa.Table
    hashes: Hashes


class Events:
    """The events of a piece, of which patterns get what they want."""

    def __init__(self, table: pa.Table, names: Names) -> None:
        self.offered = Offered(table, names)
        self._table, self._names = table, names
        if self.offered.untyped is not None:
            hint = f"its event class belongs in {names.type!r}"
            raise InputError(Diagnostic("E402", f"an event has no {names.type}", hint=hint))

    def chosen(self, wish: Wish) -> Chosen:
        rows = self.offered.wanted(wish.wanted.tests)
        columns = {"time": pa.array(self._instants(rows)), "id": self._ids(rows, whole=wish.whole_ids)}
        if len(wish.wanted.types) > 1:
            places = {name: place for place, name in enumerate(wish.wanted.types)}
            codes = np.array([places.get(name, -1) for name in self.offered.listed])
            columns["type"] = pa.array(codes[self.offered.codes[rows]])
        for place, bits in enumerate(self._bits(wish.wanted, rows)):
            columns[f"atoms{place}"] = pa.array(bits)
        for name, column, kind in wish.attributes:
            there = name in self._table.column_names
            taken = self._table.column(name).combine_chunks().take(pa.array(rows)) if there else pa.nulls(len(rows))
            columns[column] = taken.cast(kind)
        return Chosen(pa.table(columns), self._hashes(wish.key, rows))

    def _bits(self, wanted: Wanted, rows: Ints) -> Iterator[Ints]:
        for first in range(0, len(wanted.bits), WIDTH):
            bits = np.zeros(self._table.num_rows, np.int64)
            for place, atom in enumerate(wanted.bits[first : first + WIDTH]):
                mine = self.offered.rows_of(wanted.taxonomy.below(atom.type))
                bits[mine[self.offered.passing(atom, mine)]] |= 1 << place
            yield bits[rows]

    def _instants(self, rows: Ints) -> Ints:
        times, known = self.offered.column(self._names.time).parts["time"]
        bad = rows[~known[rows]]
        if not len(bad):
            found: Ints = times[rows]
            return found
        shown = [self._table.column(name)[int(bad[0])].as_py() for name in (self._names.id, self._names.time)]
        name, time = ("null" if shown[0] is None else shown[0]), ("missing" if shown[1] is None else shown[1])
        message = f"the event with the id {name}: {self._names.time} is {time}, which is not a time"
        raise InputError(Diagnostic("E401", message, hint=TIME_HINT))

    def _ids(self, rows: Ints, *, whole: bool) -> pa.Array:
        found = self._table.column(self._names.id).combine_chunks().take(pa.array(rows))
        if found.null_count:
            raise InputError(
                Diagnostic("E403", f"an event has no {self._names.id}", hint="every event needs an id of its own")
            )
        return found.cast(pa.int64() if whole else pa.string())

    def _hashes(self, key: Key, rows: Ints) -> Hashes:
        found = np.zeros(len(rows), np.uint64)
        by_route: dict[tuple[str, ...], set[str]] = {}
        for name, route in key.routes.items():
            by_route.setdefault(route, set()).add(name)
        for route, types in by_route.items():
            mine = self.offered.of_types(frozenset(types))[rows]
            places = slice(None) if mine.all() else np.flatnonzero(mine)
            for attribute in route:
                values = _hashed(self.offered.column(attribute).take(rows[places]))
                found[places] = _scrambled(found[places] ^ values)
        return found


def _hashed(column: Column) -> Hashes:
    """A number for each value, the same for equal ones."""
    found = np.zeros(column.length, np.uint64)
    for kind, (values, valid) in column.parts.items():
        if kind == "text":
            hashes = _of_texts(values)
        elif kind == "number":
            hashes = (values.astype(np.float64) + 0.0).view(np.uint64)  # 1 and 1.0, 0.0 and -0.0 are equal
        else:
            hashes = values.astype(np.int64).view(np.uint64)
        found = np.where(valid, hashes, found)
    return found


def _of_texts(values: pa.Array) -> Hashes:
    coded = encoded(values)
    if not len(coded.dictionary):
        return np.zeros(len(values), np.uint64)
    offsets, data = Ids.from_texts(coded.dictionary).table()
    hashes: Hashes = digest_texts(offsets, data)[:, 0][np.asarray(coded.indices.fill_null(0))]
    return hashes


def _scrambled(words: Hashes) -> Hashes:
    words = words * np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(32)
    words *= np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(29))
