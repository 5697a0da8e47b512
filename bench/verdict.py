"""What we wanted and what was found, and where others are faster: read from what the benchmarks have saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from typing import Any

Results = Mapping[str, Any]
"""What each benchmark has saved, by its name."""

ONE_PROCESS = "Ensue in one process"
GROWTH: dict[str, float] = {"length": 2.0, "window": 2.0, "rules": 5.0}
"""The last point of a sweep takes us, in one process, at most so many times as long as the first."""


FEWEST = 20
"""Of fewer matches nobody can say what 99 of 100 wait."""


@dataclass(frozen=True)
class Aim:
    """A ratio that we want to reach, and what was found in one place."""

    what: str
    where: str
    wanted: float
    found: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.found <= self.wanted if self.at_most else self.found >= self.wanted


@dataclass(frozen=True)
class Loss:
    """A peer that is faster than one of ours, and how many times as fast: infinitely, if ours cannot keep up."""

    where: str
    ours: str
    peer: str
    times: float

    @property
    def said(self) -> str:
        return "ours cannot keep up" if self.times == inf else multiple(self.times)


def multiple(times: float) -> str:
    """With as many digits as say something."""
    return f"{times:.2g} ×" if times < 100 else f"{times:,.0f} ×"


def aims(found: Results) -> Iterator[Aim]:
    """All that was measured of what we want."""
    for case in results(found, "side_by_side"):
        for one in case["targets"]:
            if one["found"] is not None:
                what = f"{one['ours']}, against {' and '.join(one['others'])}"
                yield Aim(what, case["workload"], one["times"], one["found"])
    for case in results(found, "kernel"):
        where = f"{case['workload']} {case['context']}"
        yield Aim("the kernel, against hand-written loops", where, 0.25, 1 / case["ratio"])
    points = results(found, "sweeps")
    for sweep, most in GROWTH.items():
        times = growth(points, sweep)
        if times is not None:
            yield Aim(f"{ONE_PROCESS}, the time of {_ends(points, sweep)}", sweep, most, times, at_most=True)


def growth(points: Sequence[Mapping[str, Any]], sweep: str) -> float | None:
    """How many times as long the last point of a sweep takes us in one process as the first; None if it was not run."""
    mine = [point for point in points if point["sweep"] == sweep]
    ours = [side for point in mine for side in point["sides"] if side["side"] == ONE_PROCESS and side["agrees"]]
    if len(mine) < 2 or len(ours) < len(mine):
        return None
    return float(ours[-1]["seconds"]["median"] / ours[0]["seconds"]["median"])


def losses(found: Results) -> Iterator[Loss]:
    """For each of ours, in each part of each benchmark, the best peer if it is faster."""
    for case in results(found, "side_by_side"):
        yield from _slower(case["workload"], case["sides"])
    for case in results(found, "streaming"):
        yield from _slower(f"{case['workload']} from Kafka to Kafka", case["between_topics"])
        for where, said in (("between_topics", "from Kafka to Kafka"), ("in_process", "inside a program")):
            yield from _later(f"{case['workload']}, latency {said}", case[where])
    for point in results(found, "sweeps"):
        yield from _slower(f"{point['sweep']} {point['value']}", point["sides"])
    for point in results(found, "inside"):
        if point["matches"] >= FEWEST:
            yield from _later(f"{point['sweep']} {point['value']}, latency inside a program", point["sides"])


def beaten(found: Results) -> Iterator[tuple[str, str, str]]:
    """The same by who is beaten by whom: ours, the peer, and where how many times."""
    losing = sorted(losses(found), key=lambda one: (one.ours, one.peer))
    for (ours, peer), some in groupby(losing, lambda one: (one.ours, one.peer)):
        yield ours, peer, "; ".join(f"{one.where}: {one.said}" for one in some)


def peers(sides: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those with which we are compared."""
    return [one for one in sides if one["agrees"] and one["kind"] == "peer"]


def results(found: Results, name: str) -> Sequence[Mapping[str, Any]]:
    """Of a benchmark; nothing if it was not run."""
    saved: Sequence[Mapping[str, Any]] = found[name]["results"] if name in found else ()
    return saved


def _ends(points: Sequence[Mapping[str, Any]], sweep: str) -> str:
    values = [point["value"] for point in points if point["sweep"] == sweep]
    return f"{sweep} {values[-1]} against {values[0]}"


def _slower(where: str, sides: Sequence[dict[str, Any]]) -> Iterator[Loss]:
    best = max(peers(sides), key=lambda one: float(one["events_per_second"]), default=None)
    for one in _ours(sides):
        if best is not None and one["events_per_second"] < best["events_per_second"]:
            yield Loss(where, one["side"], best["side"], best["events_per_second"] / one["events_per_second"])


def _later(where: str, sides: Sequence[dict[str, Any]]) -> Iterator[Loss]:
    """By the p99, at each rate with which a peer keeps up."""
    for place, rate in enumerate(one["rate"] for one in (sides[0]["rates"] if sides else [])):
        waits = {one["side"]: _p99(one["rates"][place]) for one in sides if one["agrees"]}
        best = min((one["side"] for one in peers(sides)), key=waits.__getitem__, default=None)
        for one in _ours(sides):
            if best is not None and waits[best] < waits[one["side"]]:
                yield Loss(f"{where} at {rate:,}/s", one["side"], best, waits[one["side"]] / waits[best])


def _p99(at: Mapping[str, Any]) -> float:
    """Seconds; without end for whoever cannot keep up."""
    return float(at["p99_seconds"]) if at["kept_up"] else inf


def _ours(sides: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in sides if one["agrees"] and one["kind"] == "ours"]
