"""The judge for longer histories: the same steps, but versions are kept and not looked up anew; and it can purge.

Everything is still derived anew at each step. Without purging it gives what `oracle.told` gives (a property test).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.corrections.oracle import Deriving, looks_of_program, publishing, subscribed
from tests.corrections.purging import expiring

from ensue.language.program import Program
from ensue.model import Event
from ensue.model.announcements import Announcement, Clock
from ensue.model.notices import Notice
from ensue.reference.publishing import Derived, by_key, compare
from ensue.reference.versions import timeline
from ensue.revisions.versions import Versions


@dataclass
class Replayed:
    """What was published, and how much was kept after each step."""

    notices: list[Notice] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)


def grid(program: Program) -> int | None:
    """How far apart the points are at which what has expired is forgotten: half of the longest lifespan."""
    spans = [one.lifespan for one in program.subscribed_classes if one.lifespan is not None]
    return max(max(spans) // 2, 1) if spans else None


def replay(program: Program, inputs: Sequence[Announcement | Clock], *, purging: bool = False) -> Replayed:
    """Make every step; with `purging`, forget at the first step that is not before a point of the grid."""
    return _Run(program, purging=purging).over(inputs)


class _Run:
    def __init__(self, program: Program, *, purging: bool) -> None:
        self._derive, self._looks = Deriving(program), looks_of_program(program)
        self._versions = Versions({one.name: one for one in subscribed(program)})
        self._publishing = {one.declaration.name: publishing(one) for one in program.derived_classes}
        self._expire = expiring(program, self._derive)
        self._every = grid(program) if purging else None
        self._current: dict[tuple[str, str], Event] = {}
        self._standing: Derived = {}
        self._before: Derived = {}
        self._revisions: Counter[tuple[str, str]] = Counter()

    def over(self, inputs: Sequence[Announcement | Clock]) -> Replayed:
        found = Replayed()
        waiting: dict[int, list[Announcement]] = defaultdict(list)
        for taken in timeline(inputs):
            waiting[taken.step].append(taken.announcement)
        steps = sorted(waiting, reverse=True)
        last = max([*steps, *(one.time for one in inputs if isinstance(one, Clock))], default=0)
        earlier: int | None = None
        t = steps[-1] if steps else last + 1
        while t <= last:
            if self._every is not None and earlier is not None and (point := t // self._every * self._every) > earlier:
                self._purge(point, earlier)
            if steps and steps[-1] == t:
                self._take(t, waiting[steps.pop()])
            known = list(self._current.values())
            now = by_key(self._derive(known, t))
            found.notices += compare(t, self._before, now, self._standing, self._revisions, self._publishing)
            found.sizes.append((t, len(self._current)))
            ahead = [event.time for event in now.values() if event.time > t]
            due = min([*ahead, *self._looks(known, now.values(), t)], default=last + 1)
            self._before, earlier = now, t
            t = min(due, steps[-1]) if steps else due
        return found

    def _take(self, t: int, announcements: Iterable[Announcement]) -> None:
        for change in self._versions.take(t, announcements):
            if change.new is not None:
                self._current[change.new.type, change.new.id] = change.new
            elif change.old is not None:
                del self._current[change.old.type, change.old.id]

    def _purge(self, point: int, earlier: int) -> None:
        """What had expired at a point is gone: neither revoked nor corrected any more."""
        kept = self._expire(list(self._current.values()), self._before.values(), point)
        self._current = {(one.type, one.id): one for one in kept}
        self._versions._known = {
            key: version
            for key, version in self._versions._known.items()
            if key in self._current or (version.event is None and not self._versions._over(key[0], version, point))
        }
        known, self._before = self._before, by_key(self._derive(kept, earlier))
        self._standing = {key: event for key, event in self._standing.items() if key in self._before}
        for key in known.keys() - self._before.keys():  # final; what was revoked may yet come again
            self._revisions.pop(key, None)
