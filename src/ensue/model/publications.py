"""When a complex event is announced to others, and how: on time, late, changed or revoked (docs/semantics.md §5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Case(Enum):
    """What has happened to a complex event."""

    ON_TIME = "on time"
    LATE = "late"
    CHANGE = "change"
    REVOKE = "revoke"


@dataclass(frozen=True, slots=True)
class Publication:
    """One PUBLISH case of a class: the name under which it is announced.

    A late one may be limited to delays that are longer than `least` and no longer than `most`, in microseconds.
    """

    name: str
    case: Case
    least: int | None = None
    most: int | None = None

    def covers(self, delay: int) -> bool:
        """Whether an event that is announced so long after it occurred is one of these."""
        return (self.least is None or delay > self.least) and (self.most is None or delay <= self.most)
