"""Calendars: named recurrences such as `workday`, each a row of intervals that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from ensue.time.instants import to_datetime

DAY = 86_400_000_000
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True)
class Calendar:
    """Every `period`, counted from `anchor`, an interval of `length`; on some weekdays only; not on days left out.

    Intervals are closed at both ends, so an instance ends one microsecond before the instant at which its length is
    over: two adjacent days share no instant.
    """

    name: str
    period: int = DAY
    anchor: int = 0
    length: int = DAY
    weekdays: frozenset[int] = frozenset(range(7))
    holidays: frozenset[date] = frozenset()

    def __post_init__(self) -> None:
        if not 0 < self.length <= self.period:
            raise ValueError(f"the intervals of calendar {self.name} must not be empty, nor longer than its period")
        if not self.weekdays:
            raise ValueError(f"calendar {self.name} has no weekdays")

    def from_instant(self, instant: int) -> Iterator[tuple[int, int]]:
        """The instances that end at `instant` or later, in order, without end."""
        index = self._index(instant)
        while True:
            start = self._start(index)
            if start + self.length > instant and self._holds(start):
                yield start, start + self.length - 1
            index += 1

    def between(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The instances that share at least one instant with `[first, last]`."""
        for start, end in self.from_instant(first):
            if start > last:
                return
            yield start, end

    def _index(self, instant: int) -> int:
        return (instant - self.anchor) // self.period

    def _start(self, index: int) -> int:
        return self.anchor + index * self.period

    def _holds(self, start: int) -> bool:
        day = to_datetime(start).date()
        return day.weekday() in self.weekdays and day not in self.holidays


_MONDAY = 4 * DAY
BUILT_IN_CALENDARS = {
    calendar.name: calendar
    for calendar in (
        Calendar("workday", weekdays=frozenset(range(5))),
        Calendar("weekend", weekdays=frozenset({5, 6})),
        Calendar("day"),
        Calendar("hour", period=DAY // 24, length=DAY // 24),
        Calendar("week", period=7 * DAY, anchor=_MONDAY, length=7 * DAY),
    )
}
"""The calendars that every program knows; 1970-01-05 was a Monday."""
