"""From patterns to nodes: what `engine.plan` does, for the patterns that can be taken event by event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from ensue.algebra import Context, Pattern, scope, walk
from ensue.algebra.bounds import lifespan, longest
from ensue.algebra.expressions import conjuncts
from ensue.algebra.patterns import (
    And,
    At,
    Atom,
    Before,
    Inside,
    Or,
    SomeOf,
    Then,
    Times,
    Where,
    Within,
    Without,
)
from ensue.engine.arrays import FOREVER
from ensue.engine.candidates import INSIDE, Excluded, Tests
from ensue.engine.immediate.agenda import Agenda
from ensue.engine.immediate.combining import Combining
from ensue.engine.immediate.parts import Log, Node
from ensue.engine.immediate.repeats import Repeats
from ensue.engine.immediate.simple import Check, Exclusion, Filter, Leaf, Union, check_of
from ensue.engine.plan import cut_to, finite, no_longer, pushed
from ensue.model import Taxonomy
from ensue.time import unit_end

_SUPPORTED = (And, At, Atom, Before, Inside, Or, SomeOf, Then, Times, Where, Within, Without)

_N = TypeVar("_N", bound=Node)


def supported(pattern: Pattern, context: Context) -> bool:
    """Whether the runtime can take the pattern: no timers, no intervals, nothing gathered, and a bounded state."""
    return (
        context is not Context.LATEST
        and lifespan(pattern).bounded
        and all(isinstance(q, _SUPPORTED) and not (isinstance(q, SomeOf) and q.exactly) for q in walk(pattern))
    )


class Compiler:
    """Makes nodes, inputs first; equal parts under equal tests are one node."""

    def __init__(self, taxonomy: Taxonomy, log: Log, agenda: Agenda) -> None:
        self.nodes: list[Node] = []
        self.leaves: dict[str, list[Leaf]] = {}
        """By the types of the events that they take."""
        self._taxonomy, self._log, self._agenda = taxonomy, log, agenda
        self._known: dict[object, Node] = {}

    def node(self, q: Pattern, context: Context, tests: Tests) -> Node:
        """The node that reports q under the tests of the nodes above it."""
        return self._shared((q, context, tests), lambda: self._new(q, context, tests))

    def _new(self, q: Pattern, context: Context, tests: Tests) -> Node:
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
                source = self.node(excluded, Context.ALL, cut_to(tests, excluded, fits).limits())
                found = Excluded(INSIDE, source.number, ())
                return self.node(operand, context, replace(tests, excluded=(*tests.excluded, found)))
            case Or(left, right):
                sides = [self.node(side, context, tests) for side in (left, right)]
                return self._add(Union(len(self.nodes), scope(q), sides, context is Context.RECENT))
        tests = no_longer(tests, longest(q, finite(tests.longest)))
        match q:
            case Atom():
                leaf = self._shared(q, lambda: self._leaf(q))
                if replace(tests, longest=FOREVER).trivial:
                    return leaf
                check = self._check(q, tests)
                return self._add(Filter(len(self.nodes), leaf, tests, check))
            case And(left, right) | Then(left, right):
                conditions, *down = pushed(tests, left, right)
                inputs = [self.node(*side) for side in ((left, context, down[0]), (right, context, down[1]))]
                check = self._check(q, replace(tests, conditions=conditions))
                return self._combining(q, (left, right), inputs, context, tests, check, ordered=isinstance(q, Then))
            case SomeOf(count, operands):
                inputs = [self.node(operand, context, tests.limits()) for operand in operands]
                return self._combining(q, operands, inputs, context, tests, self._check(q, tests), count=count)
            case Times(count, operand):
                source = self.node(operand, context, replace(tests.limits(), conditions=tests.conditions))
                check = self._check(q, replace(tests, conditions=()))
                kept = self._log, self._agenda
                return self._add(Repeats(len(self.nodes), source, count, context, tests.longest, check, *kept))
            case _:
                raise TypeError(f"{type(q).__name__} cannot be taken event by event")

    def _combining(
        self,
        q: Pattern,
        operands: Sequence[Pattern],
        inputs: Sequence[Node],
        context: Context,
        tests: Tests,
        check: Check | None,
        *,
        count: int = 2,
        ordered: bool = False,
    ) -> Node:
        points = [longest(operand) == 0 for operand in operands]
        return self._add(
            Combining(
                len(self.nodes),
                scope(q),
                inputs,
                context,
                tests.longest,
                check,
                self._log,
                self._agenda,
                count=count,
                ordered=ordered,
                points=points,
            )
        )

    def _check(self, q: Pattern, tests: Tests) -> Check | None:
        """The tests of a node; what it must not contain is remembered as long as its candidates can be."""
        bound = scope(q)
        exclusions = [
            self._add(Exclusion(len(self.nodes), self.nodes[item.node], bound, tests.longest, self._log, self._agenda))
            for item in tests.excluded
        ]
        return check_of(tests, bound, exclusions)

    def _leaf(self, atom: Atom) -> Leaf:
        leaf = self._add(Leaf(len(self.nodes), scope(atom), atom))
        for name in self._taxonomy.below(atom.type):
            self.leaves.setdefault(name, []).append(leaf)
        return leaf

    def _shared(self, key: object, make: Callable[[], Node]) -> Node:
        found = self._known.get(key)  # keys are whole patterns: to look twice would be dear
        if found is None:
            found = self._known[key] = make()
        return found

    def _add(self, node: _N) -> _N:
        self.nodes.append(node)
        return node
