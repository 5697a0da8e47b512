"""What several patterns found, put together: for those who want one table, and not one for each pattern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ensue.embedded.patterns import Watched
from ensue.engine.arrays import Ints
from ensue.engine.found import Found
from ensue.engine.rows import Rows, concat


@dataclass(frozen=True, slots=True)
class Gathered:
    """Occurrences of patterns that have the same variables; `numbers` says of each row which pattern it belongs to."""

    found: Found
    watched: tuple[Watched, ...]
    numbers: Ints

    @classmethod
    def alone(cls, found: Found, watched: Watched) -> Gathered:
        return cls(found, (watched,), np.zeros(len(found), np.int64))


def gathered(listed: Iterable[tuple[Watched, Found]]) -> Iterator[Gathered]:
    """The findings of one step, as few as possible; none of them is empty."""
    alike: dict[tuple[tuple[str, ...], bool], list[tuple[Watched, Found]]] = {}
    for watched, found in listed:
        if len(found):
            alike.setdefault((found.variables, watched.timed), []).append((watched, found))
    yield from map(together, alike.values())


def together(parts: Sequence[tuple[Watched, Found]]) -> Gathered:
    """The findings of patterns that have the same variables and are all timed, or none of them."""
    listed = [found for _, found in parts]
    numbers = np.repeat(np.arange(len(parts)), list(map(len, listed)))
    return Gathered(listed[0].with_rows(_joined(listed)), tuple(watched for watched, _ in parts), numbers)


def _joined(parts: Sequence[Found]) -> Rows:
    """The rows of all parts, one after another; neighbours are not cut apart for that."""
    whole, bounds = parts[0].whole, [part.bounds for part in parts if part.bounds is not None]
    in_one = len(bounds) == len(parts) and all(part.whole is whole for part in parts)
    if in_one and all(one[1] == next_one[0] for one, next_one in pairwise(bounds)):
        return whole.between(bounds[0][0], bounds[-1][1])
    return concat([part.rows for part in parts])
