"""What a run has done so far, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

EVENT, UNUSABLE, OCCURRENCE, LATE, DUPLICATE, OPEN = "event", "unusable", "occurrence", "late", "duplicate", "open"


@dataclass(slots=True)
class Tally:
    """Counts by kind and class, and by batch. The thread that writes batches adds, others only look."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    batches: int = 0
    last_batch: int | None = None
    waiting: dict[str, int] = field(default_factory=dict)
    """By place, as it was when the place was last called; places that were not called since the start are missing."""

    def add(self, batch: int, found: dict[tuple[str, str], int], waiting: Mapping[str, int]) -> None:
        self.counts.update(found)
        self.waiting = {**self.waiting, **waiting}
        self.batches += 1
        self.last_batch = batch

    def total(self, kind: str) -> int:
        return sum(count for (other, _), count in tuple(self.counts.items()) if other == kind)

    @property
    def open(self) -> int:
        """How many partial matches are open."""
        return sum(self.waiting.values())

    def of(self, kind: str, name: str) -> int:
        return self.counts[kind, name]
