"""From patterns to a plan: nodes in an order in which each comes after its inputs; equal parts are one node.

Mirrors the reference: limits reach down, and tests wait for the nearest combining node. In addition, a condition over
variables is tested as far down as its variables are bound. That is safe in every context, because candidates are
selected from group by group and a group is one joined substitution: such a test removes whole groups and touches no
other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ensue.algebra import Context, Pattern, scope, walk
from ensue.algebra.bounds import interval_length, longest
from ensue.algebra.expressions import Expression, conjuncts, variables_in
from ensue.algebra.families import Family, families
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
from ensue.engine.arrays import FOREVER
from ensue.engine.candidates import BETWEEN, INSIDE, Excluded, Tests
from ensue.engine.columns import Column, from_values
from ensue.engine.nodes.base import Node
from ensue.engine.nodes.intervals import Absences, Counting, During
from ensue.engine.nodes.latest import Latest
from ensue.engine.nodes.leaves import AnyEvent, Leaf, RuleLeaf
from ensue.engine.nodes.matching import Side
from ensue.engine.nodes.pairs import Kind, Pairs
from ensue.engine.nodes.repeats import Repeats
from ensue.engine.nodes.simple import Filter, Union
from ensue.engine.nodes.some_of import SomeOf as SomeOfNode
from ensue.engine.nodes.timers import CollectedPeriods, Delays, Periods
from ensue.model import Taxonomy
from ensue.time import unit_end

_COUNTING = {
    AtLeast: Counting.AT_LEAST,
    AtMost: Counting.AT_MOST,
    Exactly: Counting.EXACTLY,
    EveryNth: Counting.EVERY,
    Rank: Counting.RANK,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Nodes, inputs first, and which of them reports each pattern."""

    nodes: tuple[Node, ...]
    patterns: tuple[Pattern | None, ...]
    roots: Mapping[str, int]
    """The node that reports each pattern; it reports a whole family if the pattern is in one."""
    families: tuple[Family, ...] = ()


def make_plan(patterns: Mapping[str, tuple[Pattern, Context]], taxonomy: Taxonomy) -> Plan:
    """One plan for several patterns; what they have in common is worked out once."""
    found = families(patterns)
    planner = _Planner(taxonomy, {family.rule: family for family in found})
    whole = [(family, planner.root(family.template, family.context)) for family in found]
    together = {name: root for family, root in whole for name in family.numbers}
    roots = {
        name: together[name] if name in together else planner.root(pattern, context)
        for name, (pattern, context) in patterns.items()
    }
    return Plan(tuple(planner.nodes), tuple(planner.origins), roots, found)


class _Planner:
    def __init__(self, taxonomy: Taxonomy, rules: Mapping[str, Family]) -> None:
        self.taxonomy = taxonomy
        self.rules = rules
        self.parameters: dict[str, dict[str, Column]] = {}
        self.nodes: list[Node] = []
        self.origins: list[Pattern | None] = []
        self.known: dict[object, int] = {}

    def root(self, q: Pattern, context: Context) -> int:
        """The node that reports a whole pattern."""
        if context is Context.LATEST:
            return self._shared((q, context), lambda: Latest(q, self.taxonomy), q)
        return self.node(q, context, Tests())

    def node(self, q: Pattern, context: Context, tests: Tests) -> int:
        """The node that reports q under the tests of the nodes above it."""
        key = (q, context, tests)
        if key not in self.known:
            self.known[key] = self._new(q, context, tests)
        return self.known[key]

    def _new(self, q: Pattern, context: Context, tests: Tests) -> int:
        match q:
            case Within(operand, duration):
                return self.node(operand, context, tests.within(duration))
            case Inside(operand, interval):
                return self.node(operand, context, tests.inside(interval.start, interval.end))
            case Before(operand, instant):
                return self.node(operand, context, tests.inside(-FOREVER, instant))
            case At(operand, instant, unit):
                return self.node(operand, context, replace(tests, at=(*tests.at, (instant, unit_end(instant, unit)))))
            case Where(operand, condition):
                more = (*tests.conditions, *conjuncts(condition))
                return self.node(operand, context, replace(tests, conditions=more))
            case Without(operand, excluded, _):
                fits = longest(operand, finite(tests.longest))
                found = self._excluded(INSIDE, excluded, cut_to(tests, excluded, fits))
                return self.node(operand, context, replace(tests, excluded=(*tests.excluded, found)))
            case Or(left, right):
                sides = [self._plain(self.node(side, context, tests)) for side in (left, right)]
                return self._add(Union(sides, context is Context.RECENT), q)
        tests = no_longer(tests, longest(q, finite(tests.longest)))
        return self._combining(q, context, tests)

    def _combining(self, q: Pattern, context: Context, tests: Tests) -> int:
        match q:
            case And(left, right):
                return self._pairs(q, Kind.AND, context, left, right, tests)
            case Then(left, right):
                return self._pairs(q, Kind.THEN, context, left, right, tests)
            case ThenBetween(left, right):
                everything = Side(self._shared("any event", AnyEvent), ())
                return self._pairs(q, Kind.THEN, context, left, right, tests, everything)
            case Star(left, repeated, right):
                gathered = self._side(repeated, context, tests.limits())
                return self._pairs(q, Kind.THEN, context, left, right, tests, gathered)
            case Aperiodic(start, body, stop, False):
                found = self._excluded(BETWEEN, stop, tests)
                return self._pairs(
                    q, Kind.THEN, context, start, body, replace(tests, excluded=(*tests.excluded, found))
                )
            case Aperiodic(start, body, stop, True):
                gathered = self._side(body, context, tests.limits())
                return self._pairs(q, Kind.FIRST_STOP, context, start, stop, tests, gathered)
            case SomeOf(count, operands, exactly):
                sides = [self._side(operand, context, tests.limits()) for operand in operands]
                others = [self._side(o, Context.ALL, tests.limits()) for o in operands] if exactly else []
                return self._add(SomeOfNode(count, context, sides, others, tests), q)
            case Times(count, operand):
                conditions = replace(tests.limits(), conditions=tests.conditions)
                source = self.node(operand, context, conditions if scope(operand).always else tests.limits())
                rest = replace(tests, conditions=()) if scope(operand).always else tests
                return self._add(Repeats(count, context, source, self.nodes[source].variables, rest), q)
            case _:
                return self._tested(self._passing(q, context), tests, q)

    def _passing(self, q: Pattern, context: Context) -> int:
        """Nodes that do not select: limits do not reach through them."""
        match q:
            case Atom():
                return self._shared(q, lambda: self._leaf(q), q)
            case Delay(operand, duration):
                return self._add(Delays(duration, self._side(operand, context, Tests())), q)
            case Periodic(start, period, stop, False):
                opens, closes = self._side(start, context, Tests()), self._side(stop, Context.ALL, Tests())
                return self._add(Periods(period, opens, closes, longest(stop)), q)
            case Periodic(start, period, stop, True):
                opens, closes = self._side(start, context, Tests()), self._side(stop, context, Tests())
                return self._add(CollectedPeriods(period, opens, closes), q)
            case Absence(excluded, interval):
                limits = cut_to(Tests(), excluded, interval_length(interval))
                return self._add(Absences(self._side(excluded, Context.ALL, limits), interval), q)
            case Last(operand, _):
                return self._during(q, Counting.LAST, 0, operand, context)
            case AtLeast() | AtMost() | Exactly() | EveryNth() | Rank():
                return self._during(q, _COUNTING[type(q)], q.count, q.operand, context)
            case _:
                raise TypeError(f"{type(q).__name__} is no node of the algebra")

    def _leaf(self, atom: Atom) -> Node:
        family = next((self.rules[name] for name, _ in atom.bindings if name in self.rules), None)
        if family is None:
            return Leaf(atom, self.taxonomy)
        if family.rule not in self.parameters:
            self.parameters[family.rule] = {name: from_values(listed) for name, listed in family.parameters.items()}
        return RuleLeaf(atom, self.parameters[family.rule], family.size, self.taxonomy)

    def _during(
        self,
        q: AtLeast | AtMost | Exactly | EveryNth | Rank | Last,
        counting: Counting,
        count: int,
        operand: Pattern,
        context: Context,
    ) -> int:
        # Where nothing is used up, only what fits into the interval matters.
        fits = interval_length(q.interval) if context is Context.ALL else None
        counted = self._side(operand, context, cut_to(Tests(), operand, fits))
        if not isinstance(q.interval, PatternInterval):
            return self._add(During(counting, count, counted, q.interval, None), q)
        inner = self._side(q.interval.pattern, context, Tests())
        return self._add(During(counting, count, counted, inner, longest(q.interval.pattern)), q)

    def _pairs(
        self,
        q: Pattern,
        kind: Kind,
        context: Context,
        left: Pattern,
        right: Pattern,
        tests: Tests,
        gathered: Side | None = None,
    ) -> int:
        conditions, left_tests, right_tests = pushed(tests, left, right)
        one, two = self._side(left, context, left_tests), self._side(right, context, right_tests)
        return self._add(Pairs(kind, context, one, two, replace(tests, conditions=conditions), gathered), q)

    def _side(self, q: Pattern, context: Context, tests: Tests) -> Side:
        node = self.node(q, context, tests)
        bound = scope(q)
        reach = longest(q, finite(tests.longest))
        return Side(
            node, self.nodes[node].variables, bound.always == bound.sometimes, FOREVER if reach is None else reach
        )

    def _plain(self, node: int) -> tuple[int, tuple[str, ...]]:
        return node, self.nodes[node].variables

    def _excluded(self, kind: int, q: Pattern, tests: Tests) -> Excluded:
        node = self.node(q, Context.ALL, tests.limits())
        return Excluded(kind, node, self.nodes[node].variables)

    def _tested(self, node: int, tests: Tests, q: Pattern) -> int:
        if replace(tests, longest=FOREVER).trivial and tests.longest >= (
            longest(q) or 0 if longest(q) is not None else FOREVER
        ):
            return node
        return self._add(Filter(self.nodes[node].variables, node, tests), q)

    def _shared(self, key: object, make: object, q: Pattern | None = None) -> int:
        if key not in self.known:
            self.known[key] = self._add(make(), q)  # type: ignore[operator]  # a function without arguments
        return self.known[key]

    def _add(self, node: Node, q: Pattern | None) -> int:
        self.nodes.append(node)
        self.origins.append(q)
        return len(self.nodes) - 1


def no_longer(tests: Tests, length: int | None) -> Tests:
    """What is longer than this is of no interest."""
    return tests if length is None else tests.within(length)


def cut_to(tests: Tests, q: Pattern, length: int | None) -> Tests:
    """Limits for what is only looked for inside something no longer than this, so that the engine need not keep more.

    A limit that nobody wrote must not change an answer: it would, where it takes a row out of what is counted.
    """
    counts = any(isinstance(node, Times) or (isinstance(node, Aperiodic) and node.collected) for node in walk(q))
    return tests if counts else no_longer(tests, length)


def finite(length: int) -> int | None:
    return None if length == FOREVER else length


def pushed(tests: Tests, left: Pattern, right: Pattern) -> tuple[tuple[Expression, ...], Tests, Tests]:
    """The conditions that must be tested on the pair, and the limits and conditions for each side."""
    stays: list[Expression] = []
    sides: tuple[list[Expression], list[Expression]] = ([], [])
    for condition in tests.conditions:
        names = variables_in(condition)
        places = [i for i, side in enumerate((left, right)) if names and names <= scope(side).always]
        if not places:
            stays.append(condition)
        for place in places:
            sides[place].append(condition)
    limits = tests.limits()
    return tuple(stays), replace(limits, conditions=tuple(sides[0])), replace(limits, conditions=tuple(sides[1]))
