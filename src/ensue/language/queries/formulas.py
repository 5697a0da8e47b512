"""When a row occurs, computed from parts that SQL gave and the step at which it came to hold; in microseconds.

They go to Spark's workers, so they are plain values and need no sqlglot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Part:
    """A time that does not depend on NOW, by its number among the columns."""

    number: int

    def at(self, now: int, parts: Sequence[int | None]) -> int | None:
        del now
        return parts[self.number]


@dataclass(frozen=True, slots=True)
class Held:
    """The step at which the row came to hold."""

    def at(self, now: int, parts: Sequence[int | None]) -> int | None:
        del parts
        return now


@dataclass(frozen=True, slots=True)
class Later:
    """So many microseconds after a time."""

    time: Formula
    by: int

    def at(self, now: int, parts: Sequence[int | None]) -> int | None:
        time = self.time.at(now, parts)
        return None if time is None else time + self.by


@dataclass(frozen=True, slots=True)
class Among:
    """The latest or the earliest of some times; what is missing does not count, as in Spark."""

    latest: bool
    times: tuple[Formula, ...]

    def at(self, now: int, parts: Sequence[int | None]) -> int | None:
        known = [time for one in self.times if (time := one.at(now, parts)) is not None]
        return (max if self.latest else min)(known, default=None)


@dataclass(frozen=True, slots=True)
class CheckPoint:
    """The first of the points `first`, `first + every`, … that is not before the row came to hold."""

    first: Formula
    every: int

    def at(self, now: int, parts: Sequence[int | None]) -> int | None:
        first = self.first.at(now, parts)
        return None if first is None else first + -(-max(now - first, 0) // self.every) * self.every


Formula: TypeAlias = Part | Held | Later | Among | CheckPoint


@dataclass(frozen=True, slots=True)
class Occurring:
    """When a row occurs, and up to when a check may be for it to count (None: there are no checks)."""

    time: Formula
    check: Formula | None = None
    last: Formula | None = None

    def at(self, now: int, parts: Sequence[int | None]) -> tuple[int | None, bool]:
        """The time of a row that came to hold at some step, and whether it counts at all."""
        time = self.time.at(now, parts)
        if self.check is None or self.last is None:
            return time, True
        check, last = self.check.at(now, parts), self.last.at(now, parts)
        return time, check is not None and last is not None and check <= last
