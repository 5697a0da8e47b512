"""States of an engine that are kept to come back to: in this process as they are, and as bytes for another."""

from __future__ import annotations

from ensue.engine.engine import Engine, Snapshot


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

    def save(self, engine: Engine) -> bytes:
        """The state as bytes; an engine that nobody needs at the moment makes them."""
        if self._data is None:
            self.into(engine)
            self._data = engine.save()
        return self._data
