"""⟦q⟧ and the reports of q in a context: one function an operator, each quoting the definition it implements."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from ensue.algebra import Context, Pattern, scope
from ensue.algebra.patterns import (
    Absence,
    And,
    Aperiodic,
    At,
    AtLeast,
    AtMost,
    Atom,
    Before,
    Delay,
    EveryNth,
    Exactly,
    Inside,
    Last,
    Or,
    PatternInterval,
    Periodic,
    Rank,
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Times,
    Where,
    Within,
    Without,
)
from ensue.model import Constituent, Event, Occurrence, Taxonomy, Value, temporal_id, value_key
from ensue.model.occurrences import Bindings
from ensue.reference.conditions import holds
from ensue.reference.intervals import Span, spans
from ensue.reference.selection import Candidate, Part, select
from ensue.reference.substitutions import agree, follows, joined, lies_in, union
from ensue.reference.world import UNLIMITED, Limits, Path, Test, World, place
from ensue.time import to_datetime, unit_end


def evaluate(
    pattern: Pattern,
    events: Iterable[Event],
    context: Context | str = Context.RECENT,
    taxonomy: Taxonomy | None = None,
    until: int | None = None,
) -> list[Occurrence]:
    """Everything that a pattern reports over a whole history, in the order of §1.

    The history goes from its first event to its last, or on to `until`, if a clock has shown a later time.
    """
    chosen = Context.of(context)
    world = World.of(events, taxonomy, until)
    if chosen is Context.LATEST:
        from ensue.reference.latest import evaluate_latest

        return evaluate_latest(pattern, world)
    return sorted(Evaluation(world, chosen).reports(pattern), key=lambda o: o.order)


class Evaluation:
    """One world seen in one context."""

    def __init__(self, world: World, context: Context) -> None:
        self.world = world
        self.context = context

    def reports(
        self, q: Pattern, path: Path = (), limits: Limits = UNLIMITED, tests: tuple[Test, ...] = ()
    ) -> set[Occurrence]:
        """What a node reports. `tests` are those of the nodes above it, for the candidates of the nearest combining
        node.
        """
        down = partial(self._child, q, path)
        match q:
            # Restrictions reach down; all tests wait for the nearest combining node below.
            case Within(operand, duration):
                return self.reports(operand, (*path, 0), limits.within(duration), tests)
            case Inside(operand, interval):
                return self.reports(operand, (*path, 0), limits.inside(interval.start, interval.end), tests)
            case Before(operand, instant):
                return self.reports(operand, (*path, 0), limits.inside(None, instant), tests)
            case At(operand, instant, unit):
                last = unit_end(instant, unit)
                return self.reports(operand, (*path, 0), limits, (*tests, lambda o: instant <= o.end < last))
            case Where(operand, condition):
                return self.reports(operand, (*path, 0), limits, (*tests, lambda o: holds(condition, _lookup(o))))
            case Without(operand, excluded, since_firing):
                test = self._without(excluded, (*path, 1), limits, since_firing)
                return self.reports(operand, (*path, 0), limits, (*tests, test))
            case Or(left, right):
                both = self.reports(left, (*path, 0), limits, tests) | self.reports(right, (*path, 1), limits, tests)
                return both if self.context is not Context.RECENT else self._select([Candidate((), o) for o in both])

        admitted = _all_of((limits.admit, *tests))
        match q:
            case Atom():
                found = self._atom(q, path)
            case And():
                return self._select(self._combined([down(0, limits), down(1, limits)], admitted))
            case Then():
                return self._select(self._sequences(down(0, limits), down(1, limits), admitted))
            case ThenBetween():
                return self._select(self._with_between(down(0, limits), down(1, limits), admitted))
            case Star():
                pairs = self._sequences(down(0, limits), down(2, limits), admitted)
                return self._select(self._gathering(pairs, down(1, limits)))
            case Aperiodic(collected=False):
                stops = self._everything(q.stop, (*path, 2), limits)
                pairs = self._sequences(down(0, limits), down(1, limits), admitted)
                return self._select([c for c in pairs if not _between(c, stops)])
            case Aperiodic(collected=True):
                pairs = self._first_stops(down(0, limits), down(2, limits))
                tested = [c for c in pairs if admitted(c.whole)]
                return self._select(self._gathering(tested, down(1, limits)))
            case SomeOf():
                return self._select(self._some_of(q, path, limits, admitted))
            case Times():
                return self._times(q.count, down(0, limits), admitted)
            case Delay(operand, duration):
                found = {_temporal(a, duration) for a in down(0)}
            case Periodic():
                found = self._periodic(q, path)
            case Absence():
                found = self._absence(q, path)
            case AtLeast() | AtMost() | Exactly() | EveryNth() | Rank() | Last():
                found = self._during(q, path)
            case _:
                raise TypeError(f"{type(q).__name__} is no node of the algebra")
        return {o for o in found if admitted(o) and self.world.known(o)}

    def _child(self, q: Pattern, path: Path, place: int, limits: Limits = UNLIMITED) -> set[Occurrence]:
        return self.reports(q.children()[place], (*path, place), limits)

    def _everything(self, q: Pattern, path: Path, limits: Limits = UNLIMITED) -> set[Occurrence]:
        """⟦q⟧: what only excludes is looked for among all occurrences, whatever the context, and whatever is held."""
        return Evaluation(replace(self.world, held=None), Context.ALL).reports(q, path, limits)

    def _select(self, candidates: Iterable[Candidate]) -> set[Occurrence]:
        return select(self.context, candidates)

    def _atom(self, atom: Atom, path: Path) -> set[Occurrence]:
        """One for each event whose type is T or below T, that passes the conditions; binds variables."""
        found = set()
        for event in self.world.leaf(path, atom):
            if holds(atom.condition, event.attributes.get):
                values: dict[str, Value | None] = {}
                pairs = [(variable, event.attributes.get(attribute)) for variable, attribute in atom.bindings]
                values.update(pairs)
                if all(v is not None and _same(v, values[name]) for name, v in pairs):
                    bound = {name: value for name, value in values.items() if value is not None}
                    found.add(Occurrence.of(event.time, event.time, [Constituent(event.time, event.id)], bound))
        return found

    def _combined(self, operands: Sequence[Iterable[Occurrence]], admitted: Test) -> list[Candidate]:
        """a∪b with σa⋈σb; the same event may serve both sides."""
        return [
            c for c in _unions([[Part(i, o) for o in side] for i, side in enumerate(operands)]) if admitted(c.whole)
        ]

    def _sequences(self, left: Iterable[Occurrence], right: Iterable[Occurrence], admitted: Test) -> list[Candidate]:
        """a∪b with end(a) ≤ begin(b), a∩b = ∅, σa⋈σb."""
        return [c for c in self._combined([left, right], admitted) if follows(*(part.occurrence for part in c.parts))]

    def _with_between(self, left: Iterable[Occurrence], right: Iterable[Occurrence], admitted: Test) -> list[Candidate]:
        """As a sequence, plus every event received with time in [end(a), begin(b)], added after selection."""
        received = [Constituent(event.time, event.id) for event in self.world.received()]
        found = []
        for c in self._sequences(left, right, admitted):
            first, second = c.parts[0].occurrence, c.parts[1].occurrence
            between = frozenset(e for e in received if first.end <= e.time <= second.begin)
            found.append(Candidate(c.parts, c.whole, between))
        return found

    def _gathering(self, pairs: Iterable[Candidate], bodies: Iterable[Occurrence]) -> list[Candidate]:
        """With every agreeing b between; zero or more."""
        everything = list(bodies)
        found = []
        for c in pairs:
            gathered = frozenset(constituent for b in _between(c, everything) for constituent in b.constituents)
            found.append(Candidate(c.parts, c.whole, gathered))
        return found

    def _first_stops(self, starts: Iterable[Occurrence], stops: Iterable[Occurrence]) -> list[Candidate]:
        """Each a with the first (in §1) agreeing c after it, for each joined substitution: `once, at c`."""
        first: dict[object, Candidate] = {}
        for c in self._sequences(starts, stops, lambda _: True):
            key = (c.parts[0], c.whole.bindings)
            if key not in first or c.parts[1].occurrence.order < first[key].parts[1].occurrence.order:
                first[key] = c
        return list(first.values())

    def _some_of(self, q: SomeOf, path: Path, limits: Limits, admitted: Test) -> Iterable[Candidate]:
        """Any m of the operands, combined as `and`; each serves once. If exactly: none of the others inside."""
        reports = [self.reports(operand, (*path, i), limits) for i, operand in enumerate(q.operands)]
        for chosen in itertools.combinations(range(len(q.operands)), q.count):
            rest = set[Occurrence]()
            for i in set(range(len(reports))) - set(chosen) if q.exactly else ():
                rest |= self._everything(q.operands[i], (*path, i), limits)
            for c in _unions([[Part(i, o) for o in reports[i]] for i in chosen]):
                if admitted(c.whole) and not _any_inside(rest, c.whole):
                    yield c

    def _times(self, count: int, reports: Iterable[Occurrence], admitted: Test) -> set[Occurrence]:
        """Each run of n successive occurrences (in the order of §1, per σ): disjoint in chronicle and cumulative."""
        runs = []
        for group in _by_bindings(reports).values():
            start = 0
            for stop in range(count, len(group) + 1):
                whole = union(group[stop - count : stop], group[0].bindings)
                if stop - count >= start and admitted(whole):
                    runs.append(Candidate((), whole))
                    if self.context in (Context.CHRONICLE, Context.CUMULATIVE):
                        start = stop
        return select(self.context if self.context is Context.RECENT else Context.ALL, runs)

    def _without(self, excluded: Pattern, path: Path, limits: Limits, since_firing: bool) -> Test:
        """No b such that begin(a) ≤ begin(b), end(b) ≤ end(a) and σb agrees with σa."""
        if since_firing and self.world.now is not None:
            since = self.world.since
            recent = tuple(event for event in self.world.events if since is None or place(event) > since)
            world = replace(self.world, events=recent, held=None)
            found = Evaluation(world, Context.ALL).reports(excluded, limits=limits)
            return lambda a: not any(agree(b.bindings, a.bindings) for b in found)
        everything = self._everything(excluded, path, limits)
        return lambda a: not _any_inside(everything, a)

    def _periodic(self, q: Periodic, path: Path) -> set[Occurrence]:
        """Temporal events at end(a)+k·d, k ≥ 1, up to begin(c); starred: once, at c, with all of them."""
        starts, horizon = self._child(q, path, 0), self.world.span
        stops = self._child(q, path, 1) if q.collected else self._everything(q.stop, (*path, 1))
        found: set[Occurrence] = set()
        if q.collected:
            for c in self._first_stops(starts, stops):
                start, stop = (part.occurrence for part in c.parts)
                ticks = [_temporal(start, d) for d in range(q.period, stop.begin - start.end + 1, q.period)]
                found.add(union([stop, *ticks], c.whole.bindings))
            return found
        for start in starts:
            ends = [c.order for c in stops if follows(start, c) and agree(start.bindings, c.bindings)]
            last = min(ends)[1] if ends else horizon[1] if horizon else start.end
            found |= {_temporal(start, d) for d in range(q.period, last - start.end + 1, q.period)}
        return found

    def _absence(self, q: Absence, path: Path) -> set[Occurrence]:
        """One occurrence [s, t], no constituents, if no b lies in it."""
        everything = self._everything(q.excluded, (*path, 0))
        meant = spans(q, (), self.world)
        free = [s for s in meant if not any(lies_in(b, s.begin, s.end) for b in everything)]
        return {Occurrence(s.begin, s.end, ()) for s in free if self.world.ended(s.end)}

    def _during(self, q: AtLeast | AtMost | Exactly | EveryNth | Rank | Last, path: Path) -> set[Occurrence]:
        """What lies in I: begin(I) ≤ begin and end ≤ end(I), per I and σ."""
        reports = self._child(q, path, 0)
        inner = self._child(q, path, 1) if len(q.children()) == 2 else set[Occurrence]()
        bound_inside = scope(q.operand).sometimes
        found: set[Occurrence] = set()
        for interval in spans(q, inner, self.world):
            groups: dict[Bindings, list[Occurrence]] = defaultdict(list)
            for a in sorted(reports, key=lambda o: o.order):
                sigma = joined(a.bindings, interval.bindings)
                if sigma is not None and lies_in(a, interval.begin, interval.end):
                    groups[sigma].append(a)
            if not groups and bound_inside <= {name for name, _ in interval.bindings}:
                groups[interval.bindings] = []  # zero counts where σ comes from the interval
            for sigma, inside in groups.items():
                found |= set(_counted(q, inside, sigma, interval, self.world.ended(interval.end)))
        return found


def _counted(
    q: AtLeast | AtMost | Exactly | EveryNth | Rank | Last,
    inside: list[Occurrence],
    sigma: Bindings,
    interval: Span,
    ended: bool,
) -> list[Occurrence]:
    """What the counting operator makes of the occurrences in one interval, for one substitution.

    `atmost`, `exactly` and `last` are known when the interval has ended, and so is all that is `during {C}`.
    """
    if not ended and (isinstance(q, (AtMost, Exactly, Last)) or isinstance(q.interval, PatternInterval)):
        return []
    match q:
        case AtLeast(count):
            return [union(inside[:count], sigma)] if len(inside) >= count else []
        case AtMost(count) | Exactly(count):
            fits = len(inside) <= count if isinstance(q, AtMost) else len(inside) == count
            constituents = sorted({c for a in inside for c in a.constituents})
            return [Occurrence(interval.begin, interval.end, tuple(constituents), sigma)] if fits else []
        case EveryNth(count):
            return [union([a], sigma) for a in inside[count - 1 :: count]]
        case Rank(count):
            return [union([inside[count - 1]], sigma)] if len(inside) >= count else []
        case Last():
            return [union([inside[-1]], sigma)] if inside else []


def _between(pair: Candidate, others: Iterable[Occurrence]) -> list[Occurrence]:
    """The others that lie between the two parts, as `first then other then second`, and agree with both."""
    first, second = (part.occurrence for part in pair.parts)
    return [o for o in others if follows(first, o) and follows(o, second) and agree(o.bindings, pair.whole.bindings)]


def _unions(operands: Sequence[Sequence[Part]]) -> Iterable[Candidate]:
    """Every way to take one part of each operand such that the substitutions join."""
    for parts in itertools.product(*operands):
        sigma: Bindings | None = ()
        for part in parts:
            sigma = joined(sigma, part.occurrence.bindings) if sigma is not None else None
        if sigma is not None:
            yield Candidate(parts, union((part.occurrence for part in parts), sigma))


def _temporal(a: Occurrence, delay: int) -> Occurrence:
    """A new temporal event at end(a)+d with a's σ; its id comes from a's id and d."""
    time = a.end + delay
    name = temporal_id(a.ids, a.bindings, (a.begin, a.end), delay)
    return Occurrence(time, time, (Constituent(time, name),), a.bindings)


def _any_inside(others: Iterable[Occurrence], whole: Occurrence) -> bool:
    return any(lies_in(o, whole.begin, whole.end) and agree(o.bindings, whole.bindings) for o in others)


def _by_bindings(occurrences: Iterable[Occurrence]) -> dict[Bindings, list[Occurrence]]:
    groups: dict[Bindings, list[Occurrence]] = defaultdict(list)
    for occurrence in sorted(occurrences, key=lambda o: o.order):
        groups[occurrence.bindings].append(occurrence)
    return groups


def _lookup(occurrence: Occurrence) -> Callable[[str], Value | None]:
    bound = {
        name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in occurrence.bindings
    }
    return bound.get


def _same(left: Value, right: Value | None) -> bool:
    return right is not None and value_key(left) == value_key(right)


def _all_of(tests: tuple[Test, ...]) -> Test:
    return lambda occurrence: all(test(occurrence) for test in tests)
