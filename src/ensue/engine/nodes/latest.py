"""A whole pattern in context `latest` as one node of a plan."""

from __future__ import annotations

import numpy as np

from ensue.algebra import Pattern, atoms, scope
from ensue.algebra.expressions import attributes_in
from ensue.engine.codes import UNBOUND
from ensue.engine.latest import memory
from ensue.engine.latest.completeness import complete_to
from ensue.engine.latest.machine import LatestMachine
from ensue.engine.nodes.base import Holding, Step
from ensue.engine.rows import Rows
from ensue.engine.store import Ids
from ensue.model import Event, Taxonomy


class Latest(Holding):
    """Hands the events that some atom might want to a machine, one by one."""

    def __init__(self, pattern: Pattern, taxonomy: Taxonomy) -> None:
        super().__init__(tuple(scope(pattern).sometimes))
        self.machine = LatestMachine(pattern, taxonomy)
        wanted = atoms(pattern)
        self.types = frozenset[str]().union(*(taxonomy.below(atom.type) for atom in wanted))
        mentioned = {name for atom in wanted if atom.condition for name in attributes_in(atom.condition)}
        self.attributes = sorted(mentioned | {attribute for atom in wanted for _, attribute in atom.bindings})
        self.tables["memory"] = np.empty(0, np.uint8)

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        found = self.machine.advance(self._coming(step), step.clock, step.span)
        count = len(found)
        values = np.full((count, len(self.variables)), UNBOUND, np.int64)
        for row, occurrence in enumerate(found):
            for name, key in occurrence.bindings:
                values[row, self.variables.index(name)] = step.book.code(key)
        members = [constituent for occurrence in found for constituent in occurrence.constituents]
        times = np.array([constituent.time for constituent in members], np.int64)
        first = step.store.append(times, Ids.from_texts([constituent.id for constituent in members]))
        rows = Rows(
            np.array([occurrence.begin for occurrence in found], np.int64),
            np.array([occurrence.end for occurrence in found], np.int64),
            np.cumsum([0, *(len(occurrence.constituents) for occurrence in found)]).astype(np.int64),
            np.arange(first, first + len(members), dtype=np.int64),
            values,
        )
        return self.release(rows, step, self.frontier(step, gate))

    def frontier(self, step: Step, gate: int) -> int:
        return complete_to(self.machine.pattern, step.clock)

    def _coming(self, step: Step) -> list[Event]:
        batch = step.events
        rows = step.of_types(self.types)
        columns = {name: batch.column(name).take(rows).to_pylist() for name in self.attributes}
        ids = batch.ids.take(rows).to_pylist()
        return [
            Event(
                ids[i], batch.type_names[batch.types[row]], int(batch.times[row]), {n: c[i] for n, c in columns.items()}
            )
            for i, row in enumerate(rows.tolist())
        ]

    def before_saving(self) -> None:
        self.tables["memory"] = np.frombuffer(memory.write(self.machine), np.uint8)

    def after_restoring(self) -> None:
        memory.read(self.machine, self.tables["memory"].tobytes())
