"""Patterns without a key over a long history: which of them may be looked for in slices of time.

In the contexts that use nothing up, what ends at an instant depends only on events that are no older than β. So a slice
of the history with the events of β before it gives just the occurrences that end in it. That holds for operators whose
occurrences end with an event and that count nothing but single events: where larger things are counted, one of them
that began before the slice would be missing from the count.
"""

from __future__ import annotations

from ensue.algebra import Context, Pattern, walk
from ensue.algebra.bounds import lifespan, longest
from ensue.algebra.patterns import (
    And,
    Aperiodic,
    At,
    Atom,
    Before,
    Inside,
    Or,
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Times,
    Where,
    Within,
    Without,
)

_PLAIN = (Atom, Or, And, Then, ThenBetween, SomeOf, Star, Within, Inside, Before, At, Where, Without)


def overlap(pattern: Pattern, context: Context) -> int | None:
    """How much of the time before a slice has to be looked at with it; None if slices could change the answer."""
    if context.consumes or not all(_local(part) for part in walk(pattern)):
        return None
    return lifespan(pattern).length


def _local(part: Pattern) -> bool:
    if isinstance(part, Times):
        return longest(part.operand) == 0
    return isinstance(part, _PLAIN) or (isinstance(part, Aperiodic) and not part.collected)
