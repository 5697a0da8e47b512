"""Leaves: the events that an atom wants, and every event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ensue.algebra.expressions import Literal, attributes_in, conjunction, conjuncts
from ensue.algebra.families import is_hidden
from ensue.algebra.patterns import Atom
from ensue.engine.arrays import Ints, Truths, no_ints
from ensue.engine.codes import UNBOUND
from ensue.engine.columns import Column
from ensue.engine.conditions import holds
from ensue.engine.kernels.choosing import keep
from ensue.engine.nodes.base import Node, Step
from ensue.engine.rows import Rows
from ensue.engine.rules import best_index, pairs
from ensue.model import Taxonomy


class Leaf(Node):
    """One occurrence for each event of the atom's class or below it that passes the condition and binds its
    variables.
    """

    def __init__(self, atom: Atom, taxonomy: Taxonomy) -> None:
        super().__init__(tuple({variable for variable, _ in atom.bindings}))
        self.atom = atom
        self.types = taxonomy.below(atom.type)

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        events = step.events
        rows = step.of_types(self.types)
        if not len(rows):
            return self.nothing
        if self.atom.condition is not None and len(rows):
            mask = holds(self.atom.condition, lambda name: events.column(name).take(rows), len(rows))
            chosen = np.empty(len(rows) + 1, np.int64)
            rows = chosen[: keep(rows, mask, chosen)]
        values, bound = self._values(step, rows)
        if not bound.all():
            rows, values = rows[bound], values[bound]
        handles = rows + step.first_handle if step.first_handle else rows
        return Rows.of_events(events.times[rows], handles, values)

    def _values(self, step: Step, rows: Ints) -> tuple[Ints, Truths]:
        """The variables' codes; two attributes bound to one variable must be equal."""
        if len(self.atom.bindings) == 1:
            codes = step.codes(self.atom.bindings[0][1], rows)
            return codes[:, None], codes != UNBOUND
        values = np.empty((len(rows), len(self.variables)), np.int64)
        bound = np.ones(len(rows), np.bool_)
        seen: set[str] = set()
        for variable, attribute in self.atom.bindings:
            codes = step.codes(attribute, rows)
            place = self.variables.index(variable)
            bound &= codes != UNBOUND
            if variable in seen:
                bound &= values[:, place] == codes
            values[:, place] = codes
            seen.add(variable)
        return values, bound


class RuleLeaf(Node):
    """One occurrence for each event and each rule of a family whose atom wants it: the rule is a variable of it."""

    def __init__(self, atom: Atom, parameters: Mapping[str, Column], size: int, taxonomy: Taxonomy) -> None:
        super().__init__(tuple({variable for variable, _ in atom.bindings}))
        tests = list(conjuncts(atom.condition or Literal(True)))
        tied = [test for test in tests if any(map(is_hidden, attributes_in(test)))]
        bindings = tuple(pair for pair in atom.bindings if not is_hidden(pair[0]))
        self.plain = Leaf(
            replace(atom, condition=conjunction([t for t in tests if t not in tied]), bindings=bindings), taxonomy
        )
        self.types = self.plain.types
        self.parameters = parameters
        self.index, left = best_index(tied, parameters, size)
        self.tied = conjunction(left)

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        found = self.plain.process(step, ready, gate)
        if not len(found):
            return self.nothing
        events = found.members - step.first_handle
        rows, rules = self._wanted(step, events)
        codes = rules.astype(np.float64).view(np.int64)
        values = np.column_stack([codes, found.values[rows]])
        return Rows.of_events(found.begin[rows], found.members[rows], values)

    def _wanted(self, step: Step, events: Ints) -> tuple[Ints, Ints]:
        """Pairs of events, by their places, and rules that want them."""
        found = [(no_ints(), no_ints())]
        for rows, rules in pairs(self.index, lambda name: step.events.column(name).take(events), len(events)):
            if self.tied is None:
                found.append((rows, rules))
                continue
            kept = holds(self.tied, partial(self._column, step, events[rows], rules), len(rules))
            found.append((rows[kept], rules[kept]))
        rows, rules = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rows, rules

    def _column(self, step: Step, events: Ints, rules: Ints, name: str) -> Column:
        return self.parameters[name].take(rules) if is_hidden(name) else step.events.column(name).take(events)


class AnyEvent(Node):
    """Every event received, whatever its class."""

    def __init__(self) -> None:
        super().__init__(())

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        count = len(step.events)
        handles = np.arange(step.first_handle, step.first_handle + count, dtype=np.int64)
        return Rows.of_events(step.events.times, handles, np.empty((count, 0), np.int64))
