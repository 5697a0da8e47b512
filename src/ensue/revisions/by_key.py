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

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import lifespan
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.model import Event, Occurrence, Taxonomy
from ensue.revisions.history import History
from ensue.revisions.keeping import Kept
from ensue.revisions.parts import NEVER, Apart, Part, Parting, Run, Touch
from ensue.revisions.stretches import Difference, Step, advance

AT_ONCE = 4096
"""How many events the engine gets at once."""
_MANY = 64
"""With so many keys apart, detecting everything anew is cheaper than going on with each."""


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
        self.engine = Engine({"q": (pattern, context)}, taxonomy)
        self.beside = Engine({"q": (pattern, context)}, taxonomy)
        self.parting = Parting(routes)
        self._delay, self._every = delay, every
        self._beta = lifespan(pattern).length
        self._reach = None if context.consumes else self._beta
        """How long after a correction something can still differ, where that is known."""
        self.history: dict[Part, History] = {}
        self.found: dict[Part, set[Occurrence]] = {}
        self.waiting: dict[tuple[int, str, Part], Event] = {}
        self.kept = [Kept.of(self.engine)]
        self.since = 0
        self.apart: dict[Part, Apart] = {}
        self.wrong: dict[Part, tuple[int, int]] = {}
        """For each key, from which clock up to which a kept state may be wrong."""
        self.final = -FOREVER
        self.anew = 0
        """How many events have been given to an engine again because of corrections."""

    @property
    def size(self) -> int:
        """How many events are kept."""
        return sum(map(len, self.history.values()))

    def events(self) -> list[Event]:
        """The events that are kept."""
        return [event for history in self.history.values() for event in history.between(-FOREVER, None)]

    def needed_ids(self) -> set[str]:
        """The ids of all events that something found now or later can consist of."""
        self.kept[0].into(self.beside)
        needed = {*self.beside.store.ids.to_pylist(), *(event.id for event in self.events())}
        return needed.union(*(one.ids for one in self.current()))

    def current(self) -> list[Occurrence]:
        """What is found and not final."""
        return [one for found in self.found.values() for one in found]

    def steps(self, steps: Sequence[Step]) -> list[Difference]:
        """The same as each step in turn: what the steps change of one key is looked at apart from all others."""
        differences: list[tuple[set[Occurrence], set[Occurrence]]] = [(set(), set()) for _ in steps]
        if not steps:
            return []
        until = max(steps[-1][0] - self._delay, self.engine.clock)
        touched = self.parting.touched(steps)
        in_order = {part: clocks for part, each in touched.items() if (clocks := self._in_order(part, each, until))}
        for part, each in touched.items():
            if part in in_order:
                for event in (event for touch in each for event in touch.new):
                    self.take(part, event)
        others = {part: each for part, each in touched.items() if part not in in_order}
        for part, each in others.items():
            self._set_apart(part, [time for touch in each for time in touch.times if time <= self.engine.clock])
        for turn in range(max(map(len, others.values()), default=0)):
            self._detect_anew({part: each[turn] for part, each in others.items() if turn < len(each)}, differences)
        for occurrence in self._settle(until):
            part = self.parting.of_found(occurrence)
            last, ends, places = in_order.get(part, NEVER)
            if occurrence.end > last:
                self.found.setdefault(part, set()).add(occurrence)
                differences[places[bisect_left(ends, occurrence.end)]][1].add(occurrence)
        self._join()
        return [Difference(frozenset(gone - new), frozenset(new - gone)) for gone, new in differences]

    def _in_order(self, part: Part, each: Sequence[Touch], until: int) -> Run | None:
        """Where the events of a key are all new, and each later than all before."""
        known = self.history[part].last if part in self.history else -FOREVER
        clock, clocks = max(known, self.engine.clock), []
        if part in self.apart:
            return None
        for touch in each:
            times = [event.time for event in touch.new]
            if touch.gone or min(times) <= clock or max(times) > until:
                return None
            clock = max(times)
            clocks.append(clock)
        return known, clocks, [touch.place for touch in each]

    def take(self, part: Part, event: Event) -> None:
        """Bring an event into the history; the engine gets it when its time has come."""
        self.history.setdefault(part, History()).add(event)
        if event.time > self.engine.clock:
            self.waiting[event.time, event.id, part] = event

    def _drop(self, part: Part, event: Event) -> None:
        if part in self.history:
            self.history[part].remove(event)
            if not len(self.history[part]):
                del self.history[part]
        self.waiting.pop((event.time, event.id, part), None)

    def _set_apart(self, part: Part, times: Sequence[int]) -> None:
        """Something that the engine has settled is corrected. Before that is done, note what the engine was given."""
        if not times:
            return
        first, last = min(times), max(times)
        apart = self.apart.get(part)
        if apart is None:
            seen = self.history[part].between(-FOREVER, self.engine.clock) if part in self.history else []
            self.apart[part] = Apart(first, last, seen, self._quiet(last))
        else:
            apart.first, apart.last = min(first, apart.first), max(last, apart.last)
            apart.again = max(apart.again, self._quiet(last))
        known = self.wrong.get(part)
        self.wrong[part] = (first if known is None else min(first, known[0]), FOREVER)

    def _quiet(self, last: int) -> int:
        return -FOREVER if self._beta is None else last + self._beta

    def _place(self, part: Part, first: int) -> int:
        """The last kept state before a time that is right for a key."""
        begin, end = self.wrong.get(part, (FOREVER, FOREVER))
        places = range(bisect_left(self.kept, first, key=lambda one: one.clock) - 1, 0, -1)
        return next((place for place in places if not begin <= self.kept[place].clock < end), 0)

    def _detect_anew(
        self, touches: Mapping[Part, Touch], differences: list[tuple[set[Occurrence], set[Occurrence]]]
    ) -> None:
        """Make one change of each of some keys, and look for what differs: together where the start is the same."""
        starts: dict[int, dict[Part, int]] = {}
        for part, touch in touches.items():
            for event in touch.gone:
                self._drop(part, event)
            for event in touch.new:
                self.take(part, event)
            first = min(touch.times)
            starts.setdefault(self._place(part, first), {})[part] = max(first, self.final)
        for place, parts in starts.items():
            limits = {
                part: FOREVER if self._reach is None else max(touches[part].times) + self._reach for part in parts
            }
            found = self._beside_from(place, parts, limits)
            for part, first in parts.items():
                gone, new = differences[touches[part].place]
                old = {one for one in self.found.get(part, ()) if first <= one.end <= limits[part]}
                now = {one for one in found.get(part, ()) if first <= one.end <= limits[part]}
                if old != now:
                    gone |= old - now
                    new |= now - old
                    self.found[part] = self.found.get(part, set()) - old | now

    def _limit(self, touch: Touch) -> int:
        return FOREVER if self._reach is None else max(touch.times) + self._reach

    def _beside_from(
        self, place: int, firsts: Mapping[Part, int], limits: Mapping[Part, int]
    ) -> dict[Part, list[Occurrence]]:
        """What the events of some keys give from a kept state on, by key; of each, from a time on up to a limit."""
        start = self.kept[place]
        events = [e for part in firsts for e in self._events(part, start.clock, limits[part])]
        found: dict[Part, list[Occurrence]] = {}
        if events:
            start.into(self.beside)
            self.anew += len(events)
            last = max(event.time for event in events)
            for occurrence in advance(self.beside, events, last, min(firsts.values())):
                found.setdefault(self.parting.of_found(occurrence), []).append(occurrence)
        return found

    def _events(self, part: Part, after: int, until: int) -> list[Event]:
        return self.history[part].between(after, until) if part in self.history else []

    def _settle(self, until: int) -> list[Occurrence]:
        """Give the engine all events up to a time, as they are believed now."""
        ready = sorted((place for place in self.waiting if place[0] <= until), key=lambda place: place[:2])
        events = []
        for place in ready:
            events.append(self.waiting.pop(place))
            if place[2] in self.apart:
                self.apart[place[2]].seen.append(events[-1])
        return self._give(events)

    def _give(self, events: Sequence[Event]) -> list[Occurrence]:
        """Events to the engine, which keeps its state from time to time: as often as its size is worth it."""
        found: list[Occurrence] = []
        start = 0
        while start < len(events):
            end = min(start + min(AT_ONCE, self._every), len(events))
            while end < len(events) and events[end].time == events[end - 1].time:
                end += 1
            if self.since >= self._every:
                self.engine.compact()
                if self.since >= len(self.engine.store):
                    self.kept.append(Kept.of(self.engine))
                    self.since = 0
            found += advance(self.engine, events[start:end], events[end - 1].time)
            self.since += end - start
            start = end
        return found

    def _join(self) -> None:
        """Find out for which keys that are apart the engine's state is right."""
        clock = self.engine.clock
        ready = [part for part, apart in self.apart.items() if apart.again < clock]
        if ready:
            self._compare(ready)
        if len(self.apart) > max(_MANY, len(self.history) // 4):
            self._rebuild(min(self._right_for_all(apart.first) for apart in self.apart.values()))

    def _compare(self, parts: Sequence[Part]) -> None:
        """The state as it is, of these keys, and as it should be; if they differ, of half as many at a time."""
        clock = self.engine.clock
        start = self.kept[self._right_for_all(min(self.apart[part].first for part in parts))]
        seen = [event for part in parts for event in self.apart[part].seen if event.time > start.clock]
        right = [event for part in parts for event in self._events(part, start.clock, clock)]
        self.anew += len(seen) + len(right)
        if self._state(start, seen) == self._state(start, right):
            for part in parts:
                del self.apart[part]
                self.wrong[part] = (self.wrong[part][0], clock)
        elif len(parts) == 1:
            self.apart[parts[0]].again = clock + (self._beta or 0) // 2
        else:
            self._compare(parts[: len(parts) // 2])
            self._compare(parts[len(parts) // 2 :])

    def _state(self, start: Kept, events: Iterable[Event]) -> bytes:
        start.into(self.beside)
        advance(self.beside, list(events), self.engine.clock, FOREVER)
        self.beside.span = None  # without timers nothing depends on when the history began
        return self.beside.save_normalized()

    def _right_for_all(self, first: int) -> int:
        """The last kept state before a time that is right for every key."""
        place = bisect_left(self.kept, first, key=lambda one: one.clock) - 1
        while place > 0 and any(begin <= self.kept[place].clock < end for begin, end in self.wrong.values()):
            place -= 1
        return max(place, 0)

    def _rebuild(self, place: int) -> None:
        """Give the engine everything since a kept state again, as it is believed now: then it is right for all."""
        start, clock = self.kept[place], self.engine.clock
        del self.kept[place + 1 :]
        start.into(self.engine)
        self.since = 0
        events = [e for history in self.history.values() for e in history.between(start.clock, clock)]
        self.anew += len(events)
        self._give(sorted(events, key=lambda e: (e.time, e.id)))
        self.apart.clear()
        self.wrong = {part: (b, min(e, start.clock)) for part, (b, e) in self.wrong.items() if b < start.clock}

    def forget(self, before: int) -> list[Occurrence]:
        """Nothing before a time is corrected any more: what ends earlier is final."""
        if before <= self.final:
            return []
        self.final = before
        final = [one for found in self.found.values() for one in found if one.end < before]
        for one in final:
            self.found[self.parting.of_found(one)].discard(one)
        place = max(bisect_left(self.kept, before, key=lambda one: one.clock) - 1, 0)
        clock = self.kept[place].clock
        if any(begin <= clock < end for begin, end in self.wrong.values()):
            self._rebuild(0)
            place = max(bisect_left(self.kept, before, key=lambda one: one.clock) - 1, 0)
        del self.kept[:place]
        base = self.kept[0].clock
        for history in self.history.values():
            history.forget(base)
        self.history = {part: history for part, history in self.history.items() if len(history)}
        self.found = {part: found for part, found in self.found.items() if found}
        self.wrong = {part: (begin, end) for part, (begin, end) in self.wrong.items() if end > base}
        return final
