"""Our side of every comparison: the only place in `bench` that calls the engine's public API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ensue
from ensue.algebra import Pattern

if TYPE_CHECKING:
    import pyarrow as pa

Detector: Any = getattr(ensue, "Detector", None)
"""None until the engine is there; the scripts then say so instead of making numbers up."""


def detect(pattern: Pattern, context: str, tables: Iterable[pa.Table]) -> int:
    """Takes the tables through a detector, one after another, to the end; returns how many occurrences it reports."""
    detector = Detector(pattern, context=context)
    return sum(len(detector.feed(table)) for table in tables) + len(detector.finish())


def immediate(patterns: Sequence[Pattern], context: str) -> Callable[[Mapping[str, object]], int]:
    """A function that takes one event as it comes, for all the patterns, and says how many occurrences that led to."""
    detector = Detector(patterns, context=context, immediate=True)
    return lambda event: sum(map(len, detector.feed(event).values()))
