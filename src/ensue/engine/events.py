"""A batch of events as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ensue.engine.arrays import Ints, frozen
from ensue.engine.columns import Column
from ensue.engine.kernels import order as order_kernels
from ensue.engine.kernels.types import count_kinds, sort_kinds
from ensue.engine.store import Ids

MANY_TYPES = 6
"""From so many types on, sorting events by type costs less than comparing the types of all events with each."""


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events in (time, id) order: when, which, of what type, and a way to get at their attributes."""

    times: Ints
    ids: Ids
    types: npt.NDArray[np.integer[Any]]
    type_names: tuple[str, ...]
    attribute: Callable[[str], Column]
    _columns: dict[str, Column] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    def column(self, name: str) -> Column:
        """An attribute of every event; missing where an event has none."""
        if name not in self._columns:
            self._columns[name] = self.attribute(name)
        return self._columns[name]

    def of_types(self, names: frozenset[str]) -> Ints:
        """The rows of the events of some types."""
        wanted = [code for code, name in enumerate(self.type_names) if name in names]
        if not wanted:
            return np.empty(0, np.int64)
        mask = self.types == wanted[0]
        for code in wanted[1:]:
            mask |= self.types == code
        return np.flatnonzero(mask)

    def by_type(self, names: frozenset[str]) -> Mapping[str, Ints]:
        """The rows of the events of each of these types that occurs, if they are many; otherwise nothing."""
        present = sorted(names.intersection(self.type_names))
        if len(present) < MANY_TYPES:
            return {}
        number = {name: kind for kind, name in enumerate(present, 1)}
        kinds = np.array([number.get(name, 0) for name in self.type_names], np.int64)
        types = frozen(self.types.astype(np.int32, copy=False))
        counts = np.zeros(len(present) + 1, np.int64)
        count_kinds(types, kinds, counts)
        counts[0] = 0
        bounds = np.cumsum(counts)
        rows = np.empty(bounds[-1], np.int64)
        sort_kinds(types, kinds, bounds - counts, rows)
        return {name: rows[bounds[kind - 1] : bounds[kind]] for name, kind in number.items()}

    def take(self, rows: Ints) -> EventBatch:
        return EventBatch(
            self.times[rows],
            self.ids.take(rows),
            self.types[rows],
            self.type_names,
            lambda name: self.column(name).take(rows),
        )

    def sorted(self) -> EventBatch:
        """The same events in (time, id) order."""
        offsets, data = self.ids.table()
        times, codes = frozen(self.times), frozen(self.ids.codes)
        state = order_kernels.in_order(times, codes, offsets, data)
        if state == 2:
            return self
        order = np.arange(len(self)) if state else np.argsort(self.times, kind="stable")
        order_kernels.sort_simultaneous(order, times, codes, offsets, data)
        return self.take(order)


def empty_batch() -> EventBatch:
    none = np.empty(0, np.int64)
    return EventBatch(none, Ids.from_texts([]), none, (), lambda _: Column(0, {}))


def encode_types(types: pa.Array) -> tuple[npt.NDArray[np.integer[Any]], tuple[str, ...]]:
    """Type names as small numbers."""
    encoded = types if isinstance(types, pa.DictionaryArray) else types.dictionary_encode()
    return np.asarray(encoded.indices), tuple(encoded.dictionary.to_pylist())
