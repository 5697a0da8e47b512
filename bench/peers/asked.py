"""What a peer in Java is asked, as the file that java/Asked.java reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class CannotError(Exception):
    """A peer cannot express what is asked, or answers another question; the text says why."""


@dataclass(frozen=True)
class Query:
    """One question in the peer's own language; or one for all rules of a shape, with their numbers by their keys.

    Such a question has streams of its own, of the classes that it asks for: their names end with its mark.
    """

    width: int
    text: str
    rules: Mapping[int, int] = field(default_factory=dict)
    types: frozenset[str] | None = None
    mark: str = ""


@dataclass(frozen=True)
class Asked:
    types: Sequence[str]
    """The classes of events in the order of their codes."""
    wanted: frozenset[str]
    """Those that are asked for; the peers leave out the others, and do not look at them."""
    queries: Sequence[Query]
    above: float = -math.inf
    """Only events with a value above this."""
    delay: int = 0
    """How late events may be, in microseconds."""
    rest: int = 0
    """How far the clock goes on after the last event, in microseconds."""
    valued: bool = True
    """Whether the events' values are asked for; else nobody has to read them."""
    preface: str = ""
    """What stands before all questions, where the language needs that."""

    def write(self, path: Path) -> Path:
        above = "-Infinity" if self.above == -math.inf else repr(self.above)
        named = (name if name in self.wanted else "" for name in self.types)
        lines = ["\t".join(named), above, str(self.delay), str(self.rest), str(self.valued).lower(), self.preface]
        lines += [f"{one.width}\t{self._streams(one)}\t{_listed(one.rules)}\t{one.text}" for one in self.queries]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def _streams(self, query: Query) -> str:
        mine = self.wanted if query.types is None else query.types
        return ",".join(name + query.mark if name in mine else "" for name in self.types)


def _listed(rules: Mapping[int, int]) -> str:
    return ",".join(f"{key},{rule}" for key, rule in rules.items())
