"""Context `latest`: events are taken one by one, each leaf holds its newest, and a firing uses up everything held.

Each substitution holds and fires on its own. Where docs/semantics.md §3 speaks of "the event that just came", timers
(temporal events, ends of intervals) count as events that come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ensue.algebra import Context, Pattern
from ensue.algebra.patterns import (
    Absence,
    AtLeast,
    AtMost,
    Atom,
    CalendarInterval,
    Delay,
    EveryNth,
    Exactly,
    FixedInterval,
    Last,
    Periodic,
    Rank,
    Times,
    Without,
)
from ensue.model import Event, Occurrence
from ensue.model.occurrences import Bindings
from ensue.reference.evaluator import Evaluation
from ensue.reference.intervals import spans
from ensue.reference.substitutions import agree, joined
from ensue.reference.world import AFTER_ALL, Path, Place, World, place

COUNTING = (AtLeast, AtMost, Exactly, EveryNth, Rank, Last)


def evaluate_latest(pattern: Pattern, world: World) -> list[Occurrence]:
    """The firings for every substitution, in the order of §1."""
    reported = {o for sigma in _substitutions(pattern, world) for o in _Machine(pattern, world, sigma).firings()}
    return sorted(reported, key=lambda o: o.order)


class _Machine:
    """One substitution: what its leaves hold, and when it last fired."""

    def __init__(self, pattern: Pattern, world: World, sigma: Bindings) -> None:
        self.pattern = pattern
        self.history = world
        self.sigma = sigma
        self.leaves = list(held_leaves(pattern))
        self.timers = [(path, node) for path, node in positive_nodes(pattern) if isinstance(node, (Delay, Periodic))]
        self.intervals = [node for _, node in positive_nodes(pattern) if isinstance(node, (*COUNTING, Absence))]
        self.world = replace(world, events=(), held={path: () for path, _, _ in self.leaves})

    def firings(self) -> Iterator[Occurrence]:
        """Take every event and every timer in order; report what fires."""
        coming = list(self.history.events)
        due = self._interval_ends()
        before: set[Occurrence] = set()
        while coming or due:
            now = min([*due, *(place(event) for event in coming[:1])])
            due.discard(now)
            if coming and place(coming[0]) == now:
                self._take(coming.pop(0))
            self.world = replace(self.world, now=now)
            found = self._over_held()
            new = [o for o in found if now[1] in o.ids or (self.intervals and o not in before)]
            if new:
                yield max(new, key=lambda o: (o.begin, o.order))
                empty = {path: () for path, _, _ in self.leaves}
                self.world = replace(self.world, held=empty, since=now)
                found = self._over_held()
            before = found
            due |= {timer for timer in self._timers() if timer > now}
            if self.intervals and now[1] != AFTER_ALL:
                due.add((now[0], AFTER_ALL))

    def _take(self, event: Event) -> None:
        held = dict(self.world.held or {})
        for path, atom, most in self.leaves:
            matches = Evaluation(replace(self.history, events=(event,)), Context.ALL).reports(atom)
            if any(agree(o.bindings, self.sigma) for o in matches):
                kept = (*held[path], event)
                held[path] = kept if most is None else kept[-most:]
        self.world = replace(self.world, events=(*self.world.events, event), held=held)

    def _over_held(self) -> set[Occurrence]:
        """The pattern, in the sense of ⟦q⟧, over what is held."""
        return {o for o in Evaluation(self.world, Context.ALL).reports(self.pattern) if o.bindings == self.sigma}

    def _timers(self) -> set[Place]:
        """The temporal events that what is held has started."""
        ahead = Evaluation(replace(self.world, now=None), Context.ALL)
        return {(c.time, c.id) for path, node in self.timers for o in ahead.reports(node, path) for c in o.constituents}

    def _interval_ends(self) -> set[Place]:
        fixed = [q for q in self.intervals if isinstance(q.interval, (FixedInterval, CalendarInterval))]
        return {(span.end, AFTER_ALL) for q in fixed for span in spans(q, (), self.history)}


def _substitutions(pattern: Pattern, world: World) -> set[Bindings]:
    """Every substitution that some of the leaves' events give together."""
    found: set[Bindings] = {()}
    for path, atom, _ in held_leaves(pattern):
        bindings = {o.bindings for o in Evaluation(world, Context.ALL).reports(atom, path)}
        found |= {both for sigma in found for other in bindings if (both := joined(sigma, other)) is not None}
    return found


def positive_nodes(pattern: Pattern, path: Path = ()) -> Iterator[tuple[Path, Pattern]]:
    """Every node, except what is only looked at to be excluded."""
    yield path, pattern
    if isinstance(pattern, Absence):
        return
    children = pattern.children()[:1] if isinstance(pattern, Without) else pattern.children()
    for place_, child in enumerate(children):
        yield from positive_nodes(child, (*path, place_))


def held_leaves(pattern: Pattern, path: Path = (), most: int | None = 1) -> Iterator[tuple[Path, Atom, int | None]]:
    """Each leaf with how many events it holds: one, n under `n times`, all since the last firing where they are
    counted.
    """
    match pattern:
        case Atom():
            yield path, pattern, most
            return
        case Times(count):
            most = None if most is None else most * count
        case AtLeast() | AtMost() | Exactly() | EveryNth() | Rank() | Last():
            most = None
        case Absence():
            return
    children = pattern.children()[:1] if isinstance(pattern, Without) else pattern.children()
    for place_, child in enumerate(children):
        yield from held_leaves(child, (*path, place_), most)
