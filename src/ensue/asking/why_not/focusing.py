"""Where to look: of a long history, the stretches in which most of what a pattern needs lies together.

A stretch is all events between two times, so that an occurrence in it is one in the whole history too: what a pattern
without timers finds between two times depends on nothing else.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ensue.algebra import Pattern, atoms
from ensue.algebra.bounds import lifespan
from ensue.algebra.patterns import Atom
from ensue.asking.why_not.keys import Key
from ensue.model import Event, Taxonomy, Value, value_key
from ensue.model.values import ValueKey
from ensue.reference.conditions import holds

MOST = 60
"""So many events that a pattern could take are compared with each other."""

MOST_OTHERS = 2000
"""So many events lie in a stretch at most. If there are more of them, those of other keys are left out."""

PLACES = 3
"""So many stretches are looked at if nobody says where to look."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some events next to each other in time, the key they were chosen for, and whether those of others are missing."""

    events: tuple[Event, ...]
    key: Key
    of_key_only: bool = False


@dataclass(frozen=True, slots=True)
class _Sight:
    """An event as an atom of the pattern sees it: whether it passes its condition."""

    event: Event
    atom: int
    passes: bool


@dataclass(frozen=True, slots=True)
class View:
    """A pattern, and the events that matter to it, in order of time."""

    pattern: Pattern
    events: Sequence[Event]
    taxonomy: Taxonomy

    def stretches(self, key: Key, around: int | None) -> list[Stretch]:
        """The stretches to look at: around a time, or where most of the pattern lies together."""
        listed = atoms(self.pattern)
        sights = [
            _Sight(event, number, holds(atom.condition, event.attributes.get))
            for number, atom in enumerate(listed)
            for event in self._of(atom, key, self.events)
        ]
        if len(sights) <= MOST and len(self.events) <= MOST_OTHERS:
            return [Stretch(tuple(self.events), key)]
        sights.sort(key=lambda sight: sight.event.time)
        if around is not None or not sights:
            return [self._stretch(sights, around or 0, key)]
        length = lifespan(self.pattern).length
        groups = {None: sights} if key.given else _groups(listed, sights)
        best = sorted(((*_densest(of_key, length), of_key, name) for name, of_key in groups.items()), key=_score)
        found = []
        for _, centre, of_key, name in best[:PLACES]:
            value = None if name is None else _value(listed, name[0], of_key[0])
            own = key if name is None or value is None else key.and_of(name[0], value)
            found.append(self._stretch(of_key, centre, own))
        return found

    def _of(self, atom: Atom, key: Key, events: Sequence[Event]) -> list[Event]:
        """The events of an atom's class that are of the key, whatever else the atom asks for."""
        wanted = key.condition(atom)
        return [
            event
            for event in events
            if atom.type in self.taxonomy.above(event.type) and holds(wanted, event.attributes.get)
        ]

    def _stretch(self, sights: Sequence[_Sight], centre: int, key: Key) -> Stretch:
        """All events of the time in which the nearest ones lie; if those are very many, those of the key alone."""
        times = [one.event.time for one in sorted(sights, key=lambda one: abs(one.event.time - centre))[:MOST]]
        found = self._between(min(times, default=centre), max(times, default=centre))
        if len(found) <= MOST_OTHERS:
            return Stretch(tuple(found), key)
        mine = {event.id for atom in atoms(self.pattern) for event in self._of(atom, key, found)}
        found = [event for event in found if event.id in mine]
        if len(found) > MOST_OTHERS:
            middle = bisect_left([event.time for event in found], centre)
            found = found[max(0, middle - MOST_OTHERS // 2) : middle + MOST_OTHERS // 2]
        return Stretch(tuple(found), key, of_key_only=True)

    def _between(self, start: int, end: int) -> Sequence[Event]:
        moments = [event.time for event in self.events]
        return self.events[bisect_left(moments, start) : bisect_right(moments, end)]


def _score(one: tuple[int, int, object, object]) -> int:
    return -one[0]


def _groups(listed: Sequence[Atom], sights: list[_Sight]) -> dict[tuple[str, ValueKey] | None, list[_Sight]]:
    """What each value of the variable that most atoms bind is seen with; everything together if there is none."""
    bound = [name for atom in listed for name in {variable for variable, _ in atom.bindings}]
    shared = max(sorted(set(bound)), key=bound.count, default=None)
    if shared is None or bound.count(shared) < 2:
        return {None: sights}
    groups: dict[tuple[str, ValueKey] | None, list[_Sight]] = defaultdict(list)
    for sight in sights:
        value = _value(listed, shared, sight)
        if value is not None:
            groups[shared, value_key(value)].append(sight)
    return dict(groups) or {None: sights}


def _value(listed: Sequence[Atom], variable: str, sight: _Sight) -> Value | None:
    bound = (attribute for name, attribute in listed[sight.atom].bindings if name == variable)
    return next((sight.event.attributes.get(attribute) for attribute in bound), None)


def _densest(sights: Sequence[_Sight], length: int | None) -> tuple[int, int]:
    """How much of the pattern can be seen within twice its length, at best, and where the middle of that is.

    What came a little too late is to be seen too, and what came at any time is better than nothing.
    """
    counts: dict[tuple[int, bool], int] = defaultdict(int)
    best, centre, first = -1, sights[0].event.time, 0
    for last, sight in enumerate(sights):
        counts[sight.atom, sight.passes] += 1
        while length is not None and sight.event.time - sights[first].event.time > 2 * length:
            counts[sights[first].atom, sights[first].passes] -= 1
            first += 1
        seen = [key for key, count in counts.items() if count]
        passing = {atom for atom, passes in seen if passes}
        score = 3 * len(passing) + len({atom for atom, _ in seen} - passing) + (last > first)
        if score >= best:
            best, centre = score, (sights[first].event.time + sight.event.time) // 2
    return best + len({sight.atom for sight in sights if sight.passes}), centre
