"""Detection level by level: what is found of a class that is defined by a pattern is fed to the patterns above it.

Patterns over events from outside are on the first level; a pattern over derived classes is one level above the highest
of them. Mostly there is one level, and this is its engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ensue.embedded.batch_arrays import batch_arrays, batch_of
from ensue.embedded.batches import detached
from ensue.embedded.buffer import SortBuffer
from ensue.embedded.derived import Derivation
from ensue.embedded.patterns import Watched, Watchlist
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.engine.events import EventBatch, empty_batch
from ensue.engine.found import Found
from ensue.engine.memory import nothing_to_collect
from ensue.engine.partials import Partial, partials
from ensue.engine.state import pack, unpack

Report: TypeAlias = dict[str, Found]
"""What one step found, by the names of the patterns; a pattern whose turn it was not is not in it."""


class Levels:
    """The engines of all levels. Each takes the events from outside, and those that were derived below it."""

    @nothing_to_collect()
    def __init__(self, watchlist: Watchlist) -> None:
        self.clock = -FOREVER
        self.told: Callable[[str, Sequence[EventBatch]], None] | None = None
        """Who wants to know of derived events, by the names of their classes: engines keep no types."""
        self._levels = [_Level(watchlist, number) for number in range(watchlist.levels)]
        self._attributes = watchlist.attributes

    @property
    def engines(self) -> list[Engine]:
        """The engine of each level, the lowest first."""
        return [level.engine for level in self._levels]

    @property
    def waiting(self) -> int:
        """How many events the engines still need, or have not found out that they do not."""
        return sum(len(engine.store) for engine in self.engines)

    @property
    def held(self) -> list[EventBatch]:
        """The events that wait between levels."""
        return [level.held.held for level in self._levels]

    def open(self) -> Iterator[Partial]:
        """The parts that wait for the rest, each with the names of its patterns as users know them."""
        for level in self._levels:
            for one in partials(level.engine):
                yield replace(one, patterns=tuple(dict.fromkeys(level.names[name] for name in one.patterns)))

    def advance(self, events: EventBatch, clock: int) -> list[Report]:
        """Take the events up to the clock's new time, all of which lie after its old time; say what they complete."""
        reports = self._step(events, clock)
        self.clock = clock
        return reports

    def finish(self) -> list[Report]:
        """The history is over: every interval and delay has passed."""
        return self._step(empty_batch(), FOREVER)

    @nothing_to_collect()
    def _step(self, events: EventBatch, clock: int) -> list[Report]:
        reports: list[Report] = []
        derived: dict[str, list[EventBatch]] = {}
        complete: dict[str, int] = {}
        for level in self._levels:
            gate = min([clock, *(complete[name] for name in level.sources)])
            batches = [events, *(batch for name in level.sources for batch in derived[name])]
            steps = [level.engine.advance(*ready) for ready in level.ready(batches, gate, self.clock)]
            reports += [{item.name: found[_report(item)] for item in level.watched} for found in steps]
            for one in level.derivations:
                name = one.item.name
                found = [step[_derive(one.item)] for step in steps]
                derived[name] = one.events(found, level.engine.frontiers.get(_derive(one.item), -FOREVER))
                complete[name] = one.complete
                if self.told is not None and derived[name]:
                    self.told(name, derived[name])
        return reports

    def save(self) -> bytes:
        """Everything that is needed to go on."""
        types: list[list[str]] = []
        arrays = {}
        for number, level in enumerate(self._levels):
            names, held = batch_arrays(detached(level.held.held, self._attributes), self._attributes)
            types.append(names)
            arrays[f"{number} engine"] = np.frombuffer(level.engine.save(), np.uint8)
            arrays |= {f"{number} {name}": array for name, array in held.items()}
        return pack({"shown": self.clock, "types": types}, arrays)

    def restore(self, data: bytes) -> None:
        """Go on from what `save` gave."""
        header, arrays = unpack(data)
        self.clock = header["shown"]
        for number, level in enumerate(self._levels):
            mine = {name.partition(" ")[2]: array for name, array in arrays.items() if name.startswith(f"{number} ")}
            level.engine.restore(mine["engine"].tobytes())
            level.held.add(batch_of(mine, tuple(header["types"][number]), self._attributes))


class _Level:
    """One engine, and the events that wait because something earlier may still be derived below."""

    def __init__(self, watchlist: Watchlist, number: int) -> None:
        self.watched = [item for item in watchlist.watched if watchlist.level(item.pattern) == number]
        items = [item for item in watchlist.derived if watchlist.level(item.pattern) == number]
        self.derivations = [Derivation(item) for item in items]
        patterns: list[Watched] = [*self.watched, *items]
        self.sources = sorted({name for item in patterns for name in watchlist.derived_in(item.pattern)})
        named = {_report(item): item for item in self.watched} | {_derive(item): item for item in items}
        self.engine = Engine({name: (item.pattern, item.context) for name, item in named.items()}, watchlist.taxonomy)
        self.names = {name: item.name for name, item in named.items()}
        self.held = SortBuffer(0, watchlist.attributes)

    def ready(self, batches: Sequence[EventBatch], gate: int, shown: int) -> Iterator[tuple[EventBatch, int]]:
        """What can be evaluated, and the times that are complete with it.

        In the end a level that lags behind is led to the time that the clock has shown before it takes what lies
        beyond: the history goes on to that time.
        """
        if not self.sources:
            yield batches[0], gate
            return
        for batch in batches:
            self.held.add(batch)
        for time in (shown, gate) if gate >= FOREVER else (gate,):
            if time > self.engine.clock:
                yield self.held.up_to(time), time


def _report(item: Watched) -> str:
    return f"report {item.name}"


def _derive(item: Watched) -> str:
    return f"derive {item.name}"
