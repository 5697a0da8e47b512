"""When to look again at what waits, so that no event has to pay for all that has become too old.

To drop everything at once, now and then, takes a tenth of a second for ten thousand keys, and whatever comes meanwhile
waits that long. So each event looks at a few places instead, in turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

Look: TypeAlias = Callable[[Any, int], bool]
"""Drops what is too old at a place, which it is told with the time; says whether something is left there."""


class Agenda:
    """The places at which something waits, those that were looked at longest ago first.

    More of them are looked at than come in, so at most as many are empty as are not, and one more.
    """

    __slots__ = ("_added", "_places")

    def __init__(self) -> None:
        self._places: deque[tuple[Look, Any]] = deque()
        self._added = 0

    def __len__(self) -> int:
        return len(self._places)

    def add(self, look: Look, place: Any) -> None:
        """A new place. It stays until `look` says that nothing is left there, and must not be added again before."""
        self._places.append((look, place))
        self._added += 1

    def work(self, now: int) -> None:
        """Look at a few places: one, and two for each that has come in since. Only called between instants."""
        places = self._places
        count = 2 * self._added + 1
        self._added = 0
        for _ in range(min(count, len(places))):
            entry = places.popleft()
            look, place = entry
            if look(place, now):
                places.append(entry)
