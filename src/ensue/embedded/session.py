"""Detection from incoming events to reports: what a detector, the files and the command line have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ensue.embedded.batches import detached
from ensue.embedded.event_by_event import EventByEvent, knows
from ensue.embedded.flows import Flow, Immediate, Ordered
from ensue.embedded.incoming import Incoming, Names, Places, Policy, Positions, Problem
from ensue.embedded.kinds import Kinds
from ensue.embedded.levels import Levels, Report
from ensue.embedded.patterns import Watchlist, check_derived
from ensue.embedded.plain_events import PlainEvents, batch_of_one
from ensue.embedded.reading import Reading, read
from ensue.embedded.records import Records
from ensue.embedded.seen import SeenIds
from ensue.engine.arrays import no_ints
from ensue.engine.engine import Engine
from ensue.time import format_instant


class Session:
    """The state of one detection: the patterns, the engine, what is held back, and what has been seen."""

    def __init__(
        self,
        watchlist: Watchlist,
        names: Names,
        delay: int = 0,
        *,
        immediate: bool = False,
        whole: bool = False,
        columnar: bool = False,
        driven: bool = False,
    ) -> None:
        """If the history is `whole`, every id is remembered; of a stream, those of events that can still matter.

        A `driven` session is told the time by `advance_to` alone; the delay then only says how long ids are remembered.

        In immediate mode events go one by one where the patterns allow that, unless everything is to be `columnar`.
        """
        check_derived(watchlist, immediate=immediate, whole=whole)
        self.watchlist = watchlist
        self.names = names
        self.delay = delay
        self.immediate = immediate
        self.driven = driven
        self.kinds = Kinds()
        self.position = 0
        self._attributes, self._bound = watchlist.attributes, watchlist.bound_attributes
        self.plain_events = PlainEvents(names, self._attributes)
        reach = watchlist.lifespan
        self.seen = SeenIds(
            reach=None if whole or reach is None else reach + delay,
            most=None if whole or reach is not None else SeenIds.MOST,
            told=driven,
        )
        self.flow: Flow = self._flow(columnar)

    def _flow(self, columnar: bool) -> Flow:
        watchlist = self.watchlist
        if self.immediate and not columnar and knows(watchlist):
            return EventByEvent(watchlist)
        if self.immediate:
            patterns = {item.name: (item.pattern, item.context) for item in watchlist.watched}
            return Immediate(Engine(patterns, watchlist.taxonomy), watchlist)
        return Ordered(Levels(watchlist), self.delay, self._attributes, driven=self.driven)

    @property
    def ordered(self) -> Ordered:
        """The flow of a session that is not immediate."""
        if not isinstance(self.flow, Ordered):
            raise TypeError("an immediate session has no buffer")
        return self.flow

    def add(self, events: Incoming, policy: Policy, places: Places | None = None, *, detach: bool = False) -> None:
        """Take events in, without evaluating them. If the policy refuses, nothing has changed."""
        first, where = self.position, places or Positions(self.position)
        reading = self._without_derived(self._read(events))
        if reading.problems:
            policy.bad(reading.problems, events, where)
        reading, late = self._without_late(reading)
        try:
            reading, again = self._without_duplicates(reading, where, first, len(events))
            if again:
                policy.bad(again, events, where)
            if late:
                policy.late(late, events, where)
            for name in self._attributes:
                reading.batch.column(name)  # what cannot be read is refused now, not when half of it was evaluated
        except BaseException:
            self.seen.forget_from(first)
            raise
        self.position += len(events)
        self.kinds.note(reading.batch, self._bound)
        for item in self.watchlist.derived:
            self.kinds.note_derived(item.pattern, item.attributes)
        self.flow.add(detached(reading.batch, self._attributes) if detach else reading.batch)

    def pass_over(self, count: int) -> None:
        """Count events among the positions that no pattern wants and that were not taken in."""
        self.position += count

    def _read(self, events: Incoming) -> Reading:
        if len(events) == 1 and isinstance(events, Records):
            row = events.rows[0]
            event = self.plain_events.read(row, self.position)
            if event is not None:
                return batch_of_one(event, has_id=self.plain_events.has_id(row))
        return read(events, self.names, self.position)

    def release(self) -> list[Report]:
        return self.flow.release()

    def advance_to(self, instant: int) -> list[Report]:
        if self.driven:
            self.seen.advance_to(instant)
        return self.flow.advance_to(instant)

    def finish(self) -> list[Report]:
        return self.flow.finish()

    def _without_derived(self, reading: Reading) -> Reading:
        """Events of a class that is defined by a pattern are derived, and not given."""
        given = reading.batch.of_types(frozenset(item.name for item in self.watchlist.derived))
        if not len(given):
            return reading
        problems = [
            Problem(
                int(reading.rows[row]),
                "E408",
                f"the program derives the events of {reading.batch.type_names[reading.batch.types[row]]} by a pattern",
                "leave such events out, or declare the class as SUBSCRIBED",
            )
            for row in given.tolist()
        ]
        return replace(_left(reading, given), problems=[*reading.problems, *problems])

    def _without_late(self, reading: Reading) -> tuple[Reading, list[Problem]]:
        late = self.flow.late(reading.batch.times)
        if not len(late):
            return reading, []
        problems = [
            Problem(
                int(reading.rows[row]),
                "E407",
                f"the event comes too late: its time, {format_instant(int(reading.batch.times[row]))}, is over",
                "allow a longer delay, or give the events in order of time",
            )
            for row in late.tolist()
        ]
        return _left(reading, late), problems

    def _without_duplicates(
        self, reading: Reading, places: Places, first: int, count: int
    ) -> tuple[Reading, list[Problem]]:
        if not reading.ids_given and self.seen.made_from_positions(first, count):
            return reading, []
        positions = first + reading.rows if first else reading.rows
        earlier = self.seen.add(reading.batch.ids, positions, reading.batch.times)
        again = np.flatnonzero(earlier >= 0) if earlier.max(initial=-1) >= 0 else no_ints()
        if not len(again):
            return reading, []
        names = reading.batch.ids.take(again).to_pylist()
        problems = [
            Problem(
                int(reading.rows[row]),
                "E404",
                f"the id {name!r} was already given to {places.phrase(int(earlier[row]) - first)}",
                "every event needs an id of its own; leave the ids out to have them made from the positions",
            )
            for row, name in zip(again.tolist(), names, strict=True)
        ]
        return _left(reading, again), problems


def _left(reading: Reading, without: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Reading:
    kept = np.delete(np.arange(len(reading.rows)), without)
    return replace(reading, batch=reading.batch.take(kept), rows=reading.rows[kept])
