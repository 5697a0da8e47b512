"""What is published of one complex event: the table of §5 for one key, over a window of steps.

The same answers as `ensue.reference.publishing`; `row` says where the rest of an event is (its attributes as they are,
its constituents), which nothing here looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ensue.model.notices import Publishing
from ensue.model.publications import Case


@dataclass(frozen=True, slots=True)
class Version:
    """A complex event as it follows from what is believed; `text` is equal just where the attributes are the same."""

    time: int
    text: str
    row: int

    def says_the_same(self, other: Version) -> bool:
        return self.time == other.time and self.text == other.text


@dataclass(frozen=True, slots=True)
class Derived:
    """A version, and the steps at which it is derived; no end: it still is."""

    version: Version
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is published of a key and not revoked, how often something was told of it, and when last."""

    version: Version | None = None
    revision: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """A notice: under which name, in which case, at which step, about which version, in place of which."""

    name: str
    case: Case
    step: int
    version: Version
    revision: int
    replaces: Version | None = None


class Telling:
    """One key, from what stands before a window to what stands after it."""

    def __init__(self, publishing: Publishing, before: Standing) -> None:
        self._publishing = publishing
        self.standing = before
        self.told: list[Told] = []

    def window(self, first: int, last: int, derived: Sequence[Derived]) -> None:
        """Make all steps of a window, both ends inside, that matter to the key. The versions come oldest first."""
        for kind, step, version, old in _steps(first, last, derived):
            if kind == "due":
                if self.standing.version is None:
                    self._tell(step, Case.ON_TIME, version)
            elif version is None:
                if self.standing.version is not None:
                    self._tell(step, Case.REVOKE, self.standing.version)
            else:
                self._restated(step, version, old)

    def _restated(self, step: int, version: Version, old: Version | None) -> None:
        published = self.standing.version
        if version.time > step:
            if published is not None:
                self._tell(step, Case.REVOKE, published)
        elif published is not None:
            if not published.says_the_same(version):
                self._tell(step, Case.CHANGE, version, published)
        elif step - version.time <= self._publishing.tolerance:
            self._tell(step, Case.ON_TIME, version)
        elif old is None or not old.says_the_same(version):
            self._tell(step, Case.LATE, version)

    def _tell(self, step: int, case: Case, version: Version | None, replaces: Version | None = None) -> None:
        if version is None:
            raise AssertionError("something falls due, or is told")
        named = self._publishing.of(case)
        if case is Case.LATE:
            named = tuple(one for one in named if one.covers(step - version.time))
            if not named:
                return
        revision = self.standing.revision
        self.told += [Told(one.name, case, step, version, revision, replaces) for one in named]
        self.standing = Standing(None if case is Case.REVOKE else version, revision + 1, step)


def _steps(
    first: int, last: int, derived: Sequence[Derived]
) -> Iterator[tuple[str, int, Version | None, Version | None]]:
    """What happens to the key, in order: another version or none, and what falls due."""
    old: Derived | None = None
    for one in derived:
        follows = old is not None and old.until == one.since
        if old is not None and old.until is not None and not follows and first <= old.until <= last:
            yield "derived", old.until, None, old.version
        if one.since >= first:
            yield "derived", one.since, one.version, old.version if old is not None and follows else None
        due = one.version.time
        if max(first, one.since + 1) <= due <= last and (one.until is None or due < one.until):
            yield "due", due, one.version, None
        old = one
    if old is not None and old.until is not None and first <= old.until <= last:
        yield "derived", old.until, None, old.version
