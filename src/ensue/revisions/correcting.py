"""From announcements to publications, for classes defined by patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ensue.algebra import atoms, walk
from ensue.algebra.bounds import lifespan
from ensue.algebra.classes import PatternClass
from ensue.algebra.patterns import ThenBetween
from ensue.algebra.variables import is_timed
from ensue.model import Event, Taxonomy
from ensue.model.announcements import Announcement, Outcome, SubscribedClass
from ensue.model.notices import ComplexEvent, Notice
from ensue.revisions.detection import Detection
from ensue.revisions.publishing import Publisher
from ensue.revisions.standing import Key, Restated, Standing
from ensue.revisions.timeline import Timeline
from ensue.revisions.versions import Change, Versions
from ensue.time import to_datetime


class Corrections:
    """Takes announcements in batches, and behaves as if it had made each step in turn.

    A step is made at every distinct detection time and at every time at which something known falls due. The newest
    detection time waits for a later one, or for the clock. `delay` is how late events usually come: that much of the
    history is looked at again in each step, and what comes later than that is detected anew from a kept state. It
    changes the cost and never the answer. With `purging`, what can no more be corrected is forgotten.
    """

    def __init__(
        self,
        subscribed: Iterable[SubscribedClass],
        classes: Sequence[PatternClass],
        taxonomy: Taxonomy | None = None,
        *,
        delay: int = 0,
        every: int = 512,
        purging: bool = True,
    ) -> None:
        self._subscribed = {one.name: one for one in subscribed}
        self._timeline = Timeline()
        self._versions = Versions(self._subscribed)
        known = taxonomy or Taxonomy()
        self._derivations: list[_Derivation] = []
        for one in classes:
            self._derivations.append(_Derivation(one, self._derivations, known, delay, every))
        self._publisher = Publisher({one.name: one.publishing for one in classes})
        self._purging = purging
        self._purged_at: int | None = None

    @property
    def outcomes(self) -> Counter[Outcome]:
        """What became of the announcements so far."""
        return self._versions.outcomes

    @property
    def published(self) -> Mapping[Key, ComplexEvent]:
        """What is published and not revoked, by class and key."""
        return self._publisher.published

    @property
    def anew(self) -> int:
        """How many events were given to an engine again because of corrections."""
        return sum(one.detection.anew for one in self._derivations)

    @property
    def size(self) -> int:
        """How many events, versions and complex events are kept."""
        kept = sum(one.detection.size + len(one.standing) for one in self._derivations)
        return kept + len(self._versions)

    def feed(self, announcements: Iterable[Announcement]) -> list[Notice]:
        """Take a batch; gives what is published at the steps that it completes, in order."""
        return [notice for step, taken in self._timeline.add(announcements) for notice in self._take(step, taken)]

    def advance_to(self, time: int) -> list[Notice]:
        """Say that it is now this time: what was announced up to it is complete, and what is due falls due."""
        steps = self._timeline.pass_to(time)
        notices = [notice for step, taken in steps for notice in self._take(step, taken)]
        return notices + self._fall_due(time)

    def _take(self, step: int, announcements: list[Announcement]) -> list[Notice]:
        notices = self._fall_due(step - 1)
        notices += self._step(step, self._versions.take(step, announcements))
        if self._purging:
            self._purge(step)
        return notices

    def _fall_due(self, until: int) -> list[Notice]:
        notices: list[Notice] = []
        while (due := self._publisher.due) is not None and due <= until:
            notices += self._step(due, [])
        return notices

    def _step(self, now: int, changes: list[Change]) -> list[Notice]:
        restated: list[Restated] = []
        below = list[Change]()
        for one in self._derivations:
            found = one.step(now, changes, below)
            restated += found
            below += [Change(_as_event(each.old), _as_event(each.new)) for each in found]
        return self._publisher.step(now, restated)

    def _purge(self, now: int) -> None:
        """An event is corrected no later than its lifespan after it occurred, so nothing earlier changes any more."""
        spans = [one.lifespan for one in self._subscribed.values()]
        longest = max((span for span in spans if span is not None), default=0)
        if None in spans or (self._purged_at is not None and now < self._purged_at + max(longest // 8, 1)):
            return
        self._purged_at = now
        self._versions.forget(now)
        for one in self._derivations:
            if one.reach_below is not None:
                self._publisher.forget(one.forget(now - longest - one.reach_below))


class _Derivation:
    """One class: the detection of its pattern, and which occurrence stands for each key."""

    def __init__(
        self, declared: PatternClass, others: Sequence[_Derivation], taxonomy: Taxonomy, delay: int, every: int
    ) -> None:
        self.name = declared.name
        self.detection = Detection(declared.pattern, declared.context, taxonomy, delay, every)
        self.standing = Standing(declared)
        self._taxonomy = taxonomy
        self._wanted = {atom.type for atom in atoms(declared.pattern)}
        self._everything = is_timed(declared.pattern) or any(
            isinstance(part, ThenBetween) for part in walk(declared.pattern)
        )
        """Whether events of other classes matter too: calendars and `periodic` ask how far the history goes."""
        below = [one.reach for one in others if not self._wanted.isdisjoint(taxonomy.above(one.name))]
        self.reach_below: int | None = (
            None if None in below else max((reach for reach in below if reach is not None), default=0)
        )
        """How long before a correction a derived event may lie that it changes; None: any time."""
        own = lifespan(declared.pattern).length
        self.reach: int | None = None if own is None or self.reach_below is None else own + self.reach_below

    def step(self, now: int, changes: list[Change], below: list[Change]) -> list[Restated]:
        mine = changes if self._everything else [change for change in changes if self._wants(change)]
        mine = mine + [change for change in below if self._wants(change)]
        return self.standing.apply(self.detection.step(now, mine))

    def _wants(self, change: Change) -> bool:
        event = change.new or change.old
        return event is not None and not self._wanted.isdisjoint(self._taxonomy.above(event.type))

    def forget(self, before: int) -> list[Key]:
        return self.standing.forget(self.detection.forget(before))


def _as_event(event: ComplexEvent | None) -> Event | None:
    """A complex event as one that other patterns can look at."""
    if event is None:
        return None
    values = {
        name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in event.attributes
    }
    return Event(event.key, event.type, event.time, values)
