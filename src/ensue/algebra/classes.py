"""Classes that a pattern defines, and that are published."""

from __future__ import annotations

from dataclasses import dataclass, field

from ensue.algebra.contexts import Context
from ensue.algebra.patterns import Pattern
from ensue.algebra.variables import is_timed
from ensue.model import EventClass, Occurrence, occurrence_id
from ensue.model.notices import ComplexEvent, Publishing


@dataclass(frozen=True, slots=True)
class PatternClass:
    """A complex class whose events are the occurrences of a pattern; its attributes are variables of that."""

    declared: EventClass
    pattern: Pattern
    context: Context = Context.RECENT
    publishing: Publishing = field(default_factory=Publishing)

    @property
    def name(self) -> str:
        return self.declared.name

    def event(self, occurrence: Occurrence) -> ComplexEvent:
        """The complex event that an occurrence is: its key is the declared one, else the occurrence's id."""
        interval = (occurrence.begin, occurrence.end) if is_timed(self.pattern) else None
        name = occurrence_id(self.name, occurrence.ids, occurrence.bindings, interval)
        key = name
        if self.declared.key:
            bound = tuple((one, value) for one, value in occurrence.bindings if one in self.declared.key)
            key = occurrence_id(self.name, (), bound)
        return self.named(occurrence, key, name)

    def named(self, occurrence: Occurrence, key: str, name: str) -> ComplexEvent:
        """The same, where its key and its id are known."""
        values = tuple((one, value) for one, value in occurrence.bindings if one in self.declared.attributes)
        return ComplexEvent(self.name, key, name, occurrence, values)
