"""What was measured of a side of the streaming benchmark, and what it comes to."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, field

import numpy as np

from bench import measuring
from bench.data import Integers, Reals
from bench.streams.sides import StreamSide
from bench.streams.topics import Published
from bench.streams.watching import Watched

PATIENCE = 5.0
"""Seconds after the last event by which a side that keeps up has published everything."""


INSIDE = 0.5
"""Seconds that an engine inside a program is behind at most, in 99 of 100 cases, if it keeps up."""


def waits(put: Integers, published: Published, first: int) -> Reals:
    """Seconds from the last event of each occurrence to its publication, of those that end at `first` or behind it.

    They are in the order of those events.
    """
    last = published.places[:, -1]
    order = np.argsort(last, kind="stable")
    chosen = order[last[order] >= first]
    found: Reals = (published.times[chosen] - put[last[chosen]]) / 1000
    return found


def falls_behind(found: Reals) -> bool:
    """Whether waits become longer and longer: those at the end are much longer than those at the beginning."""
    quarters = np.array_split(found, 4)
    return len(found) >= 4 and float(np.median(quarters[-1])) > 2 * float(np.median(quarters[0])) + 0.5


@dataclass(frozen=True)
class Paced:
    """One run at a fixed rate; seconds."""

    p50: float
    p99: float
    kept_up: bool
    processor: float = 0.0
    memory: int = 0
    state: int = 0

    @classmethod
    def of(cls, found: Reals, taken: Watched, *, kept_up: bool) -> Paced:
        middle, high = np.quantile(found, [0.5, 0.99]) if len(found) else (0.0, 0.0)
        return cls(float(middle), float(high), kept_up, taken.processor, taken.memory, taken.state)


@dataclass
class AtRate:
    rate: int
    runs: list[Paced] = field(default_factory=list)

    @property
    def kept_up(self) -> bool:
        """In most of the runs: one may have been disturbed."""
        return self.missed <= len(self.runs) // 2

    @property
    def missed(self) -> int:
        """In how many runs it could not keep up."""
        return sum(not one.kept_up for one in self.runs)

    @property
    def p50(self) -> float:
        return statistics.median(one.p50 for one in self.runs)

    @property
    def p99(self) -> float:
        return statistics.median(one.p99 for one in self.runs)

    def summary(self) -> dict[str, object]:
        return {
            "rate": self.rate,
            "kept_up": self.kept_up,
            "missed": self.missed,
            "p50_seconds": self.p50,
            "p99_seconds": self.p99,
            "runs": [asdict(one) for one in self.runs],
        }


@dataclass
class Taken:
    """A side that has ever published something else than the hand-written loop finds does not count."""

    side: StreamSide
    events: int = 0
    agrees: bool = True
    starts: list[float] = field(default_factory=list)
    """Seconds from the start of a fresh process to the first occurrence that it has published."""
    warming: list[float] = field(default_factory=list)
    """Seconds of the first drains, in which the process gets warm; not among the drains."""
    drains: measuring.Sample = field(default_factory=measuring.Sample)
    memory: int = 0
    state: int = 0
    rates: list[AtRate] = field(default_factory=list)

    @property
    def events_per_second(self) -> float:
        return self.events / self.drains.median

    @property
    def start(self) -> float:
        return statistics.median(self.starts)

    @property
    def name(self) -> str:
        return self.side.name if self.agrees else f"{self.side.name} (finds something else: does not count)"

    @property
    def counts(self) -> bool:
        """Whether others are compared with it."""
        return self.agrees and self.side.kind == "peer"

    def summary(self) -> dict[str, object]:
        return {
            "side": self.side.name,
            "kind": self.side.kind,
            "agrees": self.agrees,
            **(self._drained() if self.drains.runs else {}),
            "rates": [one.summary() for one in self.rates],
        }

    def _drained(self) -> dict[str, object]:
        return {
            "events": self.events,
            "events_per_second": self.events_per_second,
            **({"start_seconds": self.start, "starts": self.starts} if self.starts else {}),
            "warming_seconds": self.warming,
            "seconds": self.drains.summary(),
            "bytes": self.memory,
            "state_bytes": self.state,
        }
