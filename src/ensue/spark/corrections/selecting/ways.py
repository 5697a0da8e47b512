"""Which way a SELECT class goes through a window of steps, decided by its text alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ensue.language.queries.lifting import lifted
from ensue.language.queries.overlapping import overlapping
from ensue.language.queries.partitions import links, partitions
from ensue.language.queries.places import Mentions, NotPossibleError, Query
from ensue.language.queries.stems import Stem, stem_of

if TYPE_CHECKING:
    from ensue.language.program import Program, SelectedClass


class Kind(Enum):
    """The three ways; all give the same."""

    OVERLAPS = "versions that overlap are joined"
    LIFTED = "all steps at once"
    STEP_BY_STEP = "step by step"


@dataclass(frozen=True, slots=True)
class Way:
    """How the events of a SELECT class are found in a window of steps, and why not in a faster way."""

    kind: Kind
    because: str
    parts: tuple[str, ...] = ()
    """What tells apart the events that have to do with each other, where all steps are looked at at once."""

    def __str__(self) -> str:
        apart = f", for each {' and '.join(self.parts)} that was touched" if self.parts else ""
        return f"{self.kind.value}{apart}: {self.because}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run of a SELECT class."""

    way: Way
    stem: Stem
    query: Query
    parts: tuple[Mapping[int, str], ...] = ()
    """Columns that part the events, where all steps are looked at at once."""
    links: tuple[Mapping[int, str], ...] = ()
    """Columns that are equal in what is joined, where versions are."""


def way_of(item: SelectedClass, program: Program) -> Way:
    """The way of a class, for `explain`."""
    return plan_of(item, program).way


def plan_of(item: SelectedClass, program: Program) -> Plan:
    """What is run of a class."""
    stem = stem_of(item, program)
    try:
        query = overlapping(item, stem)
        way = Way(Kind.OVERLAPS, "it has selections, projections and joins alone")
        return Plan(way, stem, query, links=links(stem, program.attributes))
    except NotPossibleError as error:
        because = str(error)
    try:
        query = lifted(stem)
    except NotPossibleError as error:
        return _stepwise(stem, str(error))
    parts = partitions(stem, program.attributes)
    named = tuple(dict.fromkeys(" = ".join(dict.fromkeys(part.values())) for part in parts))
    return Plan(Way(Kind.LIFTED, because, named), stem, query, parts)


def stepwise(plan: Plan, because: str) -> Plan:
    """The same class on the way that is always open."""
    return _stepwise(plan.stem, because)


def _stepwise(stem: Stem, because: str) -> Plan:
    return Plan(Way(Kind.STEP_BY_STEP, because), stem, Mentions(stem.copy()).query())
