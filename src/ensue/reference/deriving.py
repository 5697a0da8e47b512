"""Derived events: the occurrences of a complex class as events that other patterns can look at (D31)."""

from __future__ import annotations

from collections.abc import Iterable

from ensue.algebra import Context, Pattern
from ensue.algebra.variables import is_timed
from ensue.model import Event, EventClass, Occurrence, Taxonomy, Value, occurrence_id
from ensue.reference.evaluator import evaluate
from ensue.time import to_datetime


def derive(
    declared: EventClass,
    pattern: Pattern,
    events: Iterable[Event],
    context: Context | str = Context.RECENT,
    taxonomy: Taxonomy | None = None,
    until: int | None = None,
) -> list[Event]:
    """The events of a class that is defined by a pattern. Of occurrences with one declared key the last stands."""
    found: dict[str, Event] = {}
    for occurrence in evaluate(pattern, events, context, taxonomy, until):
        bound = _values(occurrence)
        values = {name: bound[name] for name in declared.attributes if name in bound}
        name = _id(declared, pattern, occurrence)
        found[name] = Event(name, declared.name, occurrence.end, values)
    return list(found.values())


def _id(declared: EventClass, pattern: Pattern, occurrence: Occurrence) -> str:
    if declared.key:
        key = tuple((name, value) for name, value in occurrence.bindings if name in declared.key)
        return occurrence_id(declared.name, (), key)
    interval = (occurrence.begin, occurrence.end) if is_timed(pattern) else None
    return occurrence_id(declared.name, occurrence.ids, occurrence.bindings, interval)


def _values(occurrence: Occurrence) -> dict[str, Value]:
    return {
        name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in occurrence.bindings
    }
