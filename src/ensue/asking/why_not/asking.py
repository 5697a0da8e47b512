"""`ensue.why_not`: from a question to its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ensue.algebra import Context, Pattern, atoms
from ensue.algebra.bounds import lifespan
from ensue.asking.why_not.answers import Miss, WhyNot
from ensue.asking.why_not.counting import counts, near_classes, notes
from ensue.asking.why_not.focusing import Stretch, View
from ensue.asking.why_not.gathering import Batch, count_types, derived_events, detected, events_of
from ensue.asking.why_not.keys import Key, key_of, notes as key_notes
from ensue.asking.why_not.relaxing import Surroundings
from ensue.asking.why_not.searching import CONTEXT, Found, Search
from ensue.asking.why_not.wording import Wording, asked_of
from ensue.embedded.adapting import adapt
from ensue.embedded.incoming import Names, Strict
from ensue.embedded.patterns import Watchlist
from ensue.errors import Diagnostic, InputError
from ensue.model import Event, Occurrence, Taxonomy
from ensue.reference import evaluate
from ensue.reference.world import place
from ensue.time import format_instant, to_instant

if TYPE_CHECKING:
    from ensue.embedded.findings import Finding
    from ensue.language import Program

MOST_MISSES = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: why this pattern has no occurrence in this context, of this key and around this time."""

    pattern: Pattern | str
    context: str | Context = "recent"
    key: Mapping[str, object] | None = None
    around: int | None = None
    program: Program | None = None


def why_not(
    pattern: Pattern | str,
    events: object,
    context: str | Context = "recent",
    *,
    key: Mapping[str, object] | None = None,
    around: str | float | datetime | None = None,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    program: Program | None = None,
) -> WhyNot:
    """Why a pattern has no occurrence: what came nearest, and which condition, limit or event stopped it.

    The pattern may also be the name of a class that the `program` defines by a pattern. `key` gives values to variables
    of the pattern or to attributes of the events, and `around` a time: they say where to look. If there are
    occurrences there, the answer has them instead. The other arguments are those of `detect`.

    >>> answer = why_not(
    ...     "Order(id = ?o) then Payment(order = ?o) within 1 hour",
    ...     [
    ...         {"type": "Order", "time": "2026-07-10T09:00:00Z", "id": "o1"},
    ...         {"type": "Payment", "time": "2026-07-10T10:20:00Z", "id": "p1", "order": "o1"},
    ...     ],
    ... )
    >>> answer.misses[0].reasons
    ('Payment p1 came at 2026-07-10T10:20:00Z, 20 min after `within 1 hour` had ended (it took 1 h 20 min)',)
    """
    incoming, _ = adapt(events, 0)
    question = Question(pattern, context, key, _instant(around), program)
    return answer(question, Names(type, time, id, event_type), [Batch(incoming, Strict())])


def answer(question: Question, names: Names, batches: Sequence[Batch]) -> WhyNot:
    """The answer to a question about events that are there as batches of rows."""
    pattern, context = _meant(question)
    watchlist = Watchlist.of(pattern, context, question.program)
    pattern = watchlist.watched[0].pattern
    taxonomy = watchlist.taxonomy
    types = count_types(names, batches)
    near = near_classes(pattern, types, taxonomy)
    wanted = {name for name in types if any(atom.type in taxonomy.above(name) for atom in atoms(pattern))}
    wanted |= {name for likely in near.values() for name in likely}
    asked_for = {*watchlist.attributes, *(question.key or ())}
    events = events_of(names, batches, wanted, asked_for)
    for item in watchlist.derived:
        made = derived_events(item, question.program, names, batches) if question.program else []
        types[item.name] += len(made)
        events += made
    events.sort(key=place)
    key = key_of(question.key, pattern, events, taxonomy)
    asked = Watchlist.of({str(pattern): key(pattern)}, context, question.program)
    near = {name: likely for name, likely in near.items() if not types[name]}
    everywhere = detected(asked, names, batches)
    found = _around(everywhere, question.around, pattern)
    elsewhere = everywhere if question.around is not None else []
    if not found and key.given and not elsewhere:
        elsewhere = detected(watchlist, names, batches)
    looked, misses = (0, []) if found else _misses(pattern, context, events, taxonomy, key, question.around, near)
    return WhyNot(
        pattern,
        context,
        tuple(found),
        tuple(misses),
        tuple(counts(pattern, key, events, taxonomy)),
        (
            *notes(pattern, events, types, taxonomy),
            *key_notes(key, pattern, events),
            *_elsewhere(elsewhere, question.around),
        ),
        dict(types),
        types.total(),
        looked if looked < len(events) else types.total(),
        key.given,
    )


def _meant(question: Question) -> tuple[Pattern | str, Context]:
    """The pattern, or that of the program's class of this name, in its own context."""
    if question.program is not None and isinstance(question.pattern, str):
        for item in question.program.complex_classes:
            if item.declaration.name == question.pattern.strip():
                return item.pattern, item.context
    return question.pattern, Context.of(question.context)


def _around(found: list[Finding], around: int | None, pattern: Pattern) -> list[Finding]:
    """The findings that lie no further from a time than events of the pattern can lie from each other."""
    reach = lifespan(pattern).length
    if around is None or reach is None:
        return found
    return [one for one in found if to_instant(one.begin) - reach <= around <= to_instant(one.end) + reach]


def _elsewhere(found: Sequence[Finding], around: int | None) -> list[str]:
    """That the pattern does come, but not where it was asked for."""
    if not found:
        return []
    nearest = min(found, key=lambda one: abs(to_instant(one.end) - (around or 0))) if around is not None else found[-1]
    count = f"{len(found):,} occurrence{'s' if len(found) > 1 else ''}"
    which = "the nearest" if around is not None else "the last"
    bound = ", ".join(f"?{name} = {value}" for name, value in nearest.bindings.items())
    end = format_instant(to_instant(nearest.end))
    return [f"Elsewhere it has {count}, {which} at {end}{f' ({bound})' if bound else ''}."]


def _misses(
    pattern: Pattern,
    context: Context,
    events: Sequence[Event],
    taxonomy: Taxonomy,
    key: Key,
    around: int | None,
    near: Mapping[str, tuple[str, ...]],
) -> tuple[int, list[Miss]]:
    """How many events were looked at, and what came nearest among them."""
    found: list[tuple[float, Miss]] = []
    looked: set[str] = set()
    for stretch in View(pattern, events, taxonomy).stretches(key, around):
        looked.update(event.id for event in stretch.events)
        found += nearest(pattern, context, stretch, taxonomy, around, near)
    distinct: dict[tuple[str, ...], tuple[float, Miss]] = {}
    for effort, miss in sorted(found, key=lambda one: one[0]):
        distinct.setdefault((*miss.kinds, *miss.reasons), (effort, miss))
    return len(looked), [miss for _, miss in distinct.values()][:MOST_MISSES]


def nearest(
    pattern: Pattern,
    context: Context,
    stretch: Stretch,
    taxonomy: Taxonomy,
    around: int | None = None,
    near: Mapping[str, tuple[str, ...]] | None = None,
) -> list[tuple[float, Miss]]:
    """What came nearest in a stretch, each with how far that is from what was asked for."""
    events, key = stretch.events, stretch.key
    asked = asked_of(pattern, taxonomy, sorted({event.type for event in events}))
    wording = Wording(events, taxonomy, asked)
    if context is not CONTEXT:
        other = evaluate(key(pattern), events, CONTEXT, taxonomy)
        if other:
            reason = (
                f"in context {CONTEXT.value} it is found; in {context.value} its events serve others, or are not held"
            )
            return [(1.0, _miss(wording, (reason,), ("context",), (pattern, key(pattern)), other[-1]))]
    surroundings = Surroundings.of(events, near or {})
    search = Search(
        pattern, events, taxonomy, surroundings, key, lambda one: _distance(one, around), stretch.of_key_only
    )
    return [(one.effort, _told(wording, one)) for one in search.nearest()]


def _told(wording: Wording, found: Found) -> Miss:
    reasons = tuple(wording.told(one, degree, found.occurrence) for one, degree in found.chosen)
    kinds = tuple(one.kind.value for one, _ in found.chosen)
    return _miss(wording, reasons, kinds, (found.pattern, found.evidence), found.occurrence)


def _miss(
    wording: Wording,
    reasons: tuple[str, ...],
    kinds: tuple[str, ...],
    patterns: tuple[Pattern, Pattern],
    occurrence: Occurrence,
) -> Miss:
    events = wording.events_of(occurrence)
    pattern, evidence = patterns
    return Miss(reasons, kinds, events, pattern, CONTEXT, evidence, occurrence, tuple(map(wording.event, events)))


def _distance(occurrence: Occurrence, around: int | None) -> float:
    if around is None:
        return 0
    return max(occurrence.begin - around, around - occurrence.end, 0)


def _instant(around: str | float | datetime | None) -> int | None:
    try:
        return None if around is None else to_instant(around)
    except ValueError as error:
        hint = "a time is ISO text like 2026-07-10T09:20:00Z, a datetime, or milliseconds since 1970"
        raise InputError(Diagnostic("E607", f"around: {error}", hint=hint)) from None
