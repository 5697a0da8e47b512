"""The intervals that `during` speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ensue.algebra.bounds import further_back
from ensue.algebra.patterns import (
    Absence,
    AtLeast,
    AtMost,
    CalendarInterval,
    EveryNth,
    Exactly,
    FixedInterval,
    Last,
    Rank,
)
from ensue.model import Occurrence
from ensue.model.occurrences import Bindings
from ensue.reference.world import World

During: TypeAlias = Absence | AtLeast | AtMost | Exactly | EveryNth | Rank | Last


@dataclass(frozen=True, slots=True)
class Span:
    """One interval, and the substitution that comes with it."""

    begin: int
    end: int
    bindings: Bindings = ()


def spans(q: During, inner: Iterable[Occurrence], world: World) -> list[Span]:
    """Each interval meant: the absolute one, each occurrence of the inner pattern, each instance of a calendar.

    Of a calendar, those count that share an instant with the history, from its first event to its last. Where the past
    is forgotten, an interval counts as long as all events are there of which something inside it can consist.
    """
    match q.interval:
        case FixedInterval(start, end):
            found = [Span(start, end)]
        case CalendarInterval(calendar):
            found = [Span(*instance) for instance in calendar.between(*world.span)] if world.span else []
        case _:
            found = [Span(o.begin, o.end, o.bindings) for o in inner]
    if world.remembered is None:
        return found
    first = world.remembered + (further_back(q.children()[0]) or 0)
    return [span for span in found if span.begin >= first]
