"""Leaves: the events that an atom wants, and every event."""

from __future__ import annotations

import numpy as np

from ensue.algebra.patterns import Atom
from ensue.engine.arrays import Ints, Truths
from ensue.engine.codes import UNBOUND
from ensue.engine.conditions import holds
from ensue.engine.kernels.choosing import keep
from ensue.engine.nodes.base import Node, Step
from ensue.engine.rows import Rows
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
        rows = events.of_types(self.types)
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


class AnyEvent(Node):
    """Every event received, whatever its class."""

    def __init__(self) -> None:
        super().__init__(())

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        count = len(step.events)
        handles = np.arange(step.first_handle, step.first_handle + count, dtype=np.int64)
        return Rows.of_events(step.events.times, handles, np.empty((count, 0), np.int64))
