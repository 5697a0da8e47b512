"""The intervals that `during` speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ensue.algebra.patterns import CalendarInterval, FixedInterval, Interval
from ensue.model import Occurrence
from ensue.model.occurrences import Bindings
from ensue.reference.world import World


@dataclass(frozen=True, slots=True)
class Span:
    """One interval, and the substitution that comes with it."""

    begin: int
    end: int
    bindings: Bindings = ()


def spans(interval: Interval, inner: Iterable[Occurrence], world: World) -> list[Span]:
    """Each interval meant: the absolute one, each occurrence of the inner pattern, each instance of a calendar.

    Of a calendar, those count that share an instant with the history, from its first event to its last.
    """
    match interval:
        case FixedInterval(start, end):
            found = [Span(start, end)]
        case CalendarInterval(calendar):
            found = [Span(*instance) for instance in calendar.between(*world.span)] if world.span else []
        case _:
            found = [Span(o.begin, o.end, o.bindings) for o in inner]
    return found if world.remembered is None else [span for span in found if span.begin >= world.remembered]
