"""What every node of a plan is: a function (carried rows ++ new rows) → (occurrences, rows to carry).

Time moves in steps. Each delivery comes with a frontier: every occurrence that ends no later than the frontier has been
delivered. A node works up to its gate, the least frontier of its inputs, and holds back what lies beyond it; so
occurrences are always processed in order of end, also those that become known long after they ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ensue.engine.arrays import FOREVER, Ints
from ensue.engine.codes import Codebook
from ensue.engine.events import EventBatch
from ensue.engine.rows import Rows, concat
from ensue.engine.store import Store


@dataclass(frozen=True, slots=True)
class Step:
    """What happens in one step: new events, up to what time all events are there, and the span of the history so
    far.
    """

    events: EventBatch
    first_handle: int
    store: Store
    book: Codebook
    clock: int
    span: tuple[int, int] | None
    by_type: Mapping[str, Ints]
    """The rows of the new events of each type that nodes want, if that is worth the while."""
    _codes: dict[str, Ints] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=dict)

    def of_types(self, names: frozenset[str]) -> Ints:
        """The rows of the new events of some types."""
        found = [self.by_type[name] for name in names if name in self.by_type]
        return found[0] if len(found) == 1 else self.events.of_types(names)

    def codes(self, attribute: str, rows: Ints) -> Ints:
        """The codes of an attribute of some of the new events.

        As long as few are asked for, just those are encoded; once they add up to all, all are, and kept.
        """
        if attribute not in self._codes:
            asked = self._asked[attribute] = self._asked.get(attribute, 0) + len(rows)
            if asked <= len(self.events):
                return self.book.encode(self.events.column(attribute), rows)
            self._codes[attribute] = self.book.encode(self.events.column(attribute))
        return self._codes[attribute][rows]


@dataclass(frozen=True, slots=True)
class Delivery:
    """Rows in the order of §1, all of which end after the previous frontier and no later than this one."""

    rows: Rows
    frontier: int


class Node:
    """A place in the plan. `state` holds the rows that it carries, by name; `tables` other arrays; both are saved.

    Both are replaced, never changed, so that a copy of the two dictionaries is a copy of the node's state.
    """

    watches_the_clock = False
    """Whether something may follow from the time alone, without new rows."""

    types: frozenset[str] = frozenset()
    """The types of the events that it takes from the step."""

    def __init__(self, variables: Sequence[str], inputs: Sequence[int] = (), widths: Sequence[int] = ()) -> None:
        self.variables = tuple(sorted(variables))
        self.inputs = tuple(inputs)
        self.state: dict[str, Rows] = {f"pending {i}": Rows.empty(width) for i, width in enumerate(widths)}
        self.nothing = Rows.empty(len(self.variables))
        self.tables: dict[str, Ints] = {"gate": np.array([-FOREVER], np.int64)}

    @property
    def gate(self) -> int:
        return int(self.tables["gate"][0])

    def advance(self, step: Step, deliveries: Sequence[Delivery]) -> Delivery:
        """Take what the inputs delivered; give what follows from it."""
        gate = min((delivery.frontier for delivery in deliveries), default=step.clock)
        ready = [self._up_to(gate, i, delivery) for i, delivery in enumerate(deliveries)]
        idle = self.inputs and not self.watches_the_clock and not any(map(len, ready))
        rows = self.nothing if idle else self.process(step, ready, gate)
        self.tables["gate"] = np.array([gate], np.int64)
        return Delivery(rows, self.frontier(step, gate))

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        """The occurrences that follow from the rows that end after the old gate and up to the new one."""
        raise NotImplementedError

    def frontier(self, step: Step, gate: int) -> int:
        """Up to what end everything has been delivered now."""
        return gate

    def before_saving(self) -> None:
        """Write into the tables what is kept elsewhere."""

    def after_restoring(self) -> None:
        """Read from the tables what is kept elsewhere."""

    def carried(self) -> Iterator[tuple[str, Rows]]:
        yield from self.state.items()

    def _up_to(self, gate: int, place: int, delivery: Delivery) -> Rows:
        name = f"pending {place}"
        waiting = self.state[name]
        if not len(waiting) and delivery.frontier == gate:
            return delivery.rows
        rows = concat([waiting, delivery.rows])
        cut = int(np.searchsorted(rows.end, gate, side="right"))
        self.state[name] = rows.take(np.arange(cut, len(rows)))
        return rows.take(np.arange(cut))


class Holding(Node):
    """A node that may know occurrences before it is their turn: it holds them until its frontier reaches their end."""

    watches_the_clock = True

    def __init__(self, variables: Sequence[str], inputs: Sequence[int] = (), widths: Sequence[int] = ()) -> None:
        super().__init__(variables, inputs, widths)
        self.state["held"] = Rows.empty(len(self.variables))

    def release(self, rows: Rows, step: Step, frontier: int) -> Rows:
        """Of the held rows and these, those whose turn has come."""
        from ensue.engine.rows import canonical

        known = canonical(concat([self.state["held"], rows]), step.store)
        cut = int(np.searchsorted(known.end, frontier, side="right"))
        self.state["held"] = known.take(np.arange(cut, len(known)))
        return known.take(np.arange(cut))
