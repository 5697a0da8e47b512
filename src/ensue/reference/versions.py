"""Versions of events, by the definition: which announcements are taken, and what is believed after them (§5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ensue.model import Event
from ensue.model.announcements import Announcement, Clock, Operation, Outcome, SubscribedClass


@dataclass(frozen=True, slots=True)
class Taken:
    """An announcement and the step from which it counts."""

    step: int
    announcement: Announcement


def timeline(inputs: Iterable[Announcement | Clock]) -> list[Taken]:
    """Each announcement counts from its detection time; if time went backwards, from the newest that had come.

    After the clock has been read, that time is over: the next step is one microsecond later at the earliest.
    """
    now, found = None, []
    for one in inputs:
        match one:
            case Clock(time):
                now = time + 1 if now is None else max(now, time + 1)
            case Announcement():
                now = one.detected if now is None else max(now, one.detected)
                found.append(Taken(now, one))
    return found


def admit(classes: Mapping[str, SubscribedClass], announced: Iterable[Taken]) -> tuple[list[Taken], Counter[Outcome]]:
    """The announcements that count, in the order of their steps, and what became of each."""
    admitted: list[Taken] = []
    counts: Counter[Outcome] = Counter()
    for one in sorted(announced, key=lambda taken: _order(classes, taken)):
        outcome, counting = _outcome(classes, admitted, one)
        counts[outcome] += 1
        if one.step != one.announcement.detected:
            counts[Outcome.BACKWARDS] += 1
        if counting:
            admitted.append(one)
    return admitted, counts


def _order(classes: Mapping[str, SubscribedClass], taken: Taken) -> tuple[int, int, bool, int]:
    """Within a step by detection time; a tie goes to the retraction, then to the larger content hash.

    The last one wins in a mutable class and the first in an immutable one, so there the order of hashes is reversed.
    """
    one = taken.announcement
    known = classes.get(one.type)
    content = one.content if known is None or known.mutable else -one.content
    return taken.step, one.detected, one.retracts, content


def _outcome(classes: Mapping[str, SubscribedClass], admitted: Sequence[Taken], taken: Taken) -> tuple[Outcome, bool]:
    """What becomes of an announcement, after those before it, and whether it counts."""
    one = taken.announcement
    if one.type not in classes:
        return Outcome.UNKNOWN_CLASS, False
    if one.key is None:
        return Outcome.WITHOUT_KEY, False
    if one.time is None and not one.retracts:
        return Outcome.WITHOUT_TIME, False
    of_class = classes[one.type]
    newest = _newest(
        [t.announcement for t in admitted if (t.announcement.type, t.announcement.key) == (one.type, one.key)]
    )
    standing = None if newest is None or newest.retracts else newest
    if not of_class.mutable and standing:
        return Outcome.DUPLICATE, False
    if not of_class.mutable and one.retracts:
        return Outcome.RETRACTED_UNKNOWN, False
    if newest and _rank(one) < _rank(newest):
        return Outcome.OLDER, False
    times = [version.time for version in (one, standing) if version is not None and not version.retracts]
    if of_class.lifespan is not None and any(
        time is not None and time + of_class.lifespan < taken.step for time in times
    ):
        return Outcome.EXPIRED, False
    if one.retracts:
        return (Outcome.RETRACTED if standing else Outcome.RETRACTED_UNKNOWN), True
    if standing:
        return (Outcome.REPEATED if one.content == standing.content else Outcome.CHANGED), True
    return (Outcome.CHANGED_UNKNOWN if one.operation is Operation.CHANGE else Outcome.ANNOUNCED), True


def _rank(one: Announcement) -> tuple[int, bool, int]:
    """The newest detection time wins; a tie goes to the retraction, then to the larger content hash."""
    return one.detected, one.retracts, one.content


def _newest(versions: Sequence[Announcement]) -> Announcement | None:
    return max(versions, key=_rank, default=None)


def current(admitted: Iterable[Taken], step: int) -> list[Event]:
    """O: the current versions after the announcements that count up to a step."""
    versions: dict[tuple[str, str | None], list[Announcement]] = {}
    for taken in admitted:
        if taken.step <= step:
            versions.setdefault((taken.announcement.type, taken.announcement.key), []).append(taken.announcement)
    newest = [max(known, key=_rank) for known in versions.values()]
    return [one.event for one in newest if not one.retracts]
