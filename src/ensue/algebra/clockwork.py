"""Where time alone brings something: when a pattern with `periodic` or a calendar has to be looked at again (D44).

Delays and absences are known ahead, and fall due. Ticks and the instances of calendars have no end, so they are known
only as far as the history goes: someone has to look when there is another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ensue.algebra.contexts import Context
from ensue.algebra.patterns import CalendarInterval, Pattern, Periodic
from ensue.algebra.variables import is_timed, walk


@dataclass(frozen=True, slots=True)
class Clockwork:
    """How far to look ahead, and how often to look at least."""

    period: int
    by_itself: bool
    """Whether every tick is an occurrence, so that each leads to the next one, and none means that nothing ticks."""

    def until(self, now: int) -> int:
        """How far to look ahead. Unless ticks lead to each other, up to a point that does not depend on now."""
        return now + self.period if self.by_itself else (now // self.period + 1) * self.period

    def next_look(self, now: int, ends: Iterable[int]) -> int | None:
        """When to look again, given when occurrences end if the history goes on and nothing more comes."""
        until = self.until(now)
        ahead = [end for end in ends if now < end <= until]
        return min(ahead if self.by_itself else [*ahead, until], default=None)


def clockwork(pattern: Pattern, context: Context) -> Clockwork | None:
    """None: time alone brings nothing that is not known ahead."""
    periods = [part.period for part in walk(pattern) if isinstance(part, Periodic) and not part.collected]
    intervals = [getattr(part, "interval", None) for part in walk(pattern)]
    periods += [one.calendar.period for one in intervals if isinstance(one, CalendarInterval)]
    if not periods:
        return None
    alone = isinstance(pattern, Periodic) and not any(map(is_timed, (pattern.start, pattern.stop)))
    return Clockwork(max(periods), alone and context is not Context.LATEST)
