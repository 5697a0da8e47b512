"""Detection of a pattern whose world falls into parts by the values of a key, in events that may be corrected.

One engine has everything, in order of time. A correction of one key is none of the others' business: only the events
of that key are detected anew, from a kept state on, beside the engine. Whether the engine's own state is right again
for that key is found out now and then, by comparing the state that it has with the one it should have. Until then the
key is *apart*: what the engine says about it is ignored, and each of its events is detected like a correction.

That is for patterns without timers only, whose occurrences depend on the events and not on the time of a step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import lifespan
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.model import Event, Occurrence, Taxonomy
from ensue.revisions.keeping import Kept, KeptStates
from ensue.revisions.parts import NEVER, Apart, Differences, Part, Parting, Turn, run_of, turns_of
from ensue.revisions.shelves import Shelves
from ensue.revisions.stretches import NO_DIFFERENCE, Difference, Step, advance

AT_ONCE = 4096
"""How many events the engine gets at once."""
_LONG = 256
"""With so many events of a key behind a correction, its reach is looked for."""
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
        self.history = Shelves()
        self.found: dict[Part, set[Occurrence]] = {}
        self.waiting: dict[tuple[int, str, Part], Event] = {}
        self.kept = KeptStates([Kept.of(self.engine)])
        self.since = 0
        self.apart: dict[Part, Apart] = {}
        self.types: dict[str, str] = {}
        """The classes of events that are not kept any more, and are still part of what is carried."""
        self.final = -FOREVER
        self.anew = 0
        """How many events have been given to an engine again because of corrections."""

    @property
    def size(self) -> int:
        """How many events are kept."""
        return len(self.history)

    def types_of(self, names: Iterable[str]) -> dict[str, str]:
        """The classes of events that something found consists of, by id."""
        wanted = set(names)
        found = self.history.types_of(wanted)
        return found | {name: self.types[name] for name in wanted - found.keys() if name in self.types}

    def current(self) -> list[Occurrence]:
        """What is found and not final."""
        return [one for found in self.found.values() for one in found]

    def steps(self, steps: Sequence[Step]) -> list[Difference]:
        """The same as each step in turn: what the steps change of one key is looked at apart from all others."""
        if not steps:
            return []
        differences: Differences = defaultdict(lambda: (set(), set()))
        until = max(steps[-1][0] - self._delay, self.engine.clock)
        touched = self.parting.touched(steps)
        known = self._waiting_until()
        clock = self.engine.clock
        runs = {part: run_of(each, known.get(part, -FOREVER), clock, until) for part, each in touched.items()}
        in_order = {part: run for part, run in runs.items() if run is not None and part not in self.apart}
        for part, each in touched.items():
            if part in in_order:
                for event in (event for touch in each for event in touch.new):
                    self.take(part, event)
        others = {part: each for part, each in touched.items() if part not in in_order}
        self.history.fetch(others)
        turns = {part: turns_of(each, self.history.last(part)) for part, each in others.items()}
        for turn in range(max(map(len, turns.values()), default=0)):
            self._detect_anew({part: each[turn] for part, each in turns.items() if turn < len(each)}, differences)
        for occurrence in self._settle(until):
            part = self.parting.of_found(occurrence)
            last, ends, places = in_order.get(part, NEVER)
            if occurrence.end > last:
                self.found.setdefault(part, set()).add(occurrence)
                differences[places[bisect_left(ends, occurrence.end)]][1].add(occurrence)
        self._join()
        answer = [NO_DIFFERENCE] * len(steps)
        for place, (gone, new) in differences.items():
            answer[place] = Difference(frozenset(gone - new), frozenset(new - gone))
        return answer

    def _waiting_until(self) -> dict[Part, int]:
        """For each key with events that the engine does not have yet, up to when they go."""
        found: dict[Part, int] = {}
        for time, _, part in self.waiting:
            found[part] = max(time, found.get(part, time))
        return found

    def take(self, part: Part, event: Event) -> None:
        """Bring an event into the history; the engine gets it when its time has come."""
        self.history.add(part, event)
        if event.time > self.engine.clock:
            self.waiting[event.time, event.id, part] = event

    def _drop(self, part: Part, event: Event) -> None:
        self.history.remove(part, event)
        self.waiting.pop((event.time, event.id, part), None)

    def _set_apart(self, part: Part, first: int, last: int, seen: list[Event]) -> None:
        """Something that the engine has settled is corrected: from now on its state may be wrong for this key."""
        apart = self.apart.get(part)
        if apart is None:
            self.apart[part] = Apart(first, last, seen, self._quiet(last))
        else:
            apart.first, apart.last = min(first, apart.first), max(last, apart.last)
            apart.again = max(apart.again, self._quiet(last))
        self.kept.doubt(part, first, FOREVER)

    def _quiet(self, last: int) -> int:
        return -FOREVER if self._beta is None else last + self._beta

    def _detect_anew(self, turns: Mapping[Part, Turn], differences: Differences) -> None:
        """Make the next turn of each of some keys, and look for what differs: together where the start is the same."""
        starts: dict[int, dict[Part, int]] = {}
        limits: dict[Part, int] = {}
        for part, turn in turns.items():
            first = min(turn.times)
            place = self.kept.right_for(part, first)
            starts.setdefault(place, {})[part] = max(first, self.final)
            limits[part] = self._change(part, turn, place)
        for place, parts in starts.items():
            found = self._beside_from(place, parts, limits)
            for part, first in parts.items():
                old = {one for one in self.found.get(part, ()) if first <= one.end <= limits[part]}
                now = {one for one in found.get(part, ()) if first <= one.end <= limits[part]}
                for one in old - now:
                    differences[turns[part].place_of(one)][0].add(one)
                for one in now - old:
                    differences[turns[part].place_of(one)][1].add(one)
                if old != now:
                    known = self.found.setdefault(part, set())
                    known -= old
                    known |= now

    def _change(self, part: Part, turn: Turn, place: int) -> int:
        """Make the changes of a turn; gives the time after which they make no difference, if that is known.

        With many events behind a correction it is worth the while to see how far it reaches, and if it does not reach
        the engine's clock, the engine need not hear of it.
        """
        clock, last = self.engine.clock, max(turn.times)
        settled = [time for time in turn.times if time <= clock]
        quiet = self._quiet(last)
        seen = self.history.between(part, -FOREVER, clock) if settled and part not in self.apart else []
        long = bool(seen) and self._beta is not None and self.history.count(part, quiet, clock) > _LONG
        for event in turn.gone:
            self._drop(part, event)
        for event in turn.new:
            self.take(part, event)
        limit = FOREVER if self._reach is None else last + self._reach
        reach = self._same_after(part, self.kept[place], seen, last) if long else FOREVER
        if reach <= clock:
            self.kept.doubt(part, min(settled), reach)
        elif settled:
            self._set_apart(part, min(settled), max(settled), seen)
        return min(limit, reach)

    def _same_after(self, part: Part, start: Kept, seen: Sequence[Event], last: int) -> int:
        """The time, if it is found, at which the state with a correction is the one without it."""
        distance = self._beta or 1
        while last + distance <= self.engine.clock:
            until = last + distance
            before = [event for event in seen if start.clock < event.time <= until]
            after = self._events(part, start.clock, until)
            self.anew += len(before) + len(after)
            if start.state_after(self.beside, before, until) == start.state_after(self.beside, after, until):
                return until
            distance *= 4
        return FOREVER

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
        return self.history.between(part, after, until)

    def _settle(self, until: int) -> list[Occurrence]:
        """Give the engine all events up to a time, as they are believed now."""
        ready = sorted((place for place in self.waiting if place[0] <= until), key=lambda place: place[:2])
        events = []
        for place in ready:
            events.append(self.waiting.pop(place))
            if place[2] in self.apart:
                self.apart[place[2]].seen.append(events[-1])
        return self._give(events)

    def _give(self, events: Sequence[Event], since: int | None = None) -> list[Occurrence]:
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
            found += advance(self.engine, events[start:end], events[end - 1].time, since)
            self.since += end - start
            start = end
        return found

    def _join(self) -> None:
        """Find out for which keys that are apart the engine's state is right."""
        clock = self.engine.clock
        ready = [part for part, apart in self.apart.items() if apart.again < clock]
        if ready:
            self._compare(ready)
        if len(self.apart) > max(_MANY, self.history.parts // 4):
            self._rebuild(min(self.kept.right_for_all(apart.first) for apart in self.apart.values()))

    def _compare(self, parts: Sequence[Part]) -> None:
        """The state as it is, of these keys, and as it should be; if they differ, of half as many at a time."""
        clock = self.engine.clock
        start = self.kept[self.kept.right_for_these(parts)]
        seen = [event for part in parts for event in self.apart[part].seen if event.time > start.clock]
        right = [event for part in parts for event in self._events(part, start.clock, clock)]
        self.anew += len(seen) + len(right)
        if start.state_after(self.beside, seen, clock) == start.state_after(self.beside, right, clock):
            for part in parts:
                del self.apart[part]
                self.kept.trust(part, clock)
        elif len(parts) == 1:
            self.apart[parts[0]].again = clock + (self._beta or 0) // 2
        else:
            self._compare(parts[: len(parts) // 2])
            self._compare(parts[len(parts) // 2 :])

    def _rebuild(self, place: int) -> None:
        """Give the engine everything since a kept state again, as it is believed now: then it is right for all."""
        start, clock = self.kept[place], self.engine.clock
        self.kept.drop_after(place)
        start.into(self.engine)
        self.since = 0
        events = [event for _, event in self.history.all_between(start.clock, clock)]
        self.anew += len(events)
        self._give(sorted(events, key=lambda e: (e.time, e.id)), FOREVER)
        self.apart.clear()

    def forget(self, before: int) -> list[Occurrence]:
        """Nothing before a time is corrected any more: what ends earlier is final."""
        if before <= self.final:
            return []
        self.final = before
        final = [one for found in self.found.values() for one in found if one.end < before]
        for one in final:
            self.found[self.parting.of_found(one)].discard(one)
        if not self.kept.can_forget(before):
            self._rebuild(0)
        base = self.kept.forget(before)
        self.kept[0].into(self.beside)
        self.types = self.types_of(self.beside.store.ids.to_pylist())
        self.history.forget(base)
        self.found = {part: found for part, found in self.found.items() if found}
        return final
