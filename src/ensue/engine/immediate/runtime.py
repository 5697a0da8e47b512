"""Runs patterns event by event. The newest instant may grow: it is taken back, and evaluated again as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ensue.algebra import Context, Pattern
from ensue.engine.arrays import FOREVER
from ensue.engine.candidates import Tests
from ensue.engine.immediate.agenda import Agenda
from ensue.engine.immediate.compiling import Compiler
from ensue.engine.immediate.parts import Log, Part, order, part_of
from ensue.engine.immediate.ways import Way, Ways
from ensue.engine.memory import nothing_to_collect
from ensue.model import Constituent, Event, Occurrence, Taxonomy

Found: TypeAlias = list[tuple[str, Part]]
"""What was found, with the names of the patterns."""


class State(NamedTuple):
    """A runtime as JSON can hold it: the nodes before the newest instant, and what is known of that."""

    nodes: list[Any]
    instant: int
    events: list[Event]
    reported: list[Any]


class Runtime:
    """The nodes of some patterns, and the events of the newest instant."""

    @nothing_to_collect()
    def __init__(self, patterns: Mapping[str, tuple[Pattern, Context]], taxonomy: Taxonomy | None = None) -> None:
        self._log: Log = []
        self._agenda = Agenda()
        compiler = Compiler(taxonomy or Taxonomy(), self._log, self._agenda)
        roots = {name: compiler.node(q, context, Tests()) for name, (q, context) in patterns.items()}
        self._nodes = compiler.nodes
        self._ways = Ways(compiler.leaves, self._nodes, roots)
        self.instant = -FOREVER
        self._events: list[Event] = []
        self._reported: set[tuple[str, Part]] = set()

    def feed(self, event: Event) -> Found:
        """Take one event, no older than those before it; gives what was not reported for its instant yet."""
        time = event.time
        if time > self.instant:
            self.advance_to(time)
            self._events.append(event)
            way = self._ways.of(event)
            return self._new(self._evaluate((event,), way)) if way.leaves else []
        return self.feed_instant([event])

    def feed_instant(self, events: Sequence[Event]) -> Found:
        """The same for several events of one instant."""
        if events[0].time > self.instant:
            self.advance_to(events[0].time)
        else:
            self._take_back()
        self._events += events
        return self._new(self._evaluate_all())

    def advance_to(self, instant: int) -> None:
        """Nothing more comes before this instant."""
        self.instant = instant
        if self._log:
            self._log.clear()
        self._events = []
        if self._reported:
            self._reported = set()
        self._agenda.work(instant)

    def save(self) -> State:
        """Everything that is needed to go on."""
        self._take_back()
        nodes = [node.save() for node in self._nodes]
        self._evaluate_all()
        return State(nodes, self.instant, self._events, [[name, part] for name, part in sorted(self._reported)])

    def restore(self, state: State) -> None:
        """Go on from what was saved of the same patterns."""
        for node, saved in zip(self._nodes, state.nodes, strict=True):
            node.restore(saved)
        self.instant, self._events = state.instant, state.events
        self._reported = {(name, part_of(part)) for name, part in state.reported}
        self._evaluate_all()

    def _take_back(self) -> None:
        """Return to the state before the newest instant."""
        for change, *arguments in reversed(self._log):
            change(*arguments)
        self._log.clear()

    def _evaluate_all(self) -> Found:
        return self._evaluate(self._events, self._ways.of_all(self._events)) if self._events else []

    def _evaluate(self, events: Sequence[Event], way: Way) -> Found:
        leaves, nodes, roots = way
        for event in events:
            time, name, attributes = event.time, event.id, event.attributes
            for leaf in leaves if len(events) == 1 else self._ways.of(event).leaves:
                leaf.take(time, name, attributes)
        now = self.instant
        for node in nodes:
            node.step(now)
        found = [(name, part) for name, root in roots if root.out for part in root.out]
        for leaf in leaves:
            leaf.out = ()
        for node in nodes:
            node.out = ()
        return found

    def _new(self, found: Found) -> Found:
        """What was not reported for this instant before, in the order of §1."""
        if not found:
            return found
        if self._reported:
            found = [one for one in found if one not in self._reported]
        self._reported.update(found)
        return sorted(found, key=lambda one: order(one[1])) if len(found) > 1 else found


def occurrence(part: Part) -> Occurrence:
    """A part as the rest of the package knows it."""
    begin, end, members, sigma = part
    return Occurrence(begin, end, tuple(Constituent(*member) for member in members), sigma)
