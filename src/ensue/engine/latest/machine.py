"""Events one by one: each leaf holds its newest, each substitution fires on its own, and timers count as events that
come.

What a firing is looked for in is a handful of held events, and only when every leaf that is needed holds something.
So this is the one place where the engine asks the definition itself, ⟦q⟧ of the reference, instead of having a third
implementation of every operator (docs/decisions/0004).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ensue.algebra import Context, Pattern, atoms, scope
from ensue.algebra.bounds import lifespan
from ensue.algebra.patterns import (
    Absence,
    Aperiodic,
    Atom,
    CalendarInterval,
    Delay,
    FixedInterval,
    Periodic,
    SomeOf,
    Without,
)
from ensue.algebra.variables import walk
from ensue.engine.arrays import FOREVER
from ensue.engine.latest.needs import could_hold
from ensue.model import Event, Occurrence, Taxonomy
from ensue.model.occurrences import Bindings
from ensue.reference.evaluator import Evaluation
from ensue.reference.intervals import spans
from ensue.reference.latest import COUNTING, held_leaves, positive_nodes
from ensue.reference.substitutions import agree, joined
from ensue.reference.world import AFTER_ALL, Path, Place, World, place


@dataclass(slots=True)
class Firing:
    """One substitution: when it last fired, what followed then from what it held, and the timers that are due."""

    since: Place | None = None
    before: frozenset[Occurrence] = frozenset()
    due: set[Place] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Leaf:
    """An atom at a place in the pattern, and how many events it holds (None: all since the last firing)."""

    path: Path
    atom: Atom
    most: int | None
    variables: frozenset[str]


class LatestMachine:
    """A whole pattern in context `latest`."""

    def __init__(self, pattern: Pattern, taxonomy: Taxonomy) -> None:
        self.pattern = pattern
        self.world = World((), taxonomy)
        self.always = scope(pattern).always
        self.reach = lifespan(pattern).length
        self.leaves = [
            Leaf(path, a, most, frozenset(v for v, _ in a.bindings)) for path, a, most in held_leaves(pattern)
        ]
        self.timers = [(path, q) for path, q in positive_nodes(pattern) if isinstance(q, (Delay, Periodic))]
        counting = [q for _, q in positive_nodes(pattern) if isinstance(q, (*COUNTING, Absence))]
        self.counts = bool(counting)
        self.intervals = [q for q in counting if isinstance(q.interval, (FixedInterval, CalendarInterval))]
        excluded = [e for q in walk(pattern) for e in _excluded(q)]
        self.excluding = [a for e in excluded for a in atoms(e)]
        reaches = [lifespan(e).length for e in excluded]
        self.before = max((FOREVER if reach is None else reach for reach in reaches), default=0)
        """How long before what it excludes from the events of an exclusion can lie: a delay comes after its cause."""
        self.blocking = [q.excluded for q in walk(pattern) if isinstance(q, Without) and q.since_firing]
        self.held: dict[Path, dict[Bindings, list[Event]]] = {leaf.path: defaultdict(list) for leaf in self.leaves}
        self.excluded: list[Event] = []
        self.firings: dict[Bindings, Firing] = {} if self.always else {(): Firing()}
        self.place: Place = (-FOREVER, "")

    def advance(self, events: list[Event], clock: int, span: tuple[int, int] | None) -> list[Occurrence]:
        """Take events in order, and the timers up to the clock."""
        # Calendars are looked through from what is still remembered, not from the beginning of time.
        past = self.world.remembered
        self.world = replace(self.world, span=span if past is None or span is None else (max(span[0], past), span[1]))
        self._plan_timers()
        found: list[Occurrence] = []
        for event in events:
            found += self._fire_timers(place(event))
            found += self._take(event)
        found += self._fire_timers((clock, AFTER_ALL))
        if clock < FOREVER:
            self._forget(clock)
        return found

    def _take(self, event: Event) -> Iterator[Occurrence]:
        self.place = place(event)
        touched: set[Bindings] = set()
        for leaf in self.leaves:
            for bindings in self._bindings(leaf.atom, event):
                kept = self.held[leaf.path][bindings]
                kept.append(event)
                if leaf.most is not None:
                    del kept[: -leaf.most]
                touched.add(bindings)
        if any(self.world.is_a(event, atom) for atom in self.excluding):
            self.excluded.append(event)
        for sigma in sorted(self._completed(touched)):
            if sigma not in self.firings:
                self.firings[sigma] = Firing(due=self._interval_ends())
            yield from self._look(sigma, self.firings[sigma], self.place)

    def _completed(self, touched: set[Bindings]) -> set[Bindings]:
        """Every full substitution that what an event binds can be part of."""
        found = set(touched)
        for leaf in self.leaves:
            narrow = {sigma for sigma in found if not leaf.variables <= {name for name, _ in sigma}}
            others = self.held[leaf.path].keys() if narrow else ()
            found |= {both for sigma in narrow for other in others if (both := joined(sigma, other)) is not None}
        return {sigma for sigma in found if self.always <= {name for name, _ in sigma}}

    def _fire_timers(self, until: Place) -> Iterator[Occurrence]:
        """The timers that are due no later than a place, in order."""
        while True:
            waiting = [(min(firing.due), sigma) for sigma, firing in self.firings.items() if firing.due]
            if not waiting or min(waiting)[0] > until:
                return
            now, sigma = min(waiting)
            self.place = now
            self.firings[sigma].due.discard(now)
            yield from self._look(sigma, self.firings[sigma], now)

    def _look(self, sigma: Bindings, firing: Firing, now: Place) -> Iterator[Occurrence]:
        """Whether the pattern holds over what is held, with what just came."""
        held = self._held(sigma, firing, now)
        if not could_hold(self.pattern, held.held or {}):
            found: frozenset[Occurrence] = frozenset()
        else:
            found = self._over(held, sigma)
            new = [o for o in found if now[1] in o.ids or (self.counts and o not in firing.before)]
            if new:
                yield max(new, key=lambda o: (o.begin, o.order))
                firing.since = now
                held = self._held(sigma, firing, now)
                found = self._over(held, sigma) if self.counts else frozenset()
        firing.before = found
        firing.due |= self._timers(held, now)
        if self.counts and now[1] != AFTER_ALL:
            firing.due.add((now[0], AFTER_ALL))

    def _over(self, held: World, sigma: Bindings) -> frozenset[Occurrence]:
        return frozenset(o for o in Evaluation(held, Context.ALL).reports(self.pattern) if o.bindings == sigma)

    def _held(self, sigma: Bindings, firing: Firing, now: Place) -> World:
        """What the leaves hold for a substitution: their newest events since its last firing that agree with it."""
        held: dict[Path, tuple[Event, ...]] = {}
        bound = {name for name, _ in sigma}
        for leaf in self.leaves:
            known = self.held[leaf.path]
            if leaf.variables <= bound:
                own = tuple(pair for pair in sigma if pair[0] in leaf.variables)
                events = list(known.get(own, ()))
            else:
                events = [event for other, kept in known.items() if agree(other, sigma) for event in kept]
            fresh = sorted((e for e in events if firing.since is None or place(e) > firing.since), key=place)
            held[leaf.path] = tuple(fresh if leaf.most is None else fresh[-leaf.most :])
        return replace(self.world, events=tuple(self.excluded), held=held, now=now, since=firing.since)

    def _timers(self, held: World, now: Place) -> set[Place]:
        """The temporal events ahead that what is held has started."""
        if not self.timers:
            return set()
        ahead = Evaluation(replace(held, now=None), Context.ALL)
        found = {
            (c.time, c.id) for path, node in self.timers for o in ahead.reports(node, path) for c in o.constituents
        }
        return {timer for timer in found if timer > now}

    def _plan_timers(self) -> None:
        """The history has grown: periods go on, and calendars have new instances."""
        for sigma, firing in self.firings.items():
            firing.due |= self._interval_ends()
            firing.due |= self._timers(self._held(sigma, firing, self.place), self.place)

    def _interval_ends(self) -> set[Place]:
        """The ends of intervals that are still ahead."""
        ends = {(span.end, AFTER_ALL) for q in self.intervals for span in spans(q, (), self.world)}
        return {end for end in ends if end > self.place}

    def _bindings(self, atom: Atom, event: Event) -> list[Bindings]:
        """The substitution that an event gives at an atom; none if the atom does not want it."""
        if not self.world.is_a(event, atom):
            return []
        alone = World((event,), self.world.taxonomy)
        return [o.bindings for o in Evaluation(alone, Context.ALL).reports(atom)]

    def _forget(self, clock: int) -> None:
        """Events older than the pattern's lifespan matter no more, nor firings that nothing held is older than."""
        if self.reach is not None:
            oldest = clock - self.reach
            self.world = replace(self.world, remembered=oldest)
            for known in self.held.values():
                for bindings in list(known):
                    known[bindings] = [event for event in known[bindings] if event.time >= oldest]
                    if not known[bindings]:
                        del known[bindings]
            for sigma, firing in list(self.firings.items()):
                if self.blocking or not sigma or firing.due:
                    continue
                if firing.since is None or firing.since[0] < oldest:
                    del self.firings[sigma]
        elif self.counts:
            oldest = -FOREVER
        else:
            held = [event.time for known in self.held.values() for kept in known.values() for event in kept]
            oldest = min(held, default=clock) - self.before
        kept = self._blockers()
        self.excluded = [event for event in self.excluded if event.time >= oldest or event.id in kept]

    def _blockers(self) -> set[str]:
        """What `A and !B` must remember, however old: every B since the last firing; of a single event, the newest."""
        sinces = [firing.since for firing in self.firings.values()]
        first = min((since for since in sinces if since is not None), default=None) if None not in sinces else None
        kept: set[str] = set()
        for excluded in self.blocking:
            newest: dict[object, str] = {}
            for event in self.excluded:
                if first is None or place(event) > first:
                    for atom in atoms(excluded):
                        for bindings in self._bindings(atom, event):
                            newest[bindings if excluded == atom else event.id] = event.id
            kept.update(newest.values())
        return kept


def _excluded(q: Pattern) -> tuple[Pattern, ...]:
    """What is only looked at to be excluded, among everything that has come."""
    match q:
        case Without(_, excluded, _) | Absence(excluded, _):
            return (excluded,)
        case Aperiodic(stop=stop, collected=False) | Periodic(stop=stop, collected=False):
            return (stop,)
        case SomeOf(_, operands, True):
            return operands
        case _:
            return ()
