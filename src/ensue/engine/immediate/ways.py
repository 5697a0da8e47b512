"""Where an event goes: the atoms that may take it, and all that these reach.

Rules come by the thousand, each for another value of an attribute. Atoms that ask for a value are looked up by it, so
that an event costs as much as the rules that may want it, and not as much as there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ensue.engine.immediate.parts import Node
from ensue.engine.immediate.simple import Leaf, key_of
from ensue.model import Event
from ensue.model.values import ValueKey

_MOST = 1 << 16
"""So many ways are remembered; others are found again."""


class Way(NamedTuple):
    """The atoms that may take an event, what they reach, inputs first, and the patterns at the ends."""

    leaves: tuple[Leaf, ...]
    nodes: tuple[Node, ...]
    roots: tuple[tuple[str, Node], ...]


_NOWHERE = Way((), (), ())


class _Asked(NamedTuple):
    """The atoms of one class of events, as numbers of groups."""

    always: int
    """Those that are not looked up."""
    way: Way
    """Theirs."""
    by_value: tuple[tuple[str, Mapping[ValueKey, int]], ...]
    """The others, by the value that an attribute has to have."""


class Ways:
    """The ways of all classes of events through the nodes of some patterns."""

    def __init__(self, leaves: Mapping[str, Sequence[Leaf]], nodes: Iterable[Node], roots: Mapping[str, Node]) -> None:
        self._after: dict[Node, list[Node]] = {}
        for node in nodes:
            for source in node.inputs:
                self._after.setdefault(source, []).append(node)
        self._named: dict[Node, list[tuple[int, str]]] = {}
        for place, (name, root) in enumerate(roots.items()):
            self._named.setdefault(root, []).append((place, name))
        self._groups: list[tuple[Leaf, ...]] = []
        self._way = lru_cache(_MOST)(self._joined)
        self._types = {name: self._asked(some) for name, some in leaves.items()}

    def of(self, event: Event) -> Way:
        """Where an event goes."""
        asked = self._types.get(event.type)
        if asked is None:
            return _NOWHERE
        if not asked.by_value:
            return asked.way
        attributes = event.attributes
        hits = [asked.always]
        for attribute, groups in asked.by_value:
            value = attributes.get(attribute)
            if value is not None:
                group = groups.get(key_of(value))
                if group is not None:
                    hits.append(group)
        return asked.way if len(hits) == 1 else self._way(tuple(hits))

    def of_all(self, events: Iterable[Event]) -> Way:
        """Where some events go together."""
        ways = list(dict.fromkeys(map(self.of, events)))
        return ways[0] if len(ways) == 1 else self._from(leaf for way in ways for leaf in way.leaves)

    def _asked(self, leaves: Sequence[Leaf]) -> _Asked:
        """Each atom that asks for values is looked up by that attribute for which the most values are asked."""
        values: dict[str, set[ValueKey]] = {}
        for leaf in leaves:
            for attribute, value in leaf.asks:
                values.setdefault(attribute, set()).add(value)
        grouped: dict[str, dict[ValueKey, list[Leaf]]] = {}
        always: list[Leaf] = []
        for leaf in leaves:
            if leaf.asks:
                attribute, value = max(leaf.asks, key=lambda one: (len(values[one[0]]), one[0]))
                grouped.setdefault(attribute, {}).setdefault(value, []).append(leaf)
            else:
                always.append(leaf)
        number = self._group(always)
        by_value = (
            (attribute, {value: self._group(some) for value, some in found.items()})
            for attribute, found in grouped.items()
        )
        return _Asked(number, self._way((number,)), tuple(by_value))

    def _group(self, leaves: Sequence[Leaf]) -> int:
        self._groups.append(tuple(leaves))
        return len(self._groups) - 1

    def _joined(self, groups: tuple[int, ...]) -> Way:
        return self._from(leaf for group in groups for leaf in self._groups[group])

    def _from(self, leaves: Iterable[Leaf]) -> Way:
        found = tuple(dict.fromkeys(leaves))
        reached: set[Node] = set(found)
        waiting: list[Node] = list(found)
        while waiting:
            for node in self._after.get(waiting.pop(), ()):
                if node not in reached:
                    reached.add(node)
                    waiting.append(node)
        nodes = sorted((node for node in reached if not isinstance(node, Leaf)), key=lambda node: node.number)
        named = sorted((place, name, node) for node in reached for place, name in self._named.get(node, ()))
        return Way(found, tuple(nodes), tuple((name, node) for _, name, node in named))
