"""The current versions in order of time, for looking up a stretch of it."""

from __future__ import annotations

from bisect import bisect_left, insort
from math import inf

from ensue.model import Event


class History:
    """Events in order of (time, id); the class too, so that nothing is lost where two of them use one id."""

    def __init__(self) -> None:
        self._places: list[tuple[int, str, str]] = []
        self._events: dict[tuple[int, str, str], Event] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def last(self) -> float:
        """The time of the last event."""
        return self._places[-1][0] if self._places else -inf

    def add(self, event: Event) -> None:
        place = event.time, event.id, event.type
        if place not in self._events:
            insort(self._places, place)
        self._events[place] = event

    def remove(self, event: Event) -> None:
        place = event.time, event.id, event.type
        if self._events.pop(place, None) is not None:
            del self._places[bisect_left(self._places, place)]

    def between(self, after: int, until: int | None) -> list[Event]:
        """The events later than one time, and no later than another."""
        first = bisect_left(self._places, (after + 1, "", ""))
        last = len(self._places) if until is None else bisect_left(self._places, (until + 1, "", ""))
        return [self._events[place] for place in self._places[first:last]]

    def forget(self, until: int) -> None:
        """Drop what is no later."""
        count = bisect_left(self._places, (until + 1, "", ""))
        for place in self._places[:count]:
            del self._events[place]
        del self._places[:count]
