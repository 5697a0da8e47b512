"""From when to when each complex event of a class holds: derivation over windows of steps, in one place.

A window gives the steps that are made together. What holds before it, and goes on, is not mentioned: only what comes to
hold in it, and what ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import chain

from ensue.algebra.classes import PatternClass
from ensue.engine.arrays import FOREVER
from ensue.engine.partials import count_partials
from ensue.model import Taxonomy
from ensue.model.notices import ComplexEvent
from ensue.revisions.deriving import Derivation
from ensue.revisions.saving import restore, save
from ensue.revisions.standing import Restated
from ensue.revisions.stretches import Step
from ensue.revisions.versions import Change


@dataclass(frozen=True, slots=True)
class Life:
    """A complex event as it holds from one step up to another; None: it still holds."""

    event: ComplexEvent
    since: int
    until: int | None


class Lives:
    """The events of one class, derived window by window."""

    def __init__(self, declared: PatternClass, taxonomy: Taxonomy, every: int | None = None) -> None:
        self._derivation = Derivation(declared, (), taxonomy, every=every)
        self._since: dict[str, int] = {}
        self._due: list[tuple[int, str]] = []
        self._looked: list[int] = []
        self._gone: dict[str, str] = {}
        self._purged: int | None = None
        self._made = -FOREVER
        """Up to which moment steps have been made."""

    @property
    def size(self) -> int:
        """How many events and complex events are kept."""
        return self._derivation.detection.size + len(self._derivation.standing)

    @property
    def anew(self) -> int:
        """How many events were given to an engine again because of corrections."""
        return self._derivation.detection.anew

    @property
    def open(self) -> int:
        """How many parts of patterns have occurred and wait for the rest."""
        return count_partials(self._derivation.detection.engine)

    @property
    def looks(self) -> list[int]:
        """When it looked in the last window because time alone may bring something, and when it will look again."""
        coming = self._derivation.next_look
        return self._looked if coming is None else [*self._looked, coming]

    def window(self, steps: Sequence[Step], last: int) -> list[Life]:
        """Make the steps of a window, in order of time; gives what began or ended in it, and of that what holds now.

        With timers there are steps of its own too, up to the window's last moment: when something known falls due, and
        where time alone may bring something.
        """
        self._looked = []
        self._gone = {one.old.id: one.old.type for _, changes in steps for one in changes if one.old is not None}
        lives: list[Life] = []
        touched: set[str] = set()
        for now, restated in self._restated(steps, last):
            for one in restated:
                _, key = one.key
                touched.add(key)
                if one.old is not None:
                    since = self._since.pop(key)
                    if since < now:
                        lives.append(Life(one.old, since, now))
                if one.new is not None:
                    self._since[key] = now
        self._made = last
        standing = self._derivation.standing
        for key in touched:
            event = standing.get(key)
            if event is not None:
                lives.append(Life(event, self._since[key], None))
        return lives

    def _restated(self, steps: Sequence[Step], last: int) -> Iterable[tuple[int, list[Restated]]]:
        if not self._derivation.timed:
            found = self._derivation.steps(list(steps), [[] for _ in steps])
            return zip((now for now, _ in steps), found, strict=True)
        return chain.from_iterable(self._timed(now, changes) for now, changes in [*steps, (last + 1, None)])

    def _timed(self, now: int, changes: list[Change] | None) -> Iterable[tuple[int, list[Restated]]]:
        """A step, and before it those at which something falls due."""
        while (time := self._next_own) is not None and time < now:
            if time == self._derivation.next_look:
                self._looked.append(time)
            yield self._make(time, [])
        if changes is not None:
            yield self._make(now, changes)

    @property
    def _next_own(self) -> int | None:
        """When the next step is made if nothing is announced."""
        while self._due and not self._falls_due(*self._due[0]):
            heappop(self._due)
        looks, due = self._derivation.next_look, [time for time, _ in self._due[:1]]
        return min(due if looks is None else [*due, looks], default=None)

    def _falls_due(self, time: int, key: str) -> bool:
        event = self._derivation.standing.get(key)
        return time > self._made and event is not None and event.time == time

    def _make(self, now: int, changes: list[Change]) -> tuple[int, list[Restated]]:
        self._made = now
        (restated,) = self._derivation.steps([(now, changes)], [[]])
        for one in restated:
            if one.new is not None and one.new.time > now:
                heappush(self._due, (one.new.time, one.key[1]))
        return now, restated

    def forget(self, at: int, before: int) -> list[str]:
        """At a moment of purging: nothing before a time is corrected any more. Gives the keys that are final."""
        if self._purged is not None and at <= self._purged:
            return []
        self._purged = at
        final = [key for _, key in self._derivation.forget(before)]
        for key in final:
            del self._since[key]
        return final

    def types_of(self, lives: Iterable[Life]) -> dict[str, str]:
        """The classes of all constituents, by id, also of those that the last window retracted; timers have none."""
        names = {name for one in lives for name in one.event.occurrence.ids}
        gone = {name: kind for name, kind in self._gone.items() if name in names}
        return gone | self._derivation.detection.types_of(names)

    def save(self) -> bytes:
        """Everything that is needed to go on."""
        more = {"since": self._since, "purged": self._purged, "made": self._made, "look": self._derivation.next_look}
        return save(self._derivation.detection, more, self._derivation.standing.names())

    def restore(self, data: bytes) -> None:
        """Go on where another was saved."""
        more, named = restore(self._derivation.detection, data)
        self._since, self._purged, self._made = (more[name] for name in ("since", "purged", "made"))
        self._derivation.look_at(more["look"])
        standing = self._derivation.standing
        standing.refill(named)
        if self._derivation.timed:
            known = ((standing.get(key), key) for key in self._since)
            self._due = [(event.time, key) for event, key in known if event is not None and event.time > self._made]
            heapify(self._due)
