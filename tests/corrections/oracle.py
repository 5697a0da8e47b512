"""The judge of corrections for whole programs, SELECT classes and patterns alike: everything derived anew at each step.

What is published is `ensue.reference.publishing`, which is docs/semantics.md §5 made executable; SELECTs run in DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import is_
from typing import Any

from tests.corrections.announcing import retracting
from tests.corrections.selecting import Selecting, Source, connect, show

from ensue.algebra.classes import PatternClass
from ensue.language.program import ComplexClass, Program, SelectedClass
from ensue.model import AttributeType, Event, Value
from ensue.model.announcements import Announcement, Clock, SubscribedClass
from ensue.model.notices import ComplexEvent, Notice, Publishing
from ensue.reference.publishing import Derive, Looks, Told, as_event, derive_patterns, looks_of, publish
from ensue.time import format_instant

Published = dict[str, Any]
"""A publication as the command line writes it."""


class Deriving:
    """What follows from the current versions, class after class.

    Every run needs one of its own, because rows remember since when they hold.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._connection = connect()
        self._selecting = {one.declaration.name: Selecting(one, program) for one in program.selected_classes}
        self.sources: dict[Source, frozenset[Source]] = {}
        """Of the last step: what each complex event was made of, as far as that can be seen."""

        self._timeless = not program.complex_classes and not any(one.asks_now for one in self._selecting.values())
        self._last: tuple[Sequence[Event], list[ComplexEvent]] = ((), [])

    def __call__(self, events: Sequence[Event], t: int) -> list[ComplexEvent]:
        if self._timeless and len(events) == len(self._last[0]) and all(map(is_, events, self._last[0])):
            return self._last[1]  # from the same events follows the same, as long as nothing asks what time it is
        found = self._derived(events, t)
        self._last = events, found
        return found

    def _derived(self, events: Sequence[Event], t: int) -> list[ComplexEvent]:
        known = list(events)
        found: list[ComplexEvent] = []
        self.sources = {}
        for item in self._program.derived_classes:
            name = item.declaration.name
            if isinstance(item, SelectedClass):
                show(self._connection, self._program, known, item.uses)
                derived = self._selecting[name].derive(self._connection, t)
                self.sources |= {(name, one.key): made_of for one, made_of in derived.items()}
            else:
                derived = dict.fromkeys(self._detect(item, events, found, t), frozenset())
            found += derived
            known += map(as_event, derived)
        return found

    def _detect(
        self, item: ComplexClass, events: Sequence[Event], found: Sequence[ComplexEvent], t: int
    ) -> Iterable[ComplexEvent]:
        """A pattern has all events from outside as its history, and the derived classes that it looks at (D31)."""
        wanted = {below for name in item.uses for below in self._program.taxonomy.below(name)}
        history = [*events, *(as_event(one) for one in found if one.type in wanted)]
        return derive_patterns([pattern_class(item)], self._program.taxonomy)(history, t)


def derive_program(program: Program) -> Derive:
    """The complex events of a whole program; to be asked step by step, in order."""
    return Deriving(program)


def looks_of_program(program: Program) -> Looks:
    """When time alone may bring something."""
    return looks_of([pattern_class(item) for item in program.complex_classes], program.taxonomy)


def pattern_class(item: ComplexClass) -> PatternClass:
    return PatternClass(item.declaration, item.pattern, item.context, publishing(item))


def publishing(item: ComplexClass | SelectedClass) -> Publishing:
    return Publishing(item.publications, item.tolerance)


def subscribed(program: Program) -> tuple[SubscribedClass, ...]:
    return tuple(SubscribedClass(one.declaration.name, one.mutable, one.lifespan) for one in program.subscribed_classes)


def told(program: Program, inputs: Sequence[Announcement | Clock]) -> Told:
    """Every step of a run, by the definition."""
    cases = {one.declaration.name: publishing(one) for one in program.derived_classes}
    return publish(subscribed(program), cases, derive_program(program), inputs, looks=looks_of_program(program))


def publications(program: Program, announcements: Iterable[Announcement], until: int) -> list[Published]:
    """What is published up to a time, in the order of §5."""
    return [
        as_published(program, one) for one in told(program, [*retracting(program, announcements), Clock(until)]).notices
    ]


def as_published(program: Program, notice: Notice) -> Published:
    """A publication as the command line writes it; `replaces` is what had been told of the same event."""
    replaced = notice.replaces
    return {
        "publication": notice.name,
        "class": notice.event.type,
        "case": notice.case.value,
        "detected": format_instant(notice.detected),
        "occurred": format_instant(notice.event.time),
        "attributes": _attributes(program, notice.event),
        "replaces": None
        if replaced is None
        else {"occurred": format_instant(replaced.time), "attributes": _attributes(program, replaced)},
    }


def _attributes(program: Program, event: ComplexEvent) -> dict[str, Value | None]:
    """Every declared attribute; times as text, a DOUBLE always as one, and null where there is no value."""
    known = dict(event.attributes)
    return {
        name: _shown(*known[name], declared) if name in known else None
        for name, declared in program.classes[event.type].attributes.items()
    }


def _shown(kind: str, content: bool | float | str, declared: AttributeType) -> Value:
    if kind == "time":
        return format_instant(int(content))
    return float(content) if declared is AttributeType.NUMBER else content
