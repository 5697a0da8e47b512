"""Occurrences: what a pattern finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ensue.model.values import Value, ValueKey, value_key


@dataclass(frozen=True, slots=True, order=True)
class Constituent:
    """A primitive or temporal event inside an occurrence; the order is that of SEMANTICS §1, (time, id)."""

    time: int
    id: str


Bindings: TypeAlias = tuple[tuple[str, ValueKey], ...]
OrderKey: TypeAlias = tuple[int, int, tuple[str, ...], Bindings]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An interval, the set of events it is made of, and one substitution for the pattern's variables.

    Occurrences with equal interval, constituents and bindings are one occurrence, so equality is by those three.
    """

    begin: int
    end: int
    constituents: tuple[Constituent, ...]
    bindings: Bindings = ()

    @classmethod
    def of(
        cls, begin: int, end: int, constituents: Iterable[Constituent], values: Mapping[str, Value] | None = None
    ) -> Occurrence:
        """An occurrence from a plain mapping of variables to values."""
        bound = tuple(sorted((name, value_key(value)) for name, value in (values or {}).items()))
        return cls(begin, end, tuple(sorted(set(constituents))), bound)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the constituents in (time, id) order."""
        return tuple(constituent.id for constituent in self.constituents)

    @property
    def order(self) -> OrderKey:
        """The total order of SEMANTICS §1: by it, "older" and "first" are meant."""
        return self.end, self.begin, self.ids, self.bindings
