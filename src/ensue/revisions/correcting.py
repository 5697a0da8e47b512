"""From announcements to publications, for classes defined by patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ensue.algebra.classes import PatternClass
from ensue.model import Taxonomy
from ensue.model.announcements import Announcement, Outcome, SubscribedClass
from ensue.model.notices import ComplexEvent, Notice
from ensue.revisions.deriving import Derivation, as_event
from ensue.revisions.publishing import Publisher
from ensue.revisions.standing import Key, Restated
from ensue.revisions.stretches import Step
from ensue.revisions.timeline import Timeline
from ensue.revisions.versions import Change, Versions


class Corrections:
    """Takes announcements in batches, and behaves as if it had made each step in turn.

    A step is made at every distinct detection time, at every time at which something known falls due, and where a
    class is looked at because there may be another tick or instance of a calendar. The newest detection time waits for
    a later one, or for the clock. `delay` is how late events usually come: that much of the history is looked at again
    in each step, and what comes later than that is detected anew from a kept state. It changes the cost and never the
    answer. With `purging`, what can no more be corrected is forgotten.
    """

    def __init__(
        self,
        subscribed: Iterable[SubscribedClass],
        classes: Sequence[PatternClass],
        taxonomy: Taxonomy | None = None,
        *,
        delay: int = 0,
        every: int | None = None,
        purging: bool = True,
    ) -> None:
        self._subscribed = {one.name: one for one in subscribed}
        self._timeline = Timeline()
        self._versions = Versions(self._subscribed)
        known = taxonomy or Taxonomy()
        self._derivations: list[Derivation] = []
        for one in classes:
            self._derivations.append(Derivation(one, self._derivations, known, delay, every))
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

    @property
    def _due(self) -> int | None:
        """When the next step is made if nothing is announced."""
        looks = (one.next_look for one in self._derivations)
        return min((time for time in (self._publisher.due, *looks) if time is not None), default=None)

    def _fall_due(self, until: int) -> list[Notice]:
        """Make the steps at which something is due, or time may bring something. Only timers find anything then."""
        notices: list[Notice] = []
        while (due := self._due) is not None and due <= until:
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
                below[place] += [Change(as_event(each.old), as_event(each.new)) for each in found]
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
