"""What is known of events and occurrences, wherever it is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

Key: TypeAlias = tuple[str, str]
"""A class, and which of its events: where nothing is corrected that is the event's id."""


@dataclass(frozen=True, slots=True)
class Part:
    """What an occurrence is made of, as it was written down: sometimes without its class, sometimes without a time."""

    type: str | None
    key: str
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """What is believed of an event or an occurrence from a detection time on; `withdrawn`: that there is none.

    `parts` is None where it is not known what it is made of.
    """

    id: str
    begin: int
    end: int
    attributes: Mapping[str, object]
    parts: tuple[Part, ...] | None = ()
    detected: int | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A publication. `why` are the events whose change at that step caused it; None if that is not known."""

    publication: str
    case: str
    detected: int
    occurred: int
    revision: int
    attributes: Mapping[str, object]
    why: tuple[Part, ...] | None = None
    replaced: Mapping[str, object] | None = None
    replaced_time: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """How a class comes about: its pattern or SELECT, and the classes that this looks at."""

    text: str
    uses: frozenset[str] = frozenset()
    key: tuple[str, ...] = ()


class Records(Protocol):
    """A place in which events and occurrences are kept."""

    name: str

    def called(self, text: str, *, whole: bool) -> dict[Key, str]:
        """Those whose id or key is the text, or begins with it, with the id that does."""

    def ids(self, of_class: str | None = None) -> list[str]:
        """Some ids of occurrences, each once: of a class, or to name near ones."""

    def versions(self, keys: Collection[Part]) -> dict[Key, tuple[Version, ...]]:
        """All versions of some events, in order of detection."""

    def alike(self, name: str, attributes: Mapping[str, object]) -> list[Key]:
        """The events of a class that have, or had, some attributes."""

    def told(self, key: Key) -> list[Told]:
        """What was published about an event, in order."""

    def definition(self, name: str) -> Definition | None:
        """How a class comes about; None if its events come from outside."""


@dataclass(frozen=True, slots=True)
class Node:
    """An event with what it is made of, as believed at the time in question; without a version nothing is known."""

    type: str
    key: str
    version: Version | None
    parts: tuple[Node, ...] | None = ()
    later: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """An event that changed at the step of a publication, and what changed about it."""

    type: str
    key: str
    change: str


@dataclass(frozen=True, slots=True)
class Why:
    """Where an occurrence comes from: the whole answer."""

    root: Node
    definition: Definition | None
    versions: tuple[Version, ...]
    told: tuple[tuple[Told, tuple[Cause, ...] | None], ...]
    standing: str
    similar: tuple[Node, ...] = field(default=())
    """Where it is not known what it is made of: events that have its key, of classes that it looks at."""
