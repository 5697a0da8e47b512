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
from ensue.revisions.detection import EVERY, Detection, Step
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
        every: int = EVERY,
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
        return self._take(self._timeline.add(announcements))

    def advance_to(self, time: int) -> list[Notice]:
        """Say that it is now this time: what was announced up to it is complete, and what is due falls due."""
        return self._take(self._timeline.pass_to(time)) + self._fall_due(time)

    def _take(self, steps: list[tuple[int, list[Announcement]]]) -> list[Notice]:
        if not steps:
            return []
        changed = [(step, self._versions.take(step, taken)) for step, taken in steps]
        notices: list[Notice] = []
        if any(one.timed for one in self._derivations):
            for step, changes in changed:
                notices += self._fall_due(step - 1)
                notices += self._publisher.step(step, *self._derive([(step, changes)]))
        else:  # what falls due between the steps has no part in what is found
            for (step, _), restated in zip(changed, self._derive(changed), strict=True):
                notices += self._fall_due(step - 1)
                notices += self._publisher.step(step, restated)
        if self._purging:
            self._purge(steps[-1][0])
        return notices

    def _fall_due(self, until: int) -> list[Notice]:
        """Make the steps at which something is due. Only where the pattern has timers can they find anything."""
        notices: list[Notice] = []
        while (due := self._publisher.due) is not None and due <= until:
            timed = any(one.timed for one in self._derivations)
            notices += self._publisher.step(due, self._derive([(due, [])])[0] if timed else [])
        return notices

    def _derive(self, steps: list[Step]) -> list[list[Restated]]:
        """For each step, the complex events that are others than before, class by class."""
        restated: list[list[Restated]] = [[] for _ in steps]
        below: list[list[Change]] = [[] for _ in steps]
        for one in self._derivations:
            for place, found in enumerate(one.steps(steps, below)):
                restated[place] += found
                below[place] += [Change(_as_event(each.old), _as_event(each.new)) for each in found]
        return restated

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
        self.timed = is_timed(declared.pattern)
        self._everything = self.timed or any(isinstance(part, ThenBetween) for part in walk(declared.pattern))
        """Whether events of other classes matter too: calendars and `periodic` ask how far the history goes."""
        below = [one.reach for one in others if not self._wanted.isdisjoint(taxonomy.above(one.name))]
        self.reach_below: int | None = (
            None if None in below else max((reach for reach in below if reach is not None), default=0)
        )
        """How long before a correction a derived event may lie that it changes; None: any time."""
        own = lifespan(declared.pattern).length
        self.reach: int | None = None if own is None or self.reach_below is None else own + self.reach_below

    def steps(self, steps: list[Step], below: list[list[Change]]) -> list[list[Restated]]:
        """For each step, what stands for a key now that did not before."""
        mine = [
            (now, [*self._outside(changes), *filter(self._wants, derived)])
            for (now, changes), derived in zip(steps, below, strict=True)
        ]
        return [self.standing.apply(difference) for difference in self.detection.steps(mine)]

    def _outside(self, changes: list[Change]) -> Iterable[Change]:
        return changes if self._everything else filter(self._wants, changes)

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
