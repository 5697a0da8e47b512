"""The engine: a plan, a clock and a store of events; it advances from one complete prefix of the history to the
next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ensue.algebra import Context, Pattern
from ensue.algebra.families import Family
from ensue.engine import state
from ensue.engine.arrays import FOREVER, Ints, counting
from ensue.engine.codes import Codebook
from ensue.engine.events import EventBatch, empty_batch
from ensue.engine.found import Found
from ensue.engine.memory import nothing_to_collect
from ensue.engine.nodes.base import Delivery, Step
from ensue.engine.plan import Plan, make_plan
from ensue.engine.rows import Rows
from ensue.engine.store import Store
from ensue.model import Taxonomy


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of an engine at one moment."""

    store: Store
    book: Codebook
    clock: int
    span: tuple[int, int] | None
    nodes: tuple[tuple[dict[str, Rows], dict[str, Ints]], ...]


class Engine:
    """Detects several patterns in events that come in order of time."""

    def __init__(self, patterns: Mapping[str, tuple[Pattern, Context]], taxonomy: Taxonomy | None = None) -> None:
        self.plan: Plan = make_plan(patterns, taxonomy or Taxonomy())
        self._patterns = patterns
        self._types = frozenset[str]().union(*(node.types for node in self.plan.nodes))
        self.store = Store()
        self.book = Codebook()
        self._known_values = self._known_events = 0
        self.clock = -FOREVER
        self.span: tuple[int, int] | None = None
        self.frontiers: dict[str, int] = {}
        """For each pattern: after the last step, every occurrence that ends no later has been reported."""

    @property
    def description(self) -> list[list[str]]:
        """What a saved state belongs to."""
        return [[name, str(pattern), context.value] for name, (pattern, context) in self._patterns.items()]

    def advance(self, events: EventBatch, clock: int) -> dict[str, Found]:
        """Take the events up to the clock's new time, all of which lie after its old time; say what they complete."""
        batch = events.sorted()
        self._extend(batch, clock)
        first = self.store.append(batch.times, batch.ids, in_order=True)
        step = Step(batch, first, self.store, self.book, clock, self.span, batch.by_type(self._types))
        deliveries: list[Delivery] = []
        for node in self.plan.nodes:
            deliveries.append(node.advance(step, [deliveries[i] for i in node.inputs]))
        self.clock = clock
        self.frontiers = {name: deliveries[root].frontier for name, root in self.plan.roots.items()}
        whole = {root: self._found(deliveries[root].rows, root) for root in set(self.plan.roots.values())}
        found = {name: whole[root] for name, root in self.plan.roots.items()}
        for family in self.plan.families:
            found |= _rule_by_rule(family, found[next(iter(family.numbers))])
        if len(self.store) > 2 * self._known_events + 4096:
            self.compact()
        return found

    def _found(self, rows: Rows, root: int) -> Found:
        return Found(rows, self.plan.nodes[root].variables, self.store, self.book)

    def finish(self) -> dict[str, Found]:
        """The history is over: every interval and delay has passed."""
        return self.advance(empty_batch(), FOREVER)

    def _extend(self, batch: EventBatch, clock: int) -> None:
        times = [int(batch.times[0]), int(batch.times[-1])] if len(batch) else []
        if self.span:
            times += self.span
        if times:
            last = max(times) if clock >= FOREVER else max(*times, clock)
            self.span = (min(times), last)

    def compact(self) -> None:
        """Keep only the events that some carried row still refers to; `advance` does it when it is worth the while."""
        carried = [(node, name, rows) for node in self.plan.nodes for name, rows in node.carried() if len(rows.members)]
        alive = np.zeros(len(self.store), np.bool_)
        for *_, rows in carried:
            alive[rows.members] = True
        live: Ints = np.flatnonzero(alive)
        places: Ints = np.empty(len(alive), np.int64)
        places[live] = counting(len(live))
        self.store = self.store.kept(live)
        for node, name, rows in carried:
            node.state[name] = Rows(rows.begin, rows.end, rows.starts, places[rows.members], rows.values)
        self._known_events = len(live)
        if len(self.book.keys) > 2 * self._known_values + 1024:
            self._forget_values()

    def _forget_values(self) -> None:
        """Keep only the codes that still occur; a table with two dimensions holds codes from its third column on."""
        carried = [(node, name, rows) for node in self.plan.nodes for name, rows in node.carried()]
        tables = [(node, name, t) for node in self.plan.nodes for name, t in node.tables.items() if t.ndim == 2]
        live = np.concatenate(
            [
                np.empty(0, np.int64),  # a single atom carries nothing
                *(rows.values.reshape(-1) for *_, rows in carried),
                *(t[:, 2:].reshape(-1) for *_, t in tables),
            ]
        )
        self.book, recode = self.book.compacted(live)
        for node, name, rows in carried:
            node.state[name] = rows.with_values(recode(rows.values))
        for node, name, table in tables:
            node.tables[name] = np.concatenate([table[:, :2], recode(table[:, 2:])], axis=1)
        self._known_values = len(self.book.keys)

    def save(self) -> bytes:
        """Everything that is needed to go on from here, in this process or another."""
        self.compact()
        return state.save(self)

    def save_normalized(self) -> bytes:
        """The same, in bytes that do not depend on what was seen before and does not matter any more.

        Values get their codes by what they are and not by when they came. Equal bytes mean that all that follows will
        be the same; other bytes need not mean that it will differ.
        """
        self.compact()
        self._forget_values()
        return state.save(self)

    def restore(self, data: bytes) -> None:
        """Go on from a saved state of the same patterns."""
        state.restore(self, data)

    def snapshot(self) -> Snapshot:
        """The state as it is, to come back to in this process; cheap, because arrays are shared."""
        for node in self.plan.nodes:
            node.before_saving()
        nodes = tuple((dict(node.state), dict(node.tables)) for node in self.plan.nodes)
        return Snapshot(self.store.copy(), self.book, self.clock, self.span, nodes)

    def roll_back(self, to: Snapshot) -> None:
        """Forget everything since a snapshot, which can be used again."""
        self.store, self.book, self.clock, self.span = to.store.copy(), to.book, to.clock, to.span
        for node, (rows, tables) in zip(self.plan.nodes, to.nodes, strict=True):
            node.state |= rows
            node.tables |= tables
            node.after_restoring()


@nothing_to_collect()
def _rule_by_rule(family: Family, whole: Found) -> dict[str, Found]:
    """What belongs to each pattern of a family, without the family's own variable, which is the first."""
    variables, store, book = whole.variables[1:], whole.store, whole.book
    nothing = Found(Rows.empty(len(variables)), variables, store, book)
    if not len(whole.rows):
        return dict.fromkeys(family.numbers, nothing)
    rules = whole.rows.values[:, 0].view(np.float64).astype(np.int64)
    order = np.argsort(rules, kind="stable")
    rows = whole.rows.take(order)
    rows = rows.with_values(np.ascontiguousarray(rows.values[:, 1:]))
    present, starts = np.unique(rules[order], return_index=True)
    bounds = [*starts.tolist(), len(rows)]
    parts = {
        rule: Found(rows, variables, store, book, limits)
        for rule, limits in zip(present.tolist(), pairwise(bounds), strict=True)
    }
    return {name: parts.get(number, nothing) for name, number in family.numbers.items()}
