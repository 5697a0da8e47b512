"""How far a pattern in context `latest` is complete: what waits for the end of an interval ended before that."""

from __future__ import annotations

from ensue.algebra import Pattern
from ensue.algebra.bounds import longest
from ensue.algebra.patterns import AtLeast, EveryNth, Last, PatternInterval, Rank
from ensue.engine.arrays import FOREVER
from ensue.engine.nodes.intervals import open_since


def complete_to(q: Pattern, clock: int) -> int:
    """The end up to which every occurrence has been found, if all events up to the clock are there."""
    if clock >= FOREVER:
        return FOREVER
    known = min((complete_to(child, clock) for child in q.children()), default=clock)
    if not isinstance(q, (AtLeast, EveryNth, Rank, Last)):
        return known
    if isinstance(q.interval, PatternInterval):
        length = longest(q.interval.pattern)
        return -FOREVER if length is None else min(known, complete_to(q.interval.pattern, clock) - length)
    return min(known, open_since(q.interval, clock) - 1) if isinstance(q, Last) else known
