"""States of an engine that are kept to come back to: in this process as they are, and as bytes for another."""

from __future__ import annotations

from collections.abc import Sequence

from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine, Snapshot
from ensue.model import Event
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
