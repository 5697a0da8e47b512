"""Patterns that ask for a little less than another one: without a limit, a condition, an exclusion, a part, an order.

Only what has to happen is relaxed. To ask for less of what is excluded, or counted up to a number, would be to ask for
more of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from itertools import combinations
from typing import Any, TypeAlias

from ensue.algebra import Pattern, atoms
from ensue.algebra.expressions import Attribute, Expression, IsNull, Literal, conjunction, conjuncts
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
    FixedInterval,
    Inside,
    Last,
    Or,
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
from ensue.algebra.rewriting import replace_at
from ensue.model import Event

Path: TypeAlias = tuple[int, ...]

FRESH = "'"
"""Behind the name of a variable: the value that one event has where the others have another."""


class Kind(Enum):
    """What is not asked for any more."""

    LIMIT = "limit"
    INTERVAL = "interval"
    CONDITION = "condition"
    FILTER = "filter"
    FORBIDDEN = "forbidden"
    ORDER = "order"
    VALUE = "value"
    ABSENT = "absent"
    CLASS = "class"
    COUNT = "count"
    PART = "part"


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One way to ask for less, at one place. `degrees` say by how much, the smallest change first.

    `part` is the node that stands there; what kind of node it is follows from the kind of the change.
    """

    kind: Kind
    path: Path
    part: Any
    make: Callable[[Any, Any], Pattern]
    degrees: Sequence[Any] = (None,)
    detail: Any = None

    def apply(self, pattern: Pattern, degree: Any) -> Pattern:
        return replace_at(pattern, self.path, lambda node: self.make(node, degree))


def relaxed(pattern: Pattern, chosen: Iterable[tuple[Relaxation, Any]]) -> Pattern:
    """The pattern with several changes: the innermost first, since the outer ones may take their place away."""
    for relaxation, degree in sorted(chosen, key=lambda pair: len(pair[0].path), reverse=True):
        pattern = relaxation.apply(pattern, degree)
    return pattern


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What there is to ask for instead: from when to when, among how many events, and classes whose names are near."""

    first: int
    last: int
    count: int
    near_classes: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, events: Sequence[Event], near_classes: Mapping[str, tuple[str, ...]]) -> Surroundings:
        times = [event.time for event in events] or [0]
        return cls(min(times), max(times), len(events), near_classes)

    def longer(self, duration: int) -> range:
        """How long things may have taken that took longer; what timers make may lie beyond the last event."""
        return range(duration + 1, duration + 2 * (self.last - self.first) + 1)


def relaxations(pattern: Pattern, around: Surroundings) -> list[Relaxation]:
    """Every single way to ask for less."""
    shared = _shared_variables(pattern)
    return [one for path, node in _happening(pattern, ()) for one in _of_node(node, path, around, shared)]


def _happening(node: Pattern, path: Path) -> Iterator[tuple[Path, Pattern]]:
    """The parts that have to happen, each with its place. A chain of `then` or `and` is one part, with its links."""
    yield path, node
    if isinstance(node, (Then, And)):
        for way, link in _links(node, path):
            yield from _happening(link, way)
        return
    for place in _places_that_happen(node):
        yield from _happening(node.children()[place], (*path, place))


def _places_that_happen(node: Pattern) -> tuple[int, ...]:
    """Which children of a node have to happen: the others are excluded, gathered, or counted up to a number."""
    match node:
        case Without() | Periodic(collected=False):
            return (0,)
        case Star() | Aperiodic(collected=True):
            return (0, 2)
        case Aperiodic():
            return (0, 1)
        case Absence() | AtMost() | Exactly():
            return ()
        case _:
            return tuple(range(len(node.children())))


def _links(node: Then | And, path: Path) -> list[tuple[Path, Pattern]]:
    """The links of a chain, from left to right: N-ary forms nest to the left."""
    found: list[tuple[Path, Pattern]] = []
    current: Pattern = node
    while type(current) is type(node) and isinstance(current, (Then, And)):
        found.append(((*path, 1), current.right))
        current, path = current.left, (*path, 0)
    return [(path, current), *reversed(found)]


def links(node: Then | And) -> list[Pattern]:
    """The links of a chain of `then` or `and`, from left to right."""
    return [link for _, link in _links(node, ())]


def _of_node(node: Pattern, path: Path, around: Surroundings, shared: frozenset[str]) -> Iterator[Relaxation]:
    match node:
        case Atom():
            yield from _of_atom(node, path, around, shared)
        case Within(_, duration):
            yield Relaxation(Kind.LIMIT, path, node, _with_duration, around.longer(duration))
        case Inside() | Before() | At():
            yield from _of_interval(node, path, around)
        case Where(_, condition):
            for part in conjuncts(condition):
                yield Relaxation(Kind.FILTER, path, node, _without_filter(part), detail=part)
        case Without(_, excluded):
            yield Relaxation(Kind.FORBIDDEN, path, node, lambda this, _: this.operand, detail=excluded)
        case Absence(excluded):
            yield Relaxation(Kind.FORBIDDEN, path, node, _ignoring, detail=excluded)
        case Aperiodic(collected=False):
            yield Relaxation(Kind.FORBIDDEN, path, node, lambda this, _: Then(this.start, this.body), detail=node.stop)
        case Then() | And():
            yield from _of_chain(node, path)
        case ThenBetween():
            yield Relaxation(Kind.PART, path, node, lambda this, kept: this.children()[kept], (0, 1))
        case Star():
            yield Relaxation(Kind.ORDER, path, node, lambda this, _: Star(this.right, this.repeated, this.left))
            yield Relaxation(Kind.PART, path, node, lambda this, kept: this.children()[kept], (0, 2))
        case SomeOf(count, _, exactly):
            if exactly:
                yield Relaxation(Kind.FORBIDDEN, path, node, lambda this, _: replace(this, exactly=False))
            yield from _fewer(node, path, count)
        case Times(count) | AtLeast(count) | Rank(count) | EveryNth(count):
            yield from _fewer(node, path, count)
        case AtMost(count):
            yield Relaxation(Kind.COUNT, path, node, _counting, range(count + 1, count + 2 + around.count))
        case Exactly(count):
            others = sorted(set(range(around.count + 1)) - {count}, key=lambda other: abs(other - count))
            yield Relaxation(Kind.COUNT, path, node, _counting, tuple(others))
        case Or() | Delay() | Periodic() | Last() | _:
            return


def _of_atom(atom: Atom, path: Path, around: Surroundings, shared: frozenset[str]) -> Iterator[Relaxation]:
    for name in around.near_classes.get(atom.type, ()):
        yield Relaxation(Kind.CLASS, path, atom, lambda this, other: replace(this, type=other), (name,), detail=name)
    if atom.condition is not None:
        for part in conjuncts(atom.condition):
            yield Relaxation(Kind.CONDITION, path, atom, _without_condition(part), detail=part)
    for pair in atom.bindings:
        if pair[0] in shared:
            yield Relaxation(Kind.VALUE, path, atom, _renaming(pair), detail=pair)
        yield Relaxation(Kind.ABSENT, path, atom, _unbinding(pair), detail=pair)


def _of_interval(node: Inside | Before | At, path: Path, around: Surroundings) -> Iterator[Relaxation]:
    match node:
        case Before(_, instant):
            yield Relaxation(Kind.INTERVAL, path, node, _with_instant, range(instant + 1, around.last + 1))
        case Inside(_, FixedInterval(start, end)):
            yield Relaxation(Kind.INTERVAL, path, node, _with_end, range(end + 1, around.last + 1), "end")
            yield Relaxation(Kind.INTERVAL, path, node, _with_start, range(start - 1, around.first - 1, -1), "start")
        case At():
            yield Relaxation(Kind.INTERVAL, path, node, lambda this, _: this.operand)


def _of_chain(node: Then | And, path: Path) -> Iterator[Relaxation]:
    size = len(links(node))
    if isinstance(node, Then):
        orders = [order for order in _moves(size) if order != tuple(range(size))]
        for order in orders:
            yield Relaxation(Kind.ORDER, path, node, _arranged, (order,), order)
    for left_out in range(size):
        kept = tuple(place for place in range(size) if place != left_out)
        yield Relaxation(Kind.PART, path, node, _arranged, (kept,), kept)


def smaller_chains(pattern: Pattern) -> Iterator[Relaxation]:
    """Each chain with more than one part left out, for what came no further than that; the longest ones first."""
    for path, node in _happening(pattern, ()):
        if isinstance(node, (Then, And)):
            size = len(links(node))
            for left in range(size - 2, 0, -1):
                subsets = combinations(range(size), left) if size <= 6 else [tuple(range(left))]
                for kept in subsets:
                    yield Relaxation(Kind.PART, path, node, _arranged, (kept,), kept)


def _moves(size: int) -> list[tuple[int, ...]]:
    """The orders that differ in the place of one part."""
    found: dict[tuple[int, ...], None] = {}
    for moved in range(size):
        others = [place for place in range(size) if place != moved]
        for place in range(size):
            found[(*others[:place], moved, *others[place:])] = None
    return list(found)


def _fewer(node: Pattern, path: Path, count: int) -> Iterator[Relaxation]:
    if count > 1:
        yield Relaxation(Kind.COUNT, path, node, _counting, range(count - 1, 0, -1))


def _shared_variables(pattern: Pattern) -> frozenset[str]:
    """The variables on which two places have to agree."""
    bound = [name for atom in atoms(pattern) for name, _ in atom.bindings]
    again = [name for _, node in _happening(pattern, ()) if isinstance(node, Atom) for name, _ in node.bindings]
    return frozenset(name for name in bound if bound.count(name) > 1 or again.count(name) > 1)


# How a node is made that asks for less, given by how much.


def _with_duration(node: Within, duration: int) -> Pattern:
    return Within(node.operand, duration)


def _with_instant(node: Before, instant: int) -> Pattern:
    return Before(node.operand, instant)


def _with_end(node: Inside, end: int) -> Pattern:
    return Inside(node.operand, FixedInterval(node.interval.start, end))


def _with_start(node: Inside, start: int) -> Pattern:
    return Inside(node.operand, FixedInterval(start, node.interval.end))


def _without_filter(part: Expression) -> Callable[[Where, Any], Pattern]:
    def make(node: Where, _: object) -> Pattern:
        rest = conjunction([one for one in conjuncts(node.condition) if one != part])
        return node.operand if rest is None else Where(node.operand, rest)

    return make


def _without_condition(part: Expression) -> Callable[[Atom, Any], Pattern]:
    def make(atom: Atom, _: object) -> Pattern:
        kept = [one for one in conjuncts(atom.condition) if one != part] if atom.condition is not None else []
        return replace(atom, condition=conjunction(kept))

    return make


def _renaming(pair: tuple[str, str]) -> Callable[[Atom, Any], Pattern]:
    """The attribute has to be there, but its value may be another than that of the other events."""

    def make(atom: Atom, _: object) -> Pattern:
        renamed = tuple((one[0] + FRESH, one[1]) if one == pair else one for one in atom.bindings)
        return replace(atom, bindings=renamed)

    return make


def _unbinding(pair: tuple[str, str]) -> Callable[[Atom, Any], Pattern]:
    """The attribute is missing, and so binds nothing."""

    def make(atom: Atom, _: object) -> Pattern:
        known = list(conjuncts(atom.condition)) if atom.condition is not None else []
        missing = conjunction([*known, IsNull(Attribute(pair[1]))])
        return replace(atom, condition=missing, bindings=tuple(one for one in atom.bindings if one != pair))

    return make


def _ignoring(node: Absence, _: object) -> Pattern:
    """Nothing is looked for in the interval: a condition that never holds."""
    return replace(node, excluded=Atom("nothing", Literal(False)))


def _arranged(node: Then | And, order: tuple[int, ...]) -> Pattern:
    parts = links(node)
    return reduce(type(node), [parts[place] for place in order])


def _counting(node: Any, count: int) -> Pattern:
    changed: Pattern = replace(node, count=count)
    return changed
