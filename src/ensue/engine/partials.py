"""What an engine carries, for a person to read: parts of patterns that have occurred and wait for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ensue.algebra.families import is_hidden
from ensue.engine.engine import Engine
from ensue.engine.nodes.base import Node
from ensue.engine.nodes.latest import Latest
from ensue.engine.rows import Rows
from ensue.model.occurrences import Bindings


@dataclass(frozen=True, slots=True)
class Partial:
    """A part of a pattern that has occurred. Where patterns share a part, it belongs to all of them."""

    patterns: tuple[str, ...]
    part: str
    begin: int
    end: int
    ids: tuple[str, ...]
    bindings: Bindings


def count_partials(engine: Engine) -> int:
    """How many there are."""
    held = [node.machine.held for node in engine.plan.nodes if isinstance(node, Latest)]
    events = sum(len(events) for leaves in held for known in leaves.values() for events in known.values())
    nodes = (node for node in engine.plan.nodes if not isinstance(node, Latest))
    return events + sum(len(rows) for node in nodes for _, rows in node.carried())


def partials(engine: Engine) -> Iterator[Partial]:
    """Everything that is carried, node by node."""
    owners = _owners(engine)
    for place, node in enumerate(engine.plan.nodes):
        names = owners[place]
        if isinstance(node, Latest):
            yield from _held(node, names)
            continue
        for name, rows in node.carried():
            if len(rows):
                source = _source(engine, node, name, rows)
                origin = place if source is None else source
                for found in _listed(engine, rows, names, _text(engine, origin), engine.plan.nodes[origin].variables):
                    yield _of_its_rule(found, engine, origin)


def _of_its_rule(found: Partial, engine: Engine, origin: int) -> Partial:
    """Of patterns that are one plan, the one that a part belongs to."""
    hidden = next(((name, value) for name, (_, value) in found.bindings if is_hidden(name)), None)
    pattern = engine.plan.patterns[origin]
    if hidden is None or pattern is None:
        return found
    family = next(family for family in engine.plan.families if family.rule == hidden[0])
    number = int(hidden[1])
    names = tuple(name for name, rule in family.numbers.items() if rule == number)
    own = tuple(binding for binding in found.bindings if not is_hidden(binding[0]))
    return replace(found, patterns=names, part=str(family.rule_of(pattern, number)), bindings=own)


def _owners(engine: Engine) -> list[tuple[str, ...]]:
    """For each node the patterns that it works for."""
    found: list[dict[str, None]] = [{} for _ in engine.plan.nodes]
    for name, root in engine.plan.roots.items():
        waiting = [root]
        while waiting:
            place = waiting.pop()
            if name not in found[place]:
                found[place][name] = None
                waiting += engine.plan.nodes[place].inputs
    return [tuple(names) for names in found]


def _source(engine: Engine, node: Node, name: str, rows: Rows) -> int | None:
    """The input whose rows are carried under a name; None if they are the node's own."""
    numbers = {"left": 0, "right": 1, "waiting": 0, "inside": 0, "open": 0}
    number = numbers.get(name)
    if name.startswith(("pending ", "operand ")):
        number = int(name.partition(" ")[2])
    if number is None or number >= len(node.inputs):
        return None
    place = node.inputs[number]
    return place if len(engine.plan.nodes[place].variables) == rows.values.shape[1] else None


def _text(engine: Engine, place: int) -> str:
    pattern = engine.plan.patterns[place]
    return "any event" if pattern is None else str(pattern)


def _listed(
    engine: Engine, rows: Rows, names: tuple[str, ...], part: str, variables: tuple[str, ...]
) -> Iterator[Partial]:
    width = rows.values.shape[1]
    if len(variables) != width:  # tests of several inputs: codes without names
        variables = tuple(str(place) for place in range(width))
    ids = engine.store.ids.take(rows.members).to_pylist()
    starts = rows.starts.tolist()
    for i, (begin, end, values) in enumerate(
        zip(rows.begin.tolist(), rows.end.tolist(), rows.values.tolist(), strict=True)
    ):
        bound = engine.book.bindings(variables, values)
        yield Partial(names, part, begin, end, tuple(ids[starts[i] : starts[i + 1]]), bound)


def _held(node: Latest, names: tuple[str, ...]) -> Iterator[Partial]:
    for leaf in node.machine.leaves:
        for bindings, events in node.machine.held[leaf.path].items():
            for event in events:
                yield Partial(names, str(leaf.atom), event.time, event.time, (event.id,), bindings)
