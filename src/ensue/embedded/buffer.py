"""The sort buffer: events are released in order of time, once none that came earlier in time can still arrive."""

from __future__ import annotations

import numpy as np

from ensue.embedded.batches import cut, detached, joined
from ensue.engine.arrays import FOREVER, Ints
from ensue.engine.events import EventBatch, empty_batch
from ensue.engine.kernels.order import is_sorted


class SortBuffer:
    """Holds events back until the allowed delay has passed.

    The watermark is the newest time seen less the delay. Everything before the watermark is released; an event that
    comes after its instant was released is late. Simultaneous events are always released together, so with no delay
    those of the newest instant wait for the next one.

    A buffer that is `driven` does not look at the events for the time: `advance_to` says how late it is, with the
    allowed delay already taken off. So many buffers that share the events of one stream can keep one time.
    """

    def __init__(self, delay: int, attributes: frozenset[str], *, driven: bool = False) -> None:
        self.delay = delay
        self.driven = driven
        self.attributes = attributes
        self.newest = -FOREVER
        self.released = -FOREVER
        self._held: list[EventBatch] = []

    @property
    def watermark(self) -> int:
        if self.newest <= -FOREVER:
            return -FOREVER
        return self.newest if self.driven else self.newest - self.delay

    @property
    def held(self) -> EventBatch:
        """What waits, in the order in which it came."""
        if len(self._held) != 1:
            self._held = [joined(self._held, self.attributes) if self._held else empty_batch()]
        return self._held[0]

    def late(self, times: Ints) -> Ints:
        """Of the rows with these times, those that come too late."""
        return np.flatnonzero(times <= self.released)

    def add(self, batch: EventBatch) -> None:
        """Take events, none of which is late."""
        if len(batch):
            if not self.driven:
                self.newest = max(self.newest, int(batch.times.max()))
            self._held.append(batch)

    def advance_to(self, instant: int) -> None:
        """It is now this time, whatever the events say."""
        self.newest = max(self.newest, instant)

    def release(self) -> tuple[EventBatch, int] | None:
        """What lies before the watermark, and the time that is complete with it; None if that is not news."""
        last = self.watermark - 1
        return (self.up_to(last), last) if last > self.released else None

    def drain(self) -> tuple[EventBatch, int] | None:
        """Everything."""
        last = int(self.held.times.max(initial=-FOREVER)) if self.driven else self.newest
        return (self.up_to(last), last) if last > self.released else None

    def up_to(self, last: int) -> EventBatch:
        """What lies up to a time, in order of time; it is complete with this."""
        held = self.held
        if not is_sorted(held.times):
            held = held.take(np.argsort(held.times, kind="stable"))
        place = int(np.searchsorted(held.times, last, side="right"))
        self._held = [detached(cut(held, place, len(held)), self.attributes)]
        self.released = last
        return cut(held, 0, place)
