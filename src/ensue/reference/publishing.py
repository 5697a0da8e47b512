"""What is published, by the definition: step by step, everything derived anew and compared (docs/semantics.md §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ensue.algebra import Pattern, atoms
from ensue.algebra.classes import PatternClass
from ensue.algebra.clockwork import clockwork
from ensue.model import Event, Taxonomy
from ensue.model.announcements import Announcement, Clock, Outcome, SubscribedClass
from ensue.model.notices import ComplexEvent, Notice, Publishing
from ensue.model.occurrences import OrderKey
from ensue.model.publications import Case
from ensue.reference.evaluator import evaluate
from ensue.reference.versions import admit, current, timeline
from ensue.time import to_datetime

Derive = Callable[[Sequence[Event], int], Iterable[ComplexEvent]]
"""The complex events that follow from the current versions at a time."""

Looks = Callable[[Sequence[Event], Iterable[ComplexEvent], int], Iterable[int]]
"""When time alone may bring something, given the current versions, what follows from them, and the time."""

Purge = Callable[[Sequence[Event], Iterable[ComplexEvent], int], Sequence[Event]]
"""The events that have not expired at a time."""

Key = tuple[str, str]
Derived = dict[Key, ComplexEvent]


@dataclass
class Told:
    """Everything that was published, and what became of the announcements."""

    notices: list[Notice] = field(default_factory=list)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    standing: Derived = field(default_factory=dict)
    """P: what is published and not revoked, by key."""
    last: int | None = None
    """The time of the last step."""


def publish(
    subscribed: Iterable[SubscribedClass],
    publishing: Mapping[str, Publishing],
    derive: Derive,
    inputs: Sequence[Announcement | Clock],
    purge: Purge | None = None,
    looks: Looks | None = None,
) -> Told:
    """Make every step, from the first to the last time that the announcements and the clock show."""
    announced = timeline(inputs)
    admitted, outcomes = admit({one.name: one for one in subscribed}, announced)
    told = Told(outcomes=outcomes)
    steps = {taken.step for taken in announced}
    last = max([*steps, *(one.time for one in inputs if isinstance(one, Clock))], default=0)
    before: Derived = {}
    revisions: Counter[Key] = Counter()
    expired: set[Event] = set()
    t = min(steps, default=last + 1)
    earlier: int | None = None
    while t <= last:
        if purge is not None and earlier is not None:
            known = [event for event in current(admitted, earlier) if event not in expired]
            kept = purge(known, derive(known, earlier), earlier)
            expired |= set(known) - set(kept)
            before = by_key(derive(kept, earlier))
            told.standing = {key: event for key, event in told.standing.items() if key in before}
        known = [event for event in current(admitted, t) if event not in expired]
        now = by_key(derive(known, t))
        told.notices += compare(t, before, now, told.standing, revisions, publishing)
        due = {event.time for event in now.values() if event.time > t}
        due.update(() if looks is None else looks(known, now.values(), t))
        before, earlier, told.last = now, t, t
        t = min((step for step in steps | due if step > t), default=last + 1)
    return told


def by_key(derived: Iterable[ComplexEvent]) -> Derived:
    """Of several current complex events with one key, the last in the order of §1 stands."""
    return {(event.type, event.key): event for event in sorted(derived, key=lambda e: e.occurrence.order)}


def compare(
    t: int,
    before: Derived,
    now: Derived,
    published: Derived,
    revisions: Counter[Key],
    publishing: Mapping[str, Publishing],
) -> list[Notice]:
    """The table of §5, row by row; what is published is changed as it says."""
    notices: list[Notice] = []

    def tell(case: Case, event: ComplexEvent, replaces: ComplexEvent | None = None) -> None:
        """Under each name that the class has for the case; a late event, for each case that covers its delay."""
        key = event.type, event.key
        named = publishing[event.type].of(case)
        if case is Case.LATE:
            named = tuple(one for one in named if one.covers(t - event.time))
            if not named:
                return
        notices.extend(Notice(one.name, case, t, event, revisions[key], replaces) for one in named)
        revisions[key] += 1
        if case is Case.REVOKE:
            del published[key]
        else:
            published[key] = event

    for key in sorted({*now, *published}):
        e, new = published.get(key), now.get(key)
        if e is None and new is not None:
            delay = t - new.time
            if delay < 0:
                pass  # nothing yet; a step is due at occ(e)
            elif delay <= publishing[new.type].tolerance:
                tell(Case.ON_TIME, new)
            elif key not in before or not before[key].says_the_same(new):
                tell(Case.LATE, new)
        elif e is not None and new is None:
            tell(Case.REVOKE, e)
        elif e is not None and new is not None:
            if new.time > t:
                tell(Case.REVOKE, e)  # it has moved to the future; it falls due again later
            elif not e.says_the_same(new):
                tell(Case.CHANGE, new, e)
    return sorted(notices, key=in_step)


def in_step(notice: Notice) -> tuple[int, OrderKey, str]:
    """Within a step: revokes, then changes, then the rest, each in the order of §1."""
    first = {Case.REVOKE: 0, Case.CHANGE: 1}.get(notice.case, 2)
    return first, notice.event.occurrence.order, notice.event.type


def derive_patterns(classes: Sequence[PatternClass], taxonomy: Taxonomy | None = None) -> Derive:
    """What follows for classes defined by patterns, each over the events and over the classes before it.

    The history goes on to the time of the step. As at every end of a history, everything is known then: what ends
    later too, so that it can fall due.
    """

    def derive(events: Sequence[Event], t: int) -> list[ComplexEvent]:
        found: list[ComplexEvent] = []
        for one in classes:
            history = seen_by(one.pattern, events, found, taxonomy)
            occurrences = evaluate(one.pattern, history, one.context, taxonomy, t)
            found += by_key(map(one.event, occurrences)).values()
        return found

    return derive


def looks_of(classes: Sequence[PatternClass], taxonomy: Taxonomy | None = None) -> Looks:
    """When a class next has another tick or another instance of a calendar, if the history goes on (D44)."""
    ticking = [(one, works) for one in classes if (works := clockwork(one.pattern, one.context)) is not None]

    def looks(events: Sequence[Event], derived: Iterable[ComplexEvent], t: int) -> list[int]:
        found = []
        for one, works in ticking:
            history = seen_by(one.pattern, events, derived, taxonomy)
            ahead = evaluate(one.pattern, history, one.context, taxonomy, works.until(t))
            found.append(works.next_look(t, (occurrence.end for occurrence in ahead)))
        return [time for time in found if time is not None]

    return looks


def seen_by(
    pattern: Pattern, events: Sequence[Event], derived: Iterable[ComplexEvent], taxonomy: Taxonomy | None
) -> list[Event]:
    """What a pattern sees: the events, and those of the classes that it looks at."""
    looked_at = {atom.type for atom in atoms(pattern)}
    known = taxonomy or Taxonomy()
    return [*events, *(as_event(event) for event in derived if looked_at & known.above(event.type))]


def as_event(event: ComplexEvent) -> Event:
    """A complex event as one that other patterns can look at."""
    values = {
        name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in event.attributes
    }
    return Event(event.key, event.type, event.time, values)


def purge_by_lifespan(subscribed: Iterable[SubscribedClass], least: int = 0) -> Purge:
    """An event expires at the latest of its own occ + lifespan and that of any event it shares a complex event with.

    A pattern keeps its events for at least β.
    """
    spans = {one.name: one.lifespan for one in subscribed}

    def purge(events: Sequence[Event], derived: Iterable[ComplexEvent], t: int) -> list[Event]:
        def own(event: Event) -> float:
            span = spans[event.type]
            return float("inf") if span is None else event.time + max(span, least)

        known = {event.id: event for event in events}
        parts: dict[str, set[str]] = {}
        for one in derived:
            parts[one.key] = set().union(*(parts.get(name, {name}) for name in one.occurrence.ids)) & known.keys()
        shared = {name: own(event) for name, event in known.items()}
        for together in parts.values():
            latest = max((own(known[name]) for name in together), default=0)
            for name in together:
                shared[name] = max(shared[name], latest)
        return [event for event in events if shared[event.id] >= t]

    return purge
