"""The events of one key, from its candidates: what holds when, which of them stands, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from math import isnan
from typing import Any

from ensue.language.queries.formulas import Occurring

Content = tuple[Any, ...]
"""What a row is, apart from when it holds: the parts of its time, then its attributes."""


@dataclass(slots=True)
class Candidate:
    """A row of the SELECT that holds from one step up to another, by its place in the input."""

    index: int
    start: int
    end: int
    content: Content


@dataclass(slots=True)
class Island:
    """Candidates that say the same, without a gap between them: the row came to hold with the first."""

    start: int
    end: int
    content: Content
    members: list[Candidate]
    occurred: int | None = None


@dataclass(slots=True)
class Piece:
    """Steps at which one row stands for a key, and a candidate that gives it, which also holds at the first of them."""

    start: int
    end: int
    occurred: int | None
    attributes: Content
    index: int
    source: int
    """The row of the input whose constituents count."""


def islands(candidates: Sequence[Candidate], times: int, occurring: Occurring) -> list[Island]:
    """The rows with when they came to hold and when they occur; only those that count."""
    found: list[Island] = []
    latest: dict[Content, Island] = {}
    for one in sorted(candidates, key=lambda candidate: (candidate.start, candidate.index)):
        island = latest.get(one.content)
        if island is None or one.start > island.end:
            island = latest[one.content] = Island(one.start, one.end, one.content, [])
            found.append(island)
        island.end = max(island.end, one.end)
        island.members.append(one)
    counting = []
    for island in found:
        island.occurred, counts = occurring.at(island.start, island.content[:times])
        if counts:
            counting.append(island)
    return counting


def pieces(found: Sequence[Island], times: int, events: Callable[[int], Any]) -> list[Piece]:
    """Where several rows hold, the last by time and then by attributes stands; what is missing comes first."""
    in_order = sorted(found, key=lambda one: ordered((one.occurred, *one.content[times:])))
    bounds = sorted({bound for one in found for bound in (one.start, one.end)})
    starting: dict[int, list[int]] = {}
    for rank, one in enumerate(in_order):
        starting.setdefault(one.start, []).append(rank)
    holding: list[int] = []
    result: list[Piece] = []
    for start, end in pairwise(bounds):
        for rank in starting.get(start, ()):
            heappush(holding, -rank)
        while holding and in_order[-holding[0]].end <= start:
            heappop(holding)
        if holding:
            one = in_order[-holding[0]]
            member = _first(one.members, start, events)
            result.append(Piece(start, end, one.occurred, one.content[times:], member.index, member.index))
    return result


def versions(standing: Piece | None, found: Sequence[Piece], first: int | None) -> list[Piece]:
    """Pieces that follow each other and say the same are one. Before the window, only what stood there is known."""
    result = [standing] if standing else []
    for one in found:
        if first is not None:
            if one.end <= first:
                continue
            one.start = max(one.start, first)
        last = result[-1] if result else None
        if last and last.end == one.start and (last.occurred, last.attributes) == (one.occurred, one.attributes):
            last.end = one.end
        else:
            result.append(one)
    return result


class _NotANumber:
    """Equal to itself and larger than all numbers, as in Spark."""

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return other is not self

    def __repr__(self) -> str:
        return "NaN"


_NAN = _NotANumber()


def comparable(value: Any) -> Any:
    """A value that is equal to itself and can be put in order."""
    return _NAN if isinstance(value, float) and isnan(value) else value


def ordered(values: Sequence[Any]) -> list[tuple[bool, Any]]:
    """Values as they are put in order: what is missing before all others."""
    return [(value is not None, value) for value in values]


def _first(members: Sequence[Candidate], start: int, events: Callable[[int], Any]) -> Candidate:
    """Of the candidates that give a row at a step, the one made of the least events."""
    there = [one for one in members if one.start <= start < one.end]
    return there[0] if len(there) == 1 else min(there, key=lambda one: (events(one.index), one.index))
