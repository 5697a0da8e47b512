"""Complex events that can be corrected, and what is told about them (docs/semantics.md §5)."""

from __future__ import annotations

from dataclasses import dataclass

from ensue.model.occurrences import Bindings, Occurrence
from ensue.model.publications import Case, Publication


@dataclass(frozen=True, slots=True)
class ComplexEvent:
    """A complex event as it follows from what is known: its key says which one it is, its id which occurrence."""

    type: str
    key: str
    id: str
    occurrence: Occurrence
    attributes: Bindings = ()

    @property
    def time(self) -> int:
        """When it occurs: at its end."""
        return self.occurrence.end

    def says_the_same(self, other: ComplexEvent) -> bool:
        """Whether nobody has to be told of the difference."""
        return self.time == other.time and self.attributes == other.attributes


@dataclass(frozen=True, slots=True)
class Publishing:
    """How a class is published: its PUBLISH cases, and how late a first announcement still counts as on time."""

    cases: tuple[Publication, ...] = ()
    tolerance: int = 0

    def of(self, case: Case) -> tuple[Publication, ...]:
        return tuple(one for one in self.cases if one.case is case)


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that is told: under which name, in which case, at which step, about which event.

    For a revoke the event is the old version, otherwise the new one; `replaces` is what had been told before. Its
    identity is (id of the event, case, revision), so that sinks can tell a repetition from news; several cases of a
    class that apply at once differ in their names alone.
    """

    name: str
    case: Case
    detected: int
    event: ComplexEvent
    revision: int
    replaces: ComplexEvent | None = None

    @property
    def identity(self) -> tuple[str, str, int]:
        return self.event.id, self.case.value, self.revision
