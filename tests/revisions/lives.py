"""What holds at each step by the definition, and the same from lives, for worlds with one class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from ensue.algebra.classes import PatternClass
from ensue.model import Taxonomy
from ensue.model.announcements import Announcement, Clock
from ensue.model.notices import ComplexEvent
from ensue.reference.publishing import by_key, derive_patterns, looks_of
from ensue.reference.versions import admit, current, timeline
from ensue.revisions.lives import Life, Lives
from ensue.revisions.stretches import Step
from ensue.revisions.versions import Versions

if TYPE_CHECKING:
    from tests.revisions.worlds import Inputs, World

Held = dict[str, ComplexEvent]


def held_by_definition(world: World) -> dict[int, Held]:
    """D at every step: where something is announced, something known falls due, or a class is looked at."""
    derive, looks = derive_patterns(world.classes), looks_of(world.classes)
    announced = timeline(world.inputs)
    admitted, _ = admit({one.name: one for one in world.subscribed}, announced)
    last = max(one.time for one in world.inputs if isinstance(one, Clock))
    steps, found = sorted({taken.step for taken in announced}), {}
    waiting = set(steps)
    while waiting:
        t = min(waiting)
        known = current(admitted, t)
        derived = by_key(derive(known, t))
        found[t] = {key: event for (_, key), event in derived.items()}
        due = {event.time for event in derived.values() if t < event.time <= last}
        due |= {look for look in looks(known, derived.values(), t) if look <= last}
        waiting = {step for step in waiting | due if step > t}
    return found


def steps_of(world: World) -> list[Step]:
    versions = Versions({one.name: one for one in world.subscribed})
    taken = sorted(timeline(world.inputs), key=lambda one: one.step)
    by_step = groupby(taken, key=lambda one: one.step)
    return [(step, versions.take(step, [one.announcement for one in some])) for step, some in by_step]


def windows(steps: Sequence[Step], cuts: Iterable[int], last: int) -> list[tuple[list[Step], int]]:
    """The steps in windows that end after the given places; the last one ends with the clock."""
    bounds = [0, *sorted({place + 1 for place in cuts if place + 1 < len(steps)}), len(steps)]
    parts = [list(steps[one:two]) for one, two in pairwise(bounds)]
    return [(part, part[-1][0] if place + 1 < len(parts) else last) for place, part in enumerate(parts) if part]


Change = Callable[[Lives], Lives]


def held_by_lives(
    declared: PatternClass, steps: Sequence[Step], cuts: Iterable[int], last: int, every: int, between: Change
) -> list[Life]:
    """All lives, window by window; `between` gives what goes on after each window."""
    lives, found = Lives(declared, Taxonomy(), every), list[Life]()
    for part, end in windows(steps, cuts, last):
        found = [*(one for one in found if one.until is not None), *merged(found, lives.window(part, end))]
        lives = between(lives)
    return found


def merged(known: Iterable[Life], told: Sequence[Life]) -> list[Life]:
    """What held before and is not mentioned goes on; what is mentioned stands as it is said now."""
    touched = {one.event.key for one in told}
    return [*(one for one in known if one.until is None and one.event.key not in touched), *told]


def at(found: Iterable[Life], step: int) -> Held:
    holding = [one for one in found if one.since <= step and (one.until is None or step < one.until)]
    assert len({one.event.key for one in holding}) == len(holding), "two versions of one event hold at once"
    return {one.event.key: one.event for one in holding}


def saved(declared: PatternClass, every: int) -> Change:
    def again(lives: Lives) -> Lives:
        other = Lives(declared, Taxonomy(), every)
        other.restore(lives.save())
        return other

    return again


def last_of(given: Inputs) -> int:
    return max(one.time if isinstance(one, Clock) else one.detected for one in given)


def announced(given: Inputs) -> list[Announcement]:
    return [one for one in given if isinstance(one, Announcement)]
