"""Which announcements of one event count, and what was believed of it from which step to which (§5).

The same answers as `ensue.reference.versions`, for one key at a time: what has to be known of others is nothing. The
hash that breaks a tie is worked out only where there is a tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ensue.model.announcements import Outcome, SubscribedClass


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of an event: when it was detected, from which step it counts, and what.

    `row` says where the attributes are; `text` is equal just where time and attributes are the same.
    """

    step: int
    detected: int
    retracts: bool
    changes: bool
    time: int | None
    text: str
    row: int
    missing: bool = False
    """It was not said at all: the event is missing from a snapshot."""


@dataclass(frozen=True, slots=True)
class Held:
    """A version that holds since a step, or (no longer an event) a retraction that is remembered."""

    said: Said
    since: int


@dataclass(frozen=True, slots=True)
class Span:
    """A version and the steps at which it holds; no end: it still does."""

    said: Said
    since: int
    until: int | None


Content = Callable[[Said], int]
"""The content hash of what was said, for ties."""


class Admission:
    """Takes what is said about one event after the other; counts what becomes of it."""

    def __init__(self, content: Content) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self._content = content

    def take(
        self, of_class: SubscribedClass, known: Held | None, announced: Sequence[Said]
    ) -> tuple[list[Span], Held | None]:
        """The versions that hold at some step, oldest first, and what is known in the end."""
        spans: list[Span] = []
        for step, together in groupby(sorted(announced, key=lambda one: one.step), key=lambda one: one.step):
            newest = known.said if known else None
            for one in self._in_order(of_class, list(together)):
                newest = self._judge(of_class, newest, one)
            before = known.said if known and not known.said.retracts else None
            after = newest if newest and not newest.retracts else None
            if (before and before.text) != (after and after.text):
                if known and before:
                    spans.append(Span(before, known.since, step))
                known = Held(newest, step) if newest else None
            elif newest is not None:
                known = Held(newest, known.since if known and before else step)
        if known and not known.said.retracts:
            spans.append(Span(known.said, known.since, None))
        return spans, known

    def _in_order(self, of_class: SubscribedClass, said: list[Said]) -> Iterator[Said]:
        """By detection time; a tie goes to the retraction, then to the larger hash: in a mutable class the last wins,
        in an immutable one the first.
        """
        if len(said) == 1:
            yield said[0]
            return
        sign = 1 if of_class.mutable else -1
        ranked = sorted(said, key=lambda one: (one.detected, one.retracts))
        for _, tied in groupby(ranked, key=lambda one: (one.detected, one.retracts)):
            several = list(tied)
            yield from sorted(several, key=lambda one: sign * self._content(one)) if len(several) > 1 else several

    def _judge(self, of_class: SubscribedClass, newest: Said | None, one: Said) -> Said | None:
        outcome, counts = self._outcome(of_class, newest, one)
        if not one.missing or (counts and outcome is Outcome.RETRACTED):
            self.outcomes[outcome] += 1
            if one.detected != one.step:
                self.outcomes[Outcome.BACKWARDS] += 1
        return one if counts else newest

    def _outcome(self, of_class: SubscribedClass, newest: Said | None, one: Said) -> tuple[Outcome, bool]:
        if one.time is None and not one.retracts:
            return Outcome.WITHOUT_TIME, False
        standing = newest if newest and not newest.retracts else None
        if not of_class.mutable and (standing or one.retracts):
            return (Outcome.DUPLICATE if standing else Outcome.RETRACTED_UNKNOWN), False
        if newest and self._is_older(one, newest):
            return Outcome.OLDER, False
        span = of_class.lifespan
        times = [version.time for version in (one, standing) if version is not None and not version.retracts]
        if span is not None and any(time is not None and time + span < one.step for time in times):
            return Outcome.EXPIRED, False
        if one.retracts:
            return (Outcome.RETRACTED if standing else Outcome.RETRACTED_UNKNOWN), not (one.missing and not standing)
        if standing:
            return (Outcome.REPEATED if one.text == standing.text else Outcome.CHANGED), True
        return (Outcome.CHANGED_UNKNOWN if one.changes else Outcome.ANNOUNCED), True

    def _is_older(self, one: Said, newest: Said) -> bool:
        first, second = (one.detected, one.retracts), (newest.detected, newest.retracts)
        if first != second:
            return first < second
        return one.text != newest.text and self._content(one) < self._content(newest)
