"""Events that are offered to patterns, and which of them some atom wants: the engine's own tests, before it runs.

Where events lie in files, most are of no use to the patterns at hand. What is left out here is neither checked nor
sorted nor sent anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra.patterns import Atom
from ensue.engine.arrays import Ints, Truths
from ensue.engine.columns import Column
from ensue.engine.conditions import holds


@dataclass(frozen=True, slots=True)
class Offered:
    """The types of events, as codes of listed names, and a way to get at their attributes."""

    codes: npt.NDArray[np.integer[Any]]
    listed: tuple[str, ...]
    column: Callable[[str], Column]
    time: str
    """The name of the time, which every event has that is used at all."""

    def of_types(self, types: frozenset[str]) -> Truths:
        among: Truths = np.array([name in types for name in self.listed] or [False])[self.codes]
        return among

    def passing(self, atom: Atom, rows: Ints) -> Truths:
        """Of some rows those that pass an atom's condition."""
        if atom.condition is None:
            return np.ones(len(rows), np.bool_)
        return holds(atom.condition, lambda name: self.column(name).take(rows), len(rows))

    def wanted(self, tests: Mapping[tuple[Atom, ...], frozenset[str]]) -> Truths:
        """The rows that some atom wants: its condition holds, and no variable would lack a value."""
        mask = np.zeros(len(self.codes), np.bool_)
        for atoms, types in tests.items():
            mine = self.of_types(types)
            if any(self._takes_all(atom) for atom in atoms):
                mask |= mine
                continue
            rows = np.flatnonzero(mine)
            any_of = np.zeros(len(rows), np.bool_)
            for atom in atoms:
                passes = self.passing(atom, rows)
                for attribute in self._bound(atom):
                    passes = passes & self.column(attribute).valid()[rows]
                any_of |= passes
            mask[rows] |= any_of
        return mask

    def _takes_all(self, atom: Atom) -> bool:
        return atom.condition is None and all(self.column(name).whole is not None for name in self._bound(atom))

    def _bound(self, atom: Atom) -> list[str]:
        return list(dict.fromkeys(attribute for _, attribute in atom.bindings if attribute != self.time))


def encoded(types: pa.Array) -> pa.DictionaryArray:
    """Texts as codes."""
    return types if isinstance(types, pa.DictionaryArray) else pc.dictionary_encode(types)
