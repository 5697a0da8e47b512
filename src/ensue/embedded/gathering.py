"""What several patterns found, put together: for those who want one table, and not one for each pattern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ensue.embedded.patterns import Watched
from ensue.engine.arrays import Ints
from ensue.engine.engine import Found
from ensue.engine.rows import concat


@dataclass(frozen=True, slots=True)
class Gathered:
    """Occurrences of patterns that have the same variables; `numbers` says of each row which pattern it belongs to."""

    found: Found
    watched: tuple[Watched, ...]
    numbers: Ints

    @classmethod
    def alone(cls, found: Found, watched: Watched) -> Gathered:
        return cls(found, (watched,), np.zeros(len(found.rows), np.int64))


def gathered(listed: Iterable[tuple[Watched, Found]]) -> Iterator[Gathered]:
    """The findings of one step, as few as possible; none of them is empty."""
    alike: dict[tuple[tuple[str, ...], bool], list[tuple[Watched, Found]]] = {}
    for watched, found in listed:
        if len(found.rows):
            alike.setdefault((found.variables, watched.timed), []).append((watched, found))
    yield from map(together, alike.values())


def together(parts: Sequence[tuple[Watched, Found]]) -> Gathered:
    """The findings of patterns that have the same variables and are all timed, or none of them."""
    rows = concat([found.rows for _, found in parts])
    numbers = np.repeat(np.arange(len(parts)), [len(found.rows) for _, found in parts])
    return Gathered(replace(parts[0][1], rows=rows), tuple(watched for watched, _ in parts), numbers)
