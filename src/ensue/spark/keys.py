"""The partition key of patterns: which attributes tell where an event is needed.

A variable that every atom of a pattern binds cuts its world into parts that know nothing of each other
(`ensue.algebra.keys`). So events with different values of it may go to different places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ensue.algebra import Pattern
from ensue.algebra.keys import common_routes
from ensue.model import Taxonomy


@dataclass(frozen=True, slots=True)
class Key:
    """For each event type the attributes whose values decide where an event goes; without any, all go to one place."""

    routes: Mapping[str, tuple[str, ...]]

    def __bool__(self) -> bool:
        return any(self.routes.values())

    def joined(self, other: Key) -> Key | None:
        """A key that serves the patterns of both, if they send every event to the same place."""
        if bool(self) != bool(other) or _width(self) != _width(other):
            return None
        if any(self.routes[name] != other.routes[name] for name in self.routes.keys() & other.routes.keys()):
            return None
        return Key({**self.routes, **other.routes})


NO_KEY = Key({})


def partition_key(pattern: Pattern, taxonomy: Taxonomy) -> Key:
    """The key of a pattern: all variables that all of its atoms bind, and that each type has one attribute for."""
    routes = list(common_routes(pattern, taxonomy).values())
    if not routes:
        return NO_KEY
    routes.sort(key=lambda route: sorted(route.items()))
    return Key({kind: tuple(route[kind] for route in routes) for kind in routes[0]})


def _width(key: Key) -> int:
    return max((len(route) for route in key.routes.values()), default=0)
