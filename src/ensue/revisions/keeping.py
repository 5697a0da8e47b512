"""States of an engine that are kept to come back to: in this process as they are, and as bytes for another.

A state that was kept before a correction of an earlier event may be wrong, but only for the key that was corrected.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine, Snapshot
from ensue.model import Event
from ensue.revisions.parts import Part
from ensue.revisions.stretches import advance


class Kept:
    """The state of an engine at a clock; bytes are made, and read, only when somebody asks for them."""

    def __init__(self, clock: int, snapshot: Snapshot | None, data: bytes | None = None) -> None:
        self.clock = clock
        self._snapshot = snapshot
        self._data = data

    @classmethod
    def of(cls, engine: Engine) -> Kept:
        return cls(engine.clock, engine.snapshot())

    def into(self, engine: Engine) -> None:
        """Put an engine for the same pattern into this state."""
        if self._snapshot is None and self._data is not None:
            engine.restore(self._data)
            self._snapshot = engine.snapshot()
        elif self._snapshot is not None:
            engine.roll_back(self._snapshot)

    def state_after(self, engine: Engine, events: Sequence[Event], clock: int) -> bytes:
        """Which state follows from this one with some events; equal just if all that follows is the same."""
        self.into(engine)
        advance(engine, events, clock, FOREVER)
        engine.span = None  # only timers ask when the history began
        return engine.save_normalized()

    def save(self, engine: Engine) -> bytes:
        """The state as bytes; an engine that nobody needs at the moment makes them."""
        if self._data is None:
            self.into(engine)
            self._data = engine.save()
        return self._data


class KeptStates:
    """Kept states in order of their clocks, and for which keys which of them may be wrong; the first is right."""

    def __init__(self, states: list[Kept], wrong: dict[Part, tuple[int, int]] | None = None) -> None:
        self._states = states
        self.wrong = wrong or {}
        """For each key, from which clock on up to which a state may be wrong."""

    def __iter__(self) -> Iterator[Kept]:
        return iter(self._states)

    def __getitem__(self, place: int) -> Kept:
        return self._states[place]

    def append(self, state: Kept) -> None:
        self._states.append(state)

    def right_for(self, part: Part, first: int) -> int:
        """The place of the last state before a time that is right for a key."""
        begin, end = self.wrong.get(part, (FOREVER, FOREVER))
        places = range(self._before(first), 0, -1)
        return next((place for place in places if not begin <= self._states[place].clock < end), 0)

    def right_for_these(self, parts: Iterable[Part]) -> int:
        """The place of the last state before all that is doubted for some keys."""
        return self._before(min(self.wrong[part][0] for part in parts))

    def right_for_all(self, first: int) -> int:
        """The place of the last state before a time that is right for every key."""
        place = self._before(first)
        while place > 0 and self._doubtful(place):
            place -= 1
        return place

    def doubt(self, part: Part, first: int, until: int) -> None:
        """The states between two clocks may be wrong for a key."""
        begin, end = self.wrong.get(part, (first, until))
        self.wrong[part] = (min(begin, first), max(end, until))

    def trust(self, part: Part, clock: int) -> None:
        """From a clock on the states are right for a key."""
        self.wrong[part] = (self.wrong[part][0], clock)

    def drop_after(self, place: int) -> None:
        """Drop the states behind one that is right for every key: others will come."""
        del self._states[place + 1 :]
        clock = self._states[place].clock
        self.wrong = {part: (begin, min(end, clock)) for part, (begin, end) in self.wrong.items() if begin < clock}

    def can_forget(self, before: int) -> bool:
        """Whether the last state before a time is right for every key, so that it can be the first."""
        return not self._doubtful(self._before(before))

    def forget(self, before: int) -> int:
        """Drop the states before the last one before a time; gives its clock."""
        del self._states[: self._before(before)]
        clock = self._states[0].clock
        self.wrong = {part: (begin, end) for part, (begin, end) in self.wrong.items() if end > clock}
        return clock

    def _before(self, time: int) -> int:
        return max(bisect_left(self._states, time, key=lambda one: one.clock) - 1, 0)

    def _doubtful(self, place: int) -> bool:
        clock = self._states[place].clock
        return any(begin <= clock < end for begin, end in self.wrong.values())
