"""What stopped a pattern, in words: with the events, the values and the times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ensue.algebra import Context, Pattern, atoms
from ensue.algebra.expressions import Compare, Expression, Literal, attributes_in, variables_in
from ensue.algebra.patterns import Absence, And, Aperiodic, At, Atom, Before, Inside, SomeOf, Star, Then, Within
from ensue.algebra.printing import print_name
from ensue.asking.why_not.relaxing import FRESH, Kind, Relaxation, links
from ensue.model import Event, Occurrence, Taxonomy, Value, kind, value_key
from ensue.model.values import ValueKey
from ensue.reference import evaluate
from ensue.reference.conditions import holds
from ensue.reference.substitutions import agree, lies_in
from ensue.time import format_duration, format_instant

_KINDS = {"number": "a number", "text": "a text", "truth": "a truth value", "time": "a time"}
_UNITS = ((86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"))


class Wording:
    """Says what a change is for, given an occurrence of the pattern with that change."""

    def __init__(self, events: Sequence[Event], taxonomy: Taxonomy, asked: Mapping[str, frozenset[str]]) -> None:
        self._events = events
        self._by_id = {event.id: event for event in events}
        self._taxonomy = taxonomy
        self._asked = asked

    def told(self, one: Relaxation, degree: Any, occurrence: Occurrence) -> str:
        match one.kind:
            case Kind.LIMIT:
                return self._limit(one.part, degree, occurrence)
            case Kind.INTERVAL:
                return self._interval(one, occurrence)
            case Kind.CONDITION:
                return self._condition(one, occurrence)
            case Kind.FILTER:
                return f"`{one.detail}` does not hold{_bound(one.detail, occurrence)}"
            case Kind.FORBIDDEN:
                return self._forbidden(one, occurrence)
            case Kind.ORDER:
                return f"the order is another one: {self._order(one.part, degree)}"
            case Kind.VALUE:
                return self._value(one, occurrence)
            case Kind.ABSENT:
                return self._absent(one, occurrence)
            case Kind.CLASS:
                return f"there is no {one.part.type}, but there is {degree}"
            case Kind.COUNT:
                return _count(one.part, degree)
            case Kind.PART:
                return "; ".join(self._missing(part, occurrence) for part in _left_out(one.part, degree))

    def event(self, event: Event) -> str:
        """An event in a few words: its class, its id, its time, and the attributes that the pattern looks at."""
        wanted = self._asked.get(event.type, frozenset())
        known = ((name, value) for name, value in event.attributes.items() if name in wanted and value is not None)
        values = ", ".join(f"{print_name(name)} = {shown(value)}" for name, value in known)
        return f"{event.type} {event.id} at {format_instant(event.time)}{f' ({values})' if values else ''}"

    def events_of(self, occurrence: Occurrence) -> tuple[Event, ...]:
        """The events that an occurrence is made of; those that the pattern itself makes have no class but `timer`."""
        return tuple(
            self._by_id.get(constituent.id) or Event(constituent.id, "timer", constituent.time)
            for constituent in occurrence.constituents
        )

    def _limit(self, part: Within, degree: int, occurrence: Occurrence) -> str:
        allowed = f"`within {format_duration(part.duration)}`"
        over = in_words(degree - part.duration)
        last = self.events_of(occurrence)[-1:]
        if occurrence.end - occurrence.begin == degree and last and last[0].time == occurrence.end:
            came = (
                f"{last[0].type} {last[0].id} came at {format_instant(last[0].time)}, {over} after {allowed} had ended"
            )
            return f"{came} (it took {in_words(degree)})"
        return f"it takes {in_words(degree)}, {over} longer than {allowed} allows"

    def _interval(self, one: Relaxation, occurrence: Occurrence) -> str:
        match one.part:
            case Before(_, instant):
                by = f"{in_words(occurrence.end - instant)} " if occurrence.end > instant else ""
                return f"it ends at {format_instant(occurrence.end)}, {by}after `before {format_instant(instant)}`"
            case Inside(_, interval):
                listed = f"[{format_instant(interval.start)} .. {format_instant(interval.end)}]"
                if one.detail == "start":
                    return f"it begins before {listed}, at {format_instant(occurrence.begin)}"
                return f"it ends after {listed}, at {format_instant(occurrence.end)}"
            case At(_, instant, unit):
                return f"it ends at {format_instant(occurrence.end)}, and not in [{format_instant(instant, unit)}]"
            case _:
                raise TypeError(f"{type(one.part).__name__} has no interval")

    def _condition(self, one: Relaxation, occurrence: Occurrence) -> str:
        atom, condition = one.part, one.detail
        failing = [
            event
            for event in self.events_of(occurrence)
            if atom.type in self._taxonomy.above(event.type) and not holds(condition, event.attributes.get)
        ]
        if not failing:
            return f"`{condition}` does not hold of {atom.type}"
        event = failing[0]
        values = " and ".join(_attribute(name, event.attributes.get(name)) for name in sorted(attributes_in(condition)))
        more = f" (and {len(failing) - 1} more like it)" if len(failing) > 1 else ""
        return f"{event.type} {event.id} has {values}, and `{condition}` is asked for{_kinds(condition, event)}{more}"

    def _forbidden(self, one: Relaxation, occurrence: Occurrence) -> str:
        part = one.part
        excluded = [one.detail] if one.detail is not None else list(part.children())
        word = {Aperiodic: "no", Absence: "absence of", SomeOf: "exactly"}.get(type(part), "without")
        found = [
            other
            for pattern in excluded
            for other in evaluate(pattern, self._events, Context.ALL, self._taxonomy)
            if lies_in(other, occurrence.begin, occurrence.end)
            and agree(other.bindings, occurrence.bindings)
            and (not isinstance(part, SomeOf) or not set(other.constituents) <= set(occurrence.constituents))
        ]
        if not found:
            return f"`{word} {excluded[0]}` forbids it"
        first = " and ".join(self.event(event) for event in self.events_of(found[0]))
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        return (
            f"{first}{more} lies in between, which `{word} {part if isinstance(part, SomeOf) else excluded[0]}` forbids"
        )

    def _order(self, part: Pattern, order: tuple[int, ...] | None) -> str:
        parts = [part.left, part.right] if isinstance(part, Star) else links(part) if isinstance(part, Then) else []
        places = order or tuple(reversed(range(len(parts))))
        return f"it would be `{' then '.join(str(parts[place]) for place in places)}`"

    def _value(self, one: Relaxation, occurrence: Occurrence) -> str:
        variable, attribute = one.detail
        bound = dict(occurrence.bindings)
        mine, others = bound.get(variable + FRESH), bound.get(variable)
        if mine is None:
            return f"{attribute} of {one.part.type} is another one than ?{variable} of the others"
        told = f"{attribute} of {one.part.type} is {_keyed(mine)}"
        if others is None:
            return f"{told}, and that is not the key that was asked for"
        kinds = f" ({_KINDS[mine[0]]} and {_KINDS[others[0]]} are never equal)" if mine[0] != others[0] else ""
        return f"{told}, and ?{variable} of the others is {_keyed(others)}{kinds}"

    def _missing(self, part: Pattern, occurrence: Occurrence) -> str:
        """Nothing fits a part; of a single event how many there are that could have."""
        told = f"nothing fits `{part}`"
        if not isinstance(part, Atom):
            return told
        of_class = [event for event in self._events if part.type in self._taxonomy.above(event.type)]
        if not of_class:
            return f"{told}: there is no {part.type}"
        fitting = [
            self._by_id[other.ids[0]]
            for other in evaluate(part, of_class, Context.ALL, self._taxonomy)
            if agree(other.bindings, occurrence.bindings)
        ]
        others = [event for event in fitting if event.id not in occurrence.ids]
        if not others:
            return f"{told}: of {len(of_class):,} {part.type} none is as it is asked for"
        nearest = min(others, key=lambda event: max(occurrence.begin - event.time, event.time - occurrence.end))
        return f"{told}: the nearest is {self.event(nearest)}"

    def _absent(self, one: Relaxation, occurrence: Occurrence) -> str:
        _, attribute = one.detail
        atom = one.part
        lacking = [
            event
            for event in self.events_of(occurrence)
            if atom.type in self._taxonomy.above(event.type) and event.attributes.get(attribute) is None
        ]
        if lacking:
            return f"{lacking[0].type} {lacking[0].id} has no {attribute}"
        return f"{attribute} of {atom.type} is not what was asked for"


def asked_of(pattern: Pattern, taxonomy: Taxonomy, types: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each type of events the attributes that the pattern looks at; all of them, if it is of no class of it."""
    looked = [
        (
            atom.type,
            frozenset(attribute for _, attribute in atom.bindings)
            | (attributes_in(atom.condition) if atom.condition is not None else frozenset()),
        )
        for atom in atoms(pattern)
    ]
    everything = frozenset[str]().union(*(attributes for _, attributes in looked))
    found: dict[str, frozenset[str]] = {}
    for name in types:
        own = [attributes for kind_of, attributes in looked if kind_of in taxonomy.above(name)]
        found[name] = frozenset[str]().union(*own) if own else everything
    return found


def shown(value: Value) -> str:
    """A value as the language writes it."""
    return str(Literal(value)) if kind(value) != "time" else _time(value)


def _time(value: Value) -> str:
    return format_instant(int(value_key(value)[1]))


def _keyed(value: ValueKey) -> str:
    return format_instant(int(value[1])) if value[0] == "time" else str(Literal(value[1]))


def in_words(microseconds: int) -> str:
    """A length in two units at most: 71 s, 2 min 5 s, 3 h 10 min."""
    if microseconds < 120_000_000:
        return f"{microseconds / 1_000_000:g} s"
    for (size, name), (smaller, below) in pairwise(_UNITS):
        if microseconds >= size:
            rest = microseconds % size // smaller
            return f"{microseconds // size} {name}{f' {rest} {below}' if rest else ''}"
    raise AssertionError("there is a unit for two minutes and more")


def _attribute(name: str, value: Value | None) -> str:
    return f"no {name}" if value is None else f"{print_name(name)} = {shown(value)}"


def _kinds(condition: Expression, event: Event) -> str:
    """A remark where values of different kinds are compared: such a comparison never holds, whatever they look like."""
    if not isinstance(condition, Compare) or not isinstance(condition.right, Literal):
        return ""
    names, wanted = sorted(attributes_in(condition.left)), condition.right.value
    value = event.attributes.get(names[0]) if len(names) == 1 else None
    if value is None or wanted is None or kind(value) == kind(wanted):
        return ""
    return f": {_KINDS[kind(value)]} is never equal to {_KINDS[kind(wanted)]}"


def _bound(condition: Expression, occurrence: Occurrence) -> str:
    bound = dict(occurrence.bindings)
    names = sorted(variables_in(condition))
    listed = [f"?{name} = {_keyed(bound[name])}" if name in bound else f"?{name} has no value" for name in names]
    return f": {', '.join(listed)}" if listed else ""


def _count(part: Any, degree: int) -> str:
    wanted = part.count
    return f"there are {degree} instead of {wanted}: `{part}`"


def _left_out(part: Pattern, kept: Any) -> list[Pattern]:
    """The parts of a chain, or of what has two ends, that are not kept."""
    parts = links(part) if isinstance(part, (Then, And)) else list(part.children())
    chosen = kept if isinstance(kept, tuple) else (kept,)
    return [one for place, one in enumerate(parts) if place not in chosen and not _gathered(part, place)]


def _gathered(part: Pattern, place: int) -> bool:
    return isinstance(part, Star) and place == 1
