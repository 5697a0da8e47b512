"""Which events have expired, by the definition of §5, for SELECT classes and patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from tests.corrections.oracle import Deriving, looks_of_program, publishing, subscribed

from ensue.algebra.bounds import lifespan
from ensue.language.program import Program
from ensue.model import Event
from ensue.model.announcements import Announcement, Clock
from ensue.model.notices import ComplexEvent
from ensue.reference.publishing import Purge, Told, publish


def told_purging(program: Program, inputs: Sequence[Announcement | Clock]) -> Told:
    """What is published if events are forgotten as soon as they have expired, after every step."""
    cases = {one.declaration.name: publishing(one) for one in program.derived_classes}
    derive = Deriving(program)
    return publish(subscribed(program), cases, derive, inputs, expiring(program, derive), looks_of_program(program))


def expiring(program: Program, derive: Deriving) -> Purge:
    """An event expires at the latest of its own occ + lifespan and that of any event it shares a complex event with.

    Patterns keep theirs for at least β. What a complex event is made of, `derive` has seen in the step before.
    """
    spans = {one.declaration.name: one.lifespan for one in program.subscribed_classes}
    least = sum(inf if (beta := lifespan(one.pattern).length) is None else beta for one in program.complex_classes)

    def purge(events: Sequence[Event], derived: Iterable[ComplexEvent], t: int) -> list[Event]:
        def own(event: Event) -> float:
            span = spans[event.type]
            return inf if span is None else event.time + max(span, least)

        known = {(event.type, event.id): event for event in events}
        parts: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for one in derived:
            direct = derive.sources.get((one.type, one.key)) or {
                (name, key) for name in [*spans, *program.classes] for key in one.occurrence.ids
            }
            parts[one.type, one.key] = set().union(*(parts.get(name, {name}) for name in direct)) & known.keys()
        expires = {name: own(event) for name, event in known.items()}
        for together in parts.values():
            latest = max((own(known[name]) for name in together), default=0)
            for name in together:
                expires[name] = max(expires[name], latest)
        return [event for event in events if expires[event.type, event.id] >= t]

    return purge
