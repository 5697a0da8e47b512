"""What a run has done so far, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

EVENT, UNUSABLE, OCCURRENCE, LATE, DUPLICATE = "event", "unusable", "occurrence", "late", "duplicate"


@dataclass(slots=True)
class Tally:
    """Counts by kind and class, and by batch. The thread that writes batches adds, others only look."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    batches: int = 0
    last_batch: int | None = None

    def add(self, batch: int, found: dict[tuple[str, str], int]) -> None:
        self.counts.update(found)
        self.batches += 1
        self.last_batch = batch

    def total(self, kind: str) -> int:
        return sum(count for (other, _), count in tuple(self.counts.items()) if other == kind)

    def of(self, kind: str, name: str) -> int:
        return self.counts[kind, name]
