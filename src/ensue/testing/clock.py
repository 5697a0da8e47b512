"""A clock for tests."""

from __future__ import annotations

from datetime import datetime

from ensue.algebra.patterns import Length
from ensue.time import format_instant, parse_duration, to_datetime, to_instant


class Clock:
    """Stands still until it is moved, and makes events that happen now.

    >>> clock = Clock("2026-07-10T09:00:00Z")
    >>> clock.event("Login", user="ann")
    {'type': 'Login', 'time': '2026-07-10T09:00:00Z', 'id': 'Login1', 'user': 'ann'}
    >>> clock.tick("90 seconds").event("Login", user="bob")
    {'type': 'Login', 'time': '2026-07-10T09:01:30Z', 'id': 'Login2', 'user': 'bob'}
    """

    def __init__(self, start: str | float | datetime = "2026-01-01T00:00:00Z") -> None:
        self._now = to_instant(start)
        self._made = 0

    @property
    def now(self) -> datetime:
        return to_datetime(self._now)

    def tick(self, duration: Length) -> Clock:
        """Move on by a duration; gives the clock."""
        self._now += parse_duration(duration)
        return self

    def set(self, time: str | float | datetime) -> Clock:
        """Move to a time, which may lie before: events do not always come in order."""
        self._now = to_instant(time)
        return self

    def event(self, type: str, /, id: str | None = None, **attributes: object) -> dict[str, object]:
        """An event that happens now; without an id it gets one that no other event of this clock has."""
        self._made += 1
        return {"type": type, "time": format_instant(self._now), "id": id or f"{type}{self._made}", **attributes}
