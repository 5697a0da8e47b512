"""What is published: the table of §5, for the keys that something happened to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from ensue.model.notices import ComplexEvent, Notice, Publishing
from ensue.model.occurrences import OrderKey
from ensue.model.publications import Case
from ensue.revisions.standing import Key, Restated

_PLACES = {Case.REVOKE: 0, Case.CHANGE: 1, Case.ON_TIME: 2, Case.LATE: 2}


class Publisher:
    """Remembers what is published and not revoked, and what falls due when."""

    def __init__(self, publishing: Mapping[str, Publishing]) -> None:
        self._publishing = publishing
        self._published: dict[Key, ComplexEvent] = {}
        self._revisions: Counter[Key] = Counter()
        self._coming: dict[Key, ComplexEvent] = {}
        self._due: list[tuple[int, Key]] = []

    @property
    def published(self) -> Mapping[Key, ComplexEvent]:
        """What is published and not revoked, by class and key."""
        return self._published

    @property
    def due(self) -> int | None:
        """When the next known event falls due."""
        while self._due:
            time, key = self._due[0]
            coming = self._coming.get(key)
            if coming is not None and coming.time == time:
                return time
            heappop(self._due)
        return None

    def step(self, now: int, changes: Iterable[Restated]) -> list[Notice]:
        """What has to be told about events that are derived otherwise than before, and about those that fall due."""
        notices: list[Notice] = []
        for change in changes:
            self._coming.pop(change.key, None)
            notices += self._restated(now, change)
        while (time := self.due) is not None and time <= now:
            _, key = heappop(self._due)
            notices += self._tell(now, Case.ON_TIME, self._coming.pop(key))
        return sorted(notices, key=_place)

    def _restated(self, now: int, change: Restated) -> Iterator[Notice]:
        """What an event's new version, or its end, means to those who know what was published."""
        event, told = change.new, self._published.get(change.key)
        if event is None:
            if told is not None:
                yield from self._tell(now, Case.REVOKE, told)
            return
        if event.time > now:
            self._coming[change.key] = event
            heappush(self._due, (event.time, change.key))
            if told is not None:
                yield from self._tell(now, Case.REVOKE, told)
        elif told is not None:
            if not told.says_the_same(event):
                yield from self._tell(now, Case.CHANGE, event, told)
        elif now - event.time <= self._publishing[event.type].tolerance:
            yield from self._tell(now, Case.ON_TIME, event)
        elif change.old is None or not change.old.says_the_same(event):
            yield from self._tell(now, Case.LATE, event)

    def _tell(
        self, now: int, case: Case, event: ComplexEvent, replaces: ComplexEvent | None = None
    ) -> Iterator[Notice]:
        named = self._publishing[event.type].of(case)
        if case is Case.LATE:
            named = tuple(one for one in named if one.covers(now - event.time))
            if not named:
                return
        key = event.type, event.key
        if case is Case.REVOKE:
            del self._published[key]
        else:
            self._published[key] = event
        revision = self._revisions[key]
        self._revisions[key] += 1
        for one in named:
            yield Notice(one.name, case, now, event, revision, replaces)

    def forget(self, final: Iterable[Key]) -> None:
        """Forget what will never be corrected again."""
        for key in final:
            self._published.pop(key, None)
            self._revisions.pop(key, None)


def _place(notice: Notice) -> tuple[int, OrderKey, str]:
    """Within a step: revokes, then changes, then the rest, each in the order of §1."""
    return _PLACES[notice.case], notice.event.occurrence.order, notice.event.type
