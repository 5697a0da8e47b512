"""Which patterns that ask for a little less have an occurrence: single changes first, then two and three together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log2
from typing import Any, TypeAlias

from ensue.algebra import Context, Pattern
from ensue.algebra.patterns import Before, Inside, Within
from ensue.asking.why_not.relaxing import FRESH, Kind, Relaxation, Surroundings, relaxations, relaxed, smaller_chains
from ensue.model import Constituent, Event, Occurrence, Taxonomy
from ensue.model.occurrences import Bindings
from ensue.reference import evaluate

Chosen: TypeAlias = tuple[tuple[Relaxation, Any], ...]

CONTEXT = Context.RECENT
"""In this context the reports of a part are few, and each is the shortest that ends there: the nearest one."""

MOST_TRIES = 300
"""So many combinations of two changes are tried, and as many of three."""

_EFFORT = {
    Kind.LIMIT: 1.0,
    Kind.CLASS: 1.2,
    Kind.FORBIDDEN: 1.3,
    Kind.CONDITION: 1.5,
    Kind.FILTER: 1.5,
    Kind.INTERVAL: 1.5,
    Kind.COUNT: 1.6,
    Kind.ORDER: 1.8,
    Kind.ABSENT: 2.0,
    Kind.VALUE: 1.4,
    Kind.PART: 3.0,
}
"""How far a change is from what was asked for: what is more likely to be meant is tried and told first."""

_UNLIKELY = 2.6
"""A value that has nothing in common with the one that the others have: just another key."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern that asks for less, what it was made by, the same for the key, and an occurrence of that."""

    chosen: Chosen
    pattern: Pattern
    evidence: Pattern
    occurrence: Occurrence
    effort: float


@dataclass(frozen=True)
class Search:
    """A pattern that has no occurrence among some events, or not where one is looked for.

    `keyed` puts what is asked of a key into a pattern; `near` says how well an occurrence lies, less being better.
    `of_key_only` says that events of other keys are not among the events, so that nothing can be said of them.
    """

    pattern: Pattern
    events: Sequence[Event]
    taxonomy: Taxonomy
    surroundings: Surroundings
    keyed: Callable[[Pattern], Pattern] = lambda pattern: pattern
    near: Callable[[Occurrence], float] = lambda _: 0
    of_key_only: bool = False

    def nearest(self) -> list[Found]:
        """What has an occurrence with the fewest changes; the nearest first."""
        single = relaxations(self.pattern, self.surroundings)
        if self.of_key_only:
            single = [one for one in single if one.kind is not Kind.VALUE]
        found = list(self._matching([(one,) for one in single]))
        for together in (2, 3):
            if any(one.effort < _EFFORT[Kind.PART] for one in found) or (together > 2 and found):
                break
            enough = [{id(one) for one, _ in known.chosen} for known in found]
            several = [
                group
                for group in combinations(single, together)
                if _fit(group, allow_parts=not found) and not any(known <= set(map(id, group)) for known in enough)
            ]
            several.sort(key=lambda group: sum(_EFFORT[one.kind] for one in group))
            found += self._matching(several[:MOST_TRIES])
        if not found:
            found = list(self._matching([(one,) for one in smaller_chains(self.pattern)], enough=1))
        likely = [one for one in found if one.effort < _EFFORT[Kind.PART]]
        return sorted(likely or found, key=lambda one: one.effort)

    def _matching(self, groups: Iterable[tuple[Relaxation, ...]], enough: int | None = None) -> Iterator[Found]:
        count = 0
        for group in groups:
            chosen = tuple((one, one.degrees[-1]) for one in group if one.degrees)
            if len(chosen) == len(group) and self._occurrences(chosen):
                least = self._least(chosen)
                occurrence = min(self._occurrences(least), key=lambda one: self._merit(least, one))
                effort = self._effort(least, occurrence)
                pattern = relaxed(self.pattern, least)
                yield Found(least, pattern, self.keyed(pattern), occurrence, effort)
                count += 1
                if count == enough:
                    return

    def _occurrences(self, chosen: Chosen) -> list[Occurrence]:
        """What is found for less, and was not found before: elsewhere the pattern may have occurrences."""
        found = evaluate(self.keyed(relaxed(self.pattern, chosen)), self.events, CONTEXT, self.taxonomy)
        return [one for one in found if one.constituents not in self._known]

    @cached_property
    def _known(self) -> set[tuple[Constituent, ...]]:
        """What the occurrences of the pattern itself are made of."""
        found = evaluate(self.keyed(self.pattern), self.events, CONTEXT, self.taxonomy)
        return {one.constituents for one in found}

    def _least(self, chosen: Chosen) -> Chosen:
        """The same changes, each as small as it can be: by halves, as if larger ones did wherever smaller ones do."""
        for place, (one, _) in enumerate(chosen):
            low, high = 0, len(one.degrees) - 1
            while low < high:
                middle = (low + high) // 2
                tried = (*chosen[:place], (one, one.degrees[middle]), *chosen[place + 1 :])
                low, high = (low, middle) if self._occurrences(tried) else (middle + 1, high)
            chosen = (*chosen[:place], (one, one.degrees[high]), *chosen[place + 1 :])
        return chosen

    def _merit(self, chosen: Chosen, occurrence: Occurrence) -> tuple[float, float, int, int]:
        return (
            sum(_strangeness(one, occurrence.bindings) for one, _ in chosen),
            self.near(occurrence),
            occurrence.end - occurrence.begin,
            -occurrence.end,
        )

    def _effort(self, chosen: Chosen, occurrence: Occurrence) -> float:
        return sum(
            _EFFORT[one.kind] + _distance(one, degree) + _strangeness(one, occurrence.bindings)
            for one, degree in chosen
        )


def _fit(group: tuple[Relaxation, ...], *, allow_parts: bool) -> bool:
    """Of one place either the order or the parts are changed, and a variable is bound otherwise or not at all.

    If something is found by leaving out one part, nothing else is left out together with a part.
    """
    if not allow_parts and any(one.kind is Kind.PART for one in group):
        return False
    structural = [one.path for one in group if one.kind in (Kind.ORDER, Kind.PART)]
    bindings = [(one.path, one.detail) for one in group if one.kind in (Kind.VALUE, Kind.ABSENT)]
    return len(structural) == len(set(structural)) and len(bindings) == len(set(bindings))


def _distance(one: Relaxation, degree: Any) -> float:
    """How much more than the least is needed: of a limit how many times as long, of others how far it is from all."""
    if isinstance(one.part, Within):
        return min(2.0, log2((degree + 1) / (one.part.duration + 1)) / 4)
    if one.kind is Kind.INTERVAL and degree is not None:
        return min(2.0, log2(1 + _outside(one.part, degree) / 1_000_000) / 20)
    if one.kind is Kind.PART and isinstance(degree, tuple):  # what got further is nearer
        size = len(degree) + 1
        return 0.1 * (size - min(set(range(size)) - set(degree), default=size)) / size
    return one.degrees.index(degree) / len(one.degrees)


def _outside(part: Pattern, instant: int) -> int:
    """How far an instant lies outside of what a part allows."""
    match part:
        case Before(_, last):
            return instant - last
        case Inside(_, interval):
            return max(interval.start - instant, instant - interval.end)
        case _:
            return 0


def _strangeness(one: Relaxation, bindings: Bindings) -> float:
    """How little two values of one variable have in common: `Ann` and `ann `, or 7 and '7', are probably the same."""
    if one.kind is not Kind.VALUE:
        return 0
    bound = dict(bindings)
    mine, others = bound.get(one.detail[0] + FRESH), bound.get(one.detail[0])
    if mine is None or others is None:
        return _UNLIKELY
    return 0 if str(mine[1]).strip().casefold() == str(others[1]).strip().casefold() else _UNLIKELY
