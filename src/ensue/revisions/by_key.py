"""Detection of a pattern whose world falls into parts by the values of a key, in events that may be corrected.

One engine has everything, in order of time. A correction of one key is none of the others' business: only the events
of that key are detected anew, from a kept state on, beside the engine. Whether the engine's own state is right again
for that key is found out now and then, by comparing the state that it has with the one it should have. Until then the
key is *apart*: what the engine says about it is ignored, and each of its events is detected like a correction.

That is for patterns without timers only, whose occurrences depend on the events and not on the time of a step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import lifespan
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.model import Event, Occurrence, Taxonomy
from ensue.model.values import ValueKey, normal, value_key
from ensue.revisions.history import History
from ensue.revisions.keeping import Kept
from ensue.revisions.stretches import Difference, Step, advance

Part: TypeAlias = tuple[ValueKey, ...]
"""The values of the key: which part of the world."""

Run: TypeAlias = tuple[float, Sequence[int], Sequence[int]]
"""Of a key whose events come in order: up to when they went before, and of each step the last time and the place."""
_NEVER: Run = (FOREVER, (), ())

AT_ONCE = 4096
"""How many events the engine gets at once."""
_MANY = 64
"""With so many keys apart, detecting everything anew is cheaper than going on with each."""


@dataclass(slots=True)
class Touch:
    """What one step changes in one part: events that go, and events that come."""

    place: int
    gone: list[Event] = field(default_factory=list)
    new: list[Event] = field(default_factory=list)

    @property
    def times(self) -> list[int]:
        return [event.time for event in (*self.gone, *self.new)]


@dataclass(slots=True)
class Apart:
    """A key for which the engine's state may be wrong: since when, and what the engine was given of it."""

    first: int
    last: int
    seen: list[Event]
    again: int
    """The clock from which on it is worth the while to compare."""


class KeyedDetection:
    """`routes` has for each variable of the key the attribute that gives it, for each type."""

    def __init__(
        self,
        pattern: Pattern,
        context: Context,
        routes: Mapping[str, Mapping[str, str]],
        taxonomy: Taxonomy | None = None,
        delay: int = 0,
        every: int = AT_ONCE,
    ) -> None:
        self._engine = Engine({"q": (pattern, context)}, taxonomy)
        self._beside = Engine({"q": (pattern, context)}, taxonomy)
        self._variables = tuple(routes)
        kinds = next(iter(routes.values()))
        self._attributes = {kind: tuple(route[kind] for route in routes.values()) for kind in kinds}
        self._delay, self._every = delay, every
        self._beta = lifespan(pattern).length
        self._reach = None if context.consumes else self._beta
        """How long after a correction something can still differ, where that is known."""
        self._history: dict[Part, History] = {}
        self._found: dict[Part, set[Occurrence]] = {}
        self._waiting: dict[tuple[int, str, Part], Event] = {}
        self._kept = [Kept.of(self._engine)]
        self._since = 0
        self._apart: dict[Part, Apart] = {}
        self._wrong: dict[Part, tuple[int, int]] = {}
        """For each key, from which clock up to which a kept state may be wrong."""
        self._final = -FOREVER
        self.anew = 0
        """How many events have been given to an engine again because of corrections."""

    @property
    def size(self) -> int:
        """How many events are kept."""
        return sum(map(len, self._history.values()))

    def part_of(self, event: Event) -> Part | None:
        """The values of an event's key; None if one is missing, or nothing looks at its class."""
        names = self._attributes.get(event.type)
        values = [normal(event.attributes.get(name)) for name in names or ()]
        known = [value_key(value) for value in values if value is not None]
        return tuple(known) if names and len(known) == len(names) else None

    def steps(self, steps: Sequence[Step]) -> list[Difference]:
        """The same as each step in turn: what the steps change of one key is looked at apart from all others."""
        differences: list[tuple[set[Occurrence], set[Occurrence]]] = [(set(), set()) for _ in steps]
        if not steps:
            return []
        until = max(steps[-1][0] - self._delay, self._engine.clock)
        touched = self._touched(steps)
        in_order = {part: clocks for part, each in touched.items() if (clocks := self._in_order(part, each, until))}
        for part, each in touched.items():
            if part in in_order:
                for event in (event for touch in each for event in touch.new):
                    self._take(part, event)
        others = {part: each for part, each in touched.items() if part not in in_order}
        for part, each in others.items():
            self._set_apart(part, [time for touch in each for time in touch.times if time <= self._engine.clock])
        for turn in range(max(map(len, others.values()), default=0)):
            self._detect_anew({part: each[turn] for part, each in others.items() if turn < len(each)}, differences)
        for occurrence in self._settle(until):
            part = self._part_found(occurrence)
            last, ends, places = in_order.get(part, _NEVER)
            if occurrence.end > last:
                self._found.setdefault(part, set()).add(occurrence)
                differences[places[bisect_left(ends, occurrence.end)]][1].add(occurrence)
        self._join()
        return [Difference(frozenset(gone - new), frozenset(new - gone)) for gone, new in differences]

    def _touched(self, steps: Sequence[Step]) -> dict[Part, list[Touch]]:
        touched: dict[Part, list[Touch]] = {}
        for place, (_, changes) in enumerate(steps):
            for change in changes:
                for event, goes in ((change.old, True), (change.new, False)):
                    part = None if event is None else self.part_of(event)
                    if event is None or part is None:
                        continue
                    each = touched.setdefault(part, [])
                    if not each or each[-1].place != place:
                        each.append(Touch(place))
                    (each[-1].gone if goes else each[-1].new).append(event)
        return touched

    def _in_order(self, part: Part, each: Sequence[Touch], until: int) -> Run | None:
        """Where the events of a key are all new, and each later than all before."""
        known = self._history[part].last if part in self._history else -FOREVER
        clock, clocks = max(known, self._engine.clock), []
        if part in self._apart:
            return None
        for touch in each:
            times = [event.time for event in touch.new]
            if touch.gone or min(times) <= clock or max(times) > until:
                return None
            clock = max(times)
            clocks.append(clock)
        return known, clocks, [touch.place for touch in each]

    def _take(self, part: Part, event: Event) -> None:
        self._history.setdefault(part, History()).add(event)
        if event.time > self._engine.clock:
            self._waiting[event.time, event.id, part] = event

    def _drop(self, part: Part, event: Event) -> None:
        if part in self._history:
            self._history[part].remove(event)
            if not len(self._history[part]):
                del self._history[part]
        self._waiting.pop((event.time, event.id, part), None)

    def _set_apart(self, part: Part, times: Sequence[int]) -> None:
        """Something that the engine has settled is corrected. Before that is done, note what the engine was given."""
        if not times:
            return
        first, last = min(times), max(times)
        apart = self._apart.get(part)
        if apart is None:
            seen = self._history[part].between(-FOREVER, self._engine.clock) if part in self._history else []
            self._apart[part] = Apart(first, last, seen, self._quiet(last))
        else:
            apart.first, apart.last = min(first, apart.first), max(last, apart.last)
            apart.again = max(apart.again, self._quiet(last))
        known = self._wrong.get(part)
        self._wrong[part] = (first if known is None else min(first, known[0]), FOREVER)

    def _quiet(self, last: int) -> int:
        return -FOREVER if self._beta is None else last + self._beta

    def _place(self, part: Part, first: int) -> int:
        """The last kept state before a time that is right for a key."""
        begin, end = self._wrong.get(part, (FOREVER, FOREVER))
        places = range(bisect_left(self._kept, first, key=lambda one: one.clock) - 1, 0, -1)
        return next((place for place in places if not begin <= self._kept[place].clock < end), 0)

    def _detect_anew(
        self, touches: Mapping[Part, Touch], differences: list[tuple[set[Occurrence], set[Occurrence]]]
    ) -> None:
        """Make one change of each of some keys, and look for what differs: together where the start is the same."""
        starts: dict[int, dict[Part, int]] = {}
        for part, touch in touches.items():
            for event in touch.gone:
                self._drop(part, event)
            for event in touch.new:
                self._take(part, event)
            first = min(touch.times)
            starts.setdefault(self._place(part, first), {})[part] = max(first, self._final)
        for place, parts in starts.items():
            limits = {
                part: FOREVER if self._reach is None else max(touches[part].times) + self._reach for part in parts
            }
            found = self._beside_from(place, parts, limits)
            for part, first in parts.items():
                gone, new = differences[touches[part].place]
                old = {one for one in self._found.get(part, ()) if first <= one.end <= limits[part]}
                now = {one for one in found.get(part, ()) if first <= one.end <= limits[part]}
                if old != now:
                    gone |= old - now
                    new |= now - old
                    self._found[part] = self._found.get(part, set()) - old | now

    def _limit(self, touch: Touch) -> int:
        return FOREVER if self._reach is None else max(touch.times) + self._reach

    def _beside_from(
        self, place: int, firsts: Mapping[Part, int], limits: Mapping[Part, int]
    ) -> dict[Part, list[Occurrence]]:
        """What the events of some keys give from a kept state on, by key; of each, from a time on up to a limit."""
        start = self._kept[place]
        events = [e for part in firsts for e in self._events(part, start.clock, limits[part])]
        found: dict[Part, list[Occurrence]] = {}
        if events:
            start.into(self._beside)
            self.anew += len(events)
            last = max(event.time for event in events)
            for occurrence in advance(self._beside, events, last, min(firsts.values())):
                found.setdefault(self._part_found(occurrence), []).append(occurrence)
        return found

    def _events(self, part: Part, after: int, until: int) -> list[Event]:
        return self._history[part].between(after, until) if part in self._history else []

    def _part_found(self, occurrence: Occurrence) -> Part:
        bound = dict(occurrence.bindings)
        return tuple(bound[name] for name in self._variables)

    def _settle(self, until: int) -> list[Occurrence]:
        """Give the engine all events up to a time, as they are believed now."""
        ready = sorted((place for place in self._waiting if place[0] <= until), key=lambda place: place[:2])
        events = []
        for place in ready:
            events.append(self._waiting.pop(place))
            if place[2] in self._apart:
                self._apart[place[2]].seen.append(events[-1])
        return self._give(events)

    def _give(self, events: Sequence[Event]) -> list[Occurrence]:
        """Events to the engine, which keeps its state from time to time: as often as its size is worth it."""
        found: list[Occurrence] = []
        start = 0
        while start < len(events):
            end = min(start + min(AT_ONCE, self._every), len(events))
            while end < len(events) and events[end].time == events[end - 1].time:
                end += 1
            if self._since >= self._every:
                self._engine.compact()
                if self._since >= len(self._engine.store):
                    self._kept.append(Kept.of(self._engine))
                    self._since = 0
            found += advance(self._engine, events[start:end], events[end - 1].time)
            self._since += end - start
            start = end
        return found

    def _join(self) -> None:
        """Find out for which keys that are apart the engine's state is right."""
        clock = self._engine.clock
        ready = [part for part, apart in self._apart.items() if apart.again < clock]
        if ready:
            self._compare(ready)
        if len(self._apart) > max(_MANY, len(self._history) // 4):
            self._rebuild(min(self._right_for_all(apart.first) for apart in self._apart.values()))

    def _compare(self, parts: Sequence[Part]) -> None:
        """The state as it is, of these keys, and as it should be; if they differ, of half as many at a time."""
        clock = self._engine.clock
        start = self._kept[self._right_for_all(min(self._apart[part].first for part in parts))]
        seen = [event for part in parts for event in self._apart[part].seen if event.time > start.clock]
        right = [event for part in parts for event in self._events(part, start.clock, clock)]
        self.anew += len(seen) + len(right)
        if self._state(start, seen) == self._state(start, right):
            for part in parts:
                del self._apart[part]
                self._wrong[part] = (self._wrong[part][0], clock)
        elif len(parts) == 1:
            self._apart[parts[0]].again = clock + (self._beta or 0) // 2
        else:
            self._compare(parts[: len(parts) // 2])
            self._compare(parts[len(parts) // 2 :])

    def _state(self, start: Kept, events: Iterable[Event]) -> bytes:
        start.into(self._beside)
        advance(self._beside, list(events), self._engine.clock, FOREVER)
        self._beside.span = None  # without timers nothing depends on when the history began
        return self._beside.save_normalized()

    def _right_for_all(self, first: int) -> int:
        """The last kept state before a time that is right for every key."""
        place = bisect_left(self._kept, first, key=lambda one: one.clock) - 1
        while place > 0 and any(begin <= self._kept[place].clock < end for begin, end in self._wrong.values()):
            place -= 1
        return max(place, 0)

    def _rebuild(self, place: int) -> None:
        """Give the engine everything since a kept state again, as it is believed now: then it is right for all."""
        start, clock = self._kept[place], self._engine.clock
        del self._kept[place + 1 :]
        start.into(self._engine)
        self._since = 0
        events = [e for history in self._history.values() for e in history.between(start.clock, clock)]
        self.anew += len(events)
        self._give(sorted(events, key=lambda e: (e.time, e.id)))
        self._apart.clear()
        self._wrong = {part: (b, min(e, start.clock)) for part, (b, e) in self._wrong.items() if b < start.clock}

    def forget(self, before: int) -> list[Occurrence]:
        """Nothing before a time is corrected any more: what ends earlier is final."""
        if before <= self._final:
            return []
        self._final = before
        final = [one for found in self._found.values() for one in found if one.end < before]
        for one in final:
            self._found[self._part_found(one)].discard(one)
        place = max(bisect_left(self._kept, before, key=lambda one: one.clock) - 1, 0)
        clock = self._kept[place].clock
        if any(begin <= clock < end for begin, end in self._wrong.values()):
            self._rebuild(0)
            place = max(bisect_left(self._kept, before, key=lambda one: one.clock) - 1, 0)
        del self._kept[:place]
        base = self._kept[0].clock
        for history in self._history.values():
            history.forget(base)
        self._history = {part: history for part, history in self._history.items() if len(history)}
        self._found = {part: found for part, found in self._found.items() if found}
        self._wrong = {part: (begin, end) for part, (begin, end) in self._wrong.items() if end > base}
        return final
