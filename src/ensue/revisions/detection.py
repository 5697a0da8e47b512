"""Detection of one pattern in events that may be corrected.

The *settled* part of the history, up to a clock, has gone through the engine once, in order. From time to time the
engine's state is kept: a checkpoint. A correction in the settled part goes back to the last checkpoint before it and
detects anew from there, until the state is again that of an old checkpoint: from that point on nothing can differ, and
what was found there stands. That is right in every context, also where one correction shifts every later pairing.

What lies after the clock (it may still come late, or is announced ahead), and what the end of the history makes known,
is looked for from the settled state each time that it may have changed, and forgotten again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ensue.algebra import Context, Pattern
from ensue.algebra.clockwork import clockwork
from ensue.algebra.variables import is_timed
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.model import Event, Occurrence, Taxonomy
from ensue.revisions.history import History
from ensue.revisions.stretches import Difference, Step, advance
from ensue.revisions.versions import Change

EVERY = 128
"""How many events lie between two kept states: fewer cost more in order, more cost more at each correction."""


@dataclass(slots=True)
class Checkpoint:
    """The state at a clock, and what was found from there up to the next checkpoint."""

    clock: int
    state: bytes
    events: int = 0
    found: list[Occurrence] = field(default_factory=list)


class Detection:
    """Events that may come `delay` late are not settled before that, so that they are no corrections."""

    def __init__(
        self,
        pattern: Pattern,
        context: Context,
        taxonomy: Taxonomy | None = None,
        delay: int = 0,
        every: int = EVERY,
    ) -> None:
        self.engine = Engine({"q": (pattern, context)}, taxonomy)
        self._timed = is_timed(pattern)
        self._clockwork = clockwork(pattern, context)
        self._delay = delay
        self._every = every
        self.history = History()
        self.checkpoints = [Checkpoint(-FOREVER, self.engine.save_normalized())]
        self.ahead: frozenset[Occurrence] = frozenset()
        self.next_look: int | None = None
        """When time alone may bring something that is not known ahead."""
        self.types: dict[str, str] = {}
        """The classes of events that are not kept any more, and are still part of what is carried."""
        self.final = -FOREVER
        self.anew = 0
        """How many events have been given to the engine again because of corrections."""

    @property
    def size(self) -> int:
        """How many events are kept."""
        return len(self.history)

    def steps(self, steps: Sequence[Step]) -> list[Difference]:
        """The same as each step in turn; runs of steps in which everything comes in order go to the engine at once."""
        found: list[Difference] = []
        while len(found) < len(steps):
            run = self._in_order(steps[len(found) :])
            found += self._run(run) if len(run) > 1 else [self.step(*steps[len(found)])]
        return found

    def _in_order(self, steps: Sequence[Step]) -> Sequence[Step]:
        """The first steps, as long as they bring new events only, each later than all before and none ahead."""
        clock = self.engine.clock
        if self._timed or self._delay or self.ahead or self.history.last > clock:
            return ()
        events = 0
        for count, (now, changes) in enumerate(steps):
            times = [change.new.time for change in changes if change.old is None and change.new is not None]
            late = times and min(times) <= clock
            if len(times) < len(changes) or late or max(times, default=now) > now or events >= self._every:
                return steps[:count]
            clock, events = max(times, default=clock), events + len(times)
        return steps

    def _run(self, run: Sequence[Step]) -> list[Difference]:
        """What ends no later than a step's newest event, and later than those of the steps before, is found there."""
        clock, clocks = self.engine.clock, []
        for _, changes in run:
            clock = max([clock, *(event.time for change in changes for event in _record(self.history, change))])
            clocks.append(clock)
        found: list[set[Occurrence]] = [set() for _ in run]
        for occurrence in self._settle(clock):
            found[bisect_left(clocks, occurrence.end)].add(occurrence)
        return [Difference(frozenset(), frozenset(new)) for new in found]

    def step(self, now: int, changes: Iterable[Change]) -> Difference:
        """Take the changes that became known at a time; says what differs from before."""
        changed = [event for change in changes for event in _record(self.history, change)]
        gone, new = set[Occurrence](), set[Occurrence]()
        first = min((event.time for event in changed), default=None)
        if first is not None and first <= self.engine.clock:
            old, found = self._detect_anew(first, {event.time for event in changed})
            gone |= old
            new |= found
        new.update(self._settle(now - self._delay))
        if changed or self._timed or self.ahead:
            ahead = self._look_ahead(now)
            gone |= self.ahead
            new |= ahead
            self.ahead = ahead
        if self._clockwork is not None:
            later = self._look_ahead(self._clockwork.until(now))
            self.next_look = self._clockwork.next_look(now, (occurrence.end for occurrence in later))
        return Difference(frozenset(gone - new), frozenset(new - gone))

    def _settle(self, clock: int) -> list[Occurrence]:
        """Give the engine the events up to a clock."""
        if clock <= self.engine.clock:
            return []
        events = self.history.between(self.engine.clock, clock)
        if not self._timed:
            if not events:
                return []
            clock = events[-1].time  # what comes late, but after that, is no correction yet
        if self.checkpoints[-1].events >= self._every:
            self.checkpoints.append(Checkpoint(self.engine.clock, self.engine.save_normalized()))
        found = advance(self.engine, events, clock)
        self.checkpoints[-1].events += len(events)
        self.checkpoints[-1].found += found
        return found

    def _detect_anew(self, first: int, times: set[int]) -> tuple[set[Occurrence], set[Occurrence]]:
        """Go back to the last checkpoint before the first correction; on until the state is an old one again."""
        clock, latest = self.engine.clock, self.engine.snapshot()
        settled = max(time for time in times if time <= clock)
        place = max((i for i, one in enumerate(self.checkpoints) if one.clock < first), default=0)
        old, self.checkpoints = self.checkpoints[place:], self.checkpoints[:place]
        self.engine.restore(old[0].state)
        gone, new = set[Occurrence](), set[Occurrence]()
        for i, one in enumerate(old):
            state = self.engine.save_normalized() if i else one.state
            if i and one.clock >= settled and state == one.state:
                self.checkpoints += old[i:]
                self.engine.roll_back(latest)
                break
            until = old[i + 1].clock if i + 1 < len(old) else clock
            events = self.history.between(one.clock, until)
            found = advance(self.engine, events, until)
            self.anew += len(events)
            gone.update(one.found)
            new.update(found)
            self.checkpoints.append(Checkpoint(one.clock, state, len(events), found))
        return gone, new

    def forget(self, before: int) -> list[Occurrence]:
        """Nothing before a time is corrected any more: what ends earlier is final.

        With timers, what ends may become known later than that: then it is what was found before a kept state.
        """
        place = max((i for i, one in enumerate(self.checkpoints) if one.clock < before), default=0)
        if self._timed:
            final = [occurrence for one in self.checkpoints[:place] for occurrence in one.found]
        else:
            every = (occurrence for one in self.checkpoints for occurrence in one.found)
            final = [occurrence for occurrence in every if self.final <= occurrence.end < before]
            self.final = max(before, self.final)
        del self.checkpoints[:place]
        self.types = self.types_of(self._carried())
        self.history.forget(self.checkpoints[0].clock)
        return final

    def _carried(self) -> list[str]:
        """The events that the first kept state refers to."""
        latest = self.engine.snapshot()
        self.engine.restore(self.checkpoints[0].state)
        carried = self.engine.store.ids.to_pylist()
        self.engine.roll_back(latest)
        return carried

    def events(self) -> list[Event]:
        """The events that are kept."""
        return self.history.between(-FOREVER, None)

    def types_of(self, names: Iterable[str]) -> dict[str, str]:
        """The classes of events that something found consists of, by id."""
        known = self.types | {event.id: event.type for event in self.events()}
        return {name: known[name] for name in names if name in known}

    def current(self) -> list[Occurrence]:
        """What is found and not final."""
        every = [*self.ahead, *(each for one in self.checkpoints for each in one.found)]
        return [one for one in dict.fromkeys(every) if one.end >= self.final]

    def _look_ahead(self, now: int) -> frozenset[Occurrence]:
        """What follows beyond the settled part, if the history goes on to now and nothing more comes."""
        engine, settled = self.engine, self.engine.snapshot()
        events = self.history.between(engine.clock, None)
        if not events and not self._timed:
            return frozenset()
        last = max(now, engine.clock, events[-1].time if events else now)
        found = advance(engine, events, last) if last > engine.clock else []
        found += engine.finish()["q"].occurrences()
        engine.roll_back(settled)
        return frozenset(found)


def _record(history: History, change: Change) -> list[Event]:
    """Bring a change into the history; gives the events at whose times something differs now."""
    if change.old is not None:
        history.remove(change.old)
    if change.new is not None:
        history.add(change.new)
    return [event for event in (change.old, change.new) if event is not None]
