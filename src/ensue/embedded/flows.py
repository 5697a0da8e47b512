"""How events reach the engine: held back and in order, or each as it comes."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ensue.embedded.batches import cut, detached, joined
from ensue.embedded.buffer import SortBuffer
from ensue.embedded.identities import ids_of
from ensue.embedded.levels import Levels, Report
from ensue.embedded.patterns import Watchlist
from ensue.engine.arrays import FOREVER, Ints
from ensue.engine.engine import Engine, Snapshot
from ensue.engine.events import EventBatch, empty_batch
from ensue.engine.found import Found


class Flow(Protocol):
    """The way of events to what evaluates them."""

    def late(self, times: Ints) -> Ints:
        """Of the rows with these times, those that come too late."""

    def add(self, batch: EventBatch) -> None:
        """Take events, none of which is late."""

    def release(self) -> list[Report]:
        """Evaluate what can be evaluated now."""

    def advance_to(self, instant: int) -> list[Report]:
        """Evaluate as if an event without meaning had come at the instant."""

    def finish(self) -> list[Report]:
        """Evaluate everything: nothing more will come."""


class Ordered:
    """Events in order of time, behind a sort buffer."""

    def __init__(self, levels: Levels, delay: int, attributes: frozenset[str], *, driven: bool = False) -> None:
        self.levels = levels
        self.buffer = SortBuffer(delay, attributes, driven=driven)

    def late(self, times: Ints) -> Ints:
        return self.buffer.late(times)

    def add(self, batch: EventBatch) -> None:
        self.buffer.add(batch)

    def release(self) -> list[Report]:
        ready = self.buffer.release()
        return self.levels.advance(*ready) if ready else []

    def advance_to(self, instant: int) -> list[Report]:
        self.buffer.advance_to(instant)
        return self.release()

    def finish(self) -> list[Report]:
        ready = self.buffer.drain()
        reports = self.levels.advance(*ready) if ready else []
        return reports + self.levels.finish()


class Immediate:
    """Each event as it comes, in order of time.

    The events of the newest instant may still grow in number. Each time they do, the instant is evaluated again from
    the state before it, and only what was not reported for it yet is reported.
    """

    def __init__(self, engine: Engine, watchlist: Watchlist) -> None:
        self.engine = engine
        self.instant = -FOREVER
        self.before: Snapshot | None = None
        self.events = empty_batch()
        self.reported: set[str] = set()
        self._watched = {item.name: item for item in watchlist.watched}
        self._attributes = watchlist.attributes
        self._waiting: list[EventBatch] = []

    def late(self, times: Ints) -> Ints:
        return np.flatnonzero(times < self.instant)

    def add(self, batch: EventBatch) -> None:
        if len(batch):
            self._waiting.append(batch)

    def release(self) -> list[Report]:
        if not self._waiting:
            return []
        batch = joined(self._waiting, self._attributes)
        self._waiting = []
        batch = batch.take(np.argsort(batch.times, kind="stable"))
        newest = int(batch.times[-1])
        same, last = (int(place) for place in np.searchsorted(batch.times, [self.instant + 1, newest]))
        reports = []
        if same:
            reports.append(self._evaluate_again(cut(batch, 0, same)))
        if last > same:
            reports.append(self.engine.advance(cut(batch, same, last), int(batch.times[last - 1])))
        if newest > self.instant:
            reports.append(self._begin(newest, cut(batch, last, len(batch))))
        return reports

    def advance_to(self, instant: int) -> list[Report]:
        if instant <= self.instant:
            return []
        self.instant, self.before, self.events = instant, None, empty_batch()
        self.reported = set()
        return [self.engine.advance(empty_batch(), instant - 1)] if instant - 1 > self.engine.clock else []

    def finish(self) -> list[Report]:
        return [self.engine.finish()]

    def saved_before(self) -> bytes:
        """The state of the engine before the newest instant, whose events are saved beside it."""
        if self.before is None:
            return self.engine.save()
        now = self.engine.snapshot()
        self.engine.roll_back(self.before)
        saved = self.engine.save()
        self.engine.roll_back(now)
        return saved

    def resume(self) -> None:
        """After a restart: the engine is as it was before the newest instant."""
        if len(self.events):
            self.before = self.engine.snapshot()
            self.engine.advance(self.events, self.instant)

    def _begin(self, instant: int, events: EventBatch) -> Report:
        self.instant, self.before, self.reported = instant, self.engine.snapshot(), set()
        self.events = detached(events, self._attributes)
        return self._new(self.engine.advance(events, instant))

    def _evaluate_again(self, more: EventBatch) -> Report:
        self.events = detached(joined([self.events, more], self._attributes), self._attributes)
        if self.before is None:
            self.before = self.engine.snapshot()
        else:
            self.engine.roll_back(self.before)
        return self._new(self.engine.advance(self.events, self.instant))

    def _new(self, report: Report) -> Report:
        """What was not reported for this instant before."""
        return {name: self._unreported(name, found) for name, found in report.items()}

    def _unreported(self, name: str, found: Found) -> Found:
        if not len(found):
            return found
        ids = ids_of(found, self._watched[name]).to_pylist()
        rows = np.array([row for row, key in enumerate(ids) if f"{name}\n{key}" not in self.reported], np.int64)
        self.reported.update(f"{name}\n{key}" for key in ids)
        return found if len(rows) == len(ids) else found.with_rows(found.rows.take(rows))
