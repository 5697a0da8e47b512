"""The current versions of events, kept by class and key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ensue.model import Event
from ensue.model.announcements import Announcement, Operation, Outcome, SubscribedClass


@dataclass(frozen=True, slots=True)
class Change:
    """An event before and after: None where it is not there."""

    old: Event | None
    new: Event | None


@dataclass(frozen=True, slots=True)
class Version:
    """What is believed of a key, since when; no event: it was retracted, and older announcements come too late."""

    detected: int
    content: int
    event: Event | None

    @property
    def rank(self) -> tuple[int, bool, int]:
        return self.detected, self.event is None, self.content


class Versions:
    """Takes announcements step by step, and says which events they change."""

    def __init__(self, classes: Mapping[str, SubscribedClass]) -> None:
        self._classes = classes
        self._known: dict[tuple[str, str], Version] = {}
        self.outcomes: Counter[Outcome] = Counter()

    def __len__(self) -> int:
        return len(self._known)

    def take(self, step: int, announcements: Iterable[Announcement]) -> list[Change]:
        """Take everything that counts from this step, in an order of its own."""
        before: dict[tuple[str, str], Version | None] = {}
        ranked = sorted(
            ((self._order(one, content), content, one) for one, content in _hashed(announcements)), key=lambda r: r[0]
        )
        for _, content, one in ranked:
            outcome, version = self._judge(step, one, content)
            self.outcomes[outcome] += 1
            if one.detected != step:
                self.outcomes[Outcome.BACKWARDS] += 1
            if version is not None and one.key is not None:
                key = one.type, one.key
                before.setdefault(key, self._known.get(key))
                self._known[key] = version
        changes = [(old, self._known[key]) for key, old in before.items()]
        return [Change(old.event if old else None, new.event) for old, new in changes if _told(old) != _told(new)]

    def _order(self, one: Announcement, content: int) -> tuple[int, bool, int]:
        known = self._classes.get(one.type)
        return one.detected, one.retracts, content if known is None or known.mutable else -content

    def _judge(self, step: int, one: Announcement, content: int) -> tuple[Outcome, Version | None]:
        """What becomes of an announcement, and the version that it makes, if it counts."""
        of_class = self._classes.get(one.type)
        if of_class is None:
            return Outcome.UNKNOWN_CLASS, None
        if one.key is None:
            return Outcome.WITHOUT_KEY, None
        if one.time is None and not one.retracts:
            return Outcome.WITHOUT_TIME, None
        known = self._known.get((one.type, one.key))
        standing = known.event if known else None
        if not of_class.mutable and (standing or one.retracts):
            return (Outcome.DUPLICATE if standing else Outcome.RETRACTED_UNKNOWN), None
        version = Version(one.detected, content, None if one.retracts else one.event)
        if known and version.rank < known.rank:
            return Outcome.OLDER, None
        if any(_expired(event, of_class.lifespan, step) for event in (version.event, standing)):
            return Outcome.EXPIRED, None
        if one.retracts:
            return (Outcome.RETRACTED if standing else Outcome.RETRACTED_UNKNOWN), version
        if standing and known:
            return (Outcome.REPEATED if content == known.content else Outcome.CHANGED), version
        return (Outcome.CHANGED_UNKNOWN if one.operation is Operation.CHANGE else Outcome.ANNOUNCED), version

    def forget(self, now: int) -> None:
        """Forget the events that can no more be corrected, and the retractions that are older than the lifespan."""
        self._known = {key: version for key, version in self._known.items() if not self._over(key[0], version, now)}

    def _over(self, name: str, version: Version, now: int) -> bool:
        span = self._classes[name].lifespan
        if version.event is not None:
            return _expired(version.event, span, now)
        return span is not None and version.detected + span < now


def _hashed(announcements: Iterable[Announcement]) -> list[tuple[Announcement, int]]:
    return [(one, one.content) for one in announcements]


def _expired(event: Event | None, lifespan: int | None, now: int) -> bool:
    return event is not None and lifespan is not None and event.time + lifespan < now


def _told(version: Version | None) -> int | None:
    return None if version is None or version.event is None else version.content
