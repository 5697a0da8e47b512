"""Which patterns run together in one operator, where some look at classes that others define.

A pattern's *lineage* is the pattern with the classes that it looks at, those that they look at, and so on. It runs in
one place with all of it, level by level, so that nothing found below crosses Spark before it is used above. If one
variable goes through all of the lineage, the key of the events tells the place; otherwise there is one place for all.
A class that is used under two different keys is worked out once for each, and reported by its own operator only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from ensue.algebra import atoms, walk
from ensue.algebra.keys import route_of
from ensue.algebra.patterns import Absence, ThenBetween
from ensue.embedded.patterns import Derived, Watched, Watchlist
from ensue.model import Taxonomy
from ensue.spark.history import Group, groups
from ensue.spark.keys import NO_KEY, Key
from ensue.spark.variables import Declared, variable_types

if TYPE_CHECKING:
    from pyspark.sql import types as t

_MOST_CHOICES = 10_000


@dataclass(frozen=True, slots=True)
class Operator:
    """Patterns that share a key, and the classes that feed them."""

    watchlist: Watchlist
    key: Key

    @property
    def patterns(self) -> tuple[Watched, ...]:
        """All that looks at events here."""
        return (*self.watchlist.watched, *self.watchlist.derived)

    @property
    def spanned(self) -> bool:
        """Whether the answer depends on when the whole history begins and ends."""
        return Group(self.patterns, self.key).spanned


def operators(watchlist: Watchlist) -> list[Operator]:
    """The patterns by the keys of their lineages; those without a key are together, in one place."""
    taxonomy = watchlist.taxonomy
    plain = [item for item in watchlist.watched if not watchlist.derived_in(item.pattern)]
    found = [(group.watched, group.key) for group in groups(plain, taxonomy)]
    for item in watchlist.watched:
        if watchlist.derived_in(item.pattern):
            found = _joined(found, item, lineage_key(item, derived_of([item], watchlist), taxonomy))
    keyless = tuple(item for watched, key in found if not key for item in watched)
    parts = [(watched, key) for watched, key in found if key] + ([(keyless, NO_KEY)] if keyless else [])
    return [Operator(Watchlist(watched, True, taxonomy, derived_of(watched, watchlist)), key) for watched, key in parts]


def _joined(
    found: list[tuple[tuple[Watched, ...], Key]], item: Watched, key: Key
) -> list[tuple[tuple[Watched, ...], Key]]:
    for place, (watched, other) in enumerate(found):
        both = other.joined(key)
        if both is not None:
            return [*found[:place], ((*watched, item), both), *found[place + 1 :]]
    return [*found, ((item,), key)]


def derived_of(watched: Sequence[Watched], watchlist: Watchlist) -> tuple[Derived, ...]:
    """The classes that some patterns look at, directly or by others, each after those that it uses itself."""
    wanted = {name for item in watched for name in watchlist.derived_in(item.pattern)}
    for item in reversed(watchlist.derived):
        if item.name in wanted:
            wanted |= watchlist.derived_in(item.pattern)
    return tuple(item for item in watchlist.derived if item.name in wanted)


def lineage_key(item: Watched, derived: Sequence[Derived], taxonomy: Taxonomy) -> Key:
    """The key of a pattern and of all that feeds it: for each pattern one variable, and they have to fit."""
    every = (*derived, item)
    alone = any(isinstance(part, (Absence, ThenBetween)) for one in every for part in walk(one.pattern))
    if alone or Group(every, NO_KEY).spanned:
        return NO_KEY
    routes = [list(_routes(one, taxonomy)) for one in every]
    for choice in islice(product(*routes), _MOST_CHOICES):
        key = _fitting(dict(zip((one.name for one in derived), choice, strict=False)), choice)
        if key is not None:
            return key
    return NO_KEY


def _routes(item: Watched, taxonomy: Taxonomy) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Each variable that could be the key of a pattern alone, with the attribute that gives it, for each type."""
    found = atoms(item.pattern)
    common = frozenset.intersection(*(frozenset(name for name, _ in atom.bindings) for atom in found))
    for name in sorted(common):
        route = route_of(name, found, taxonomy)
        if route:
            yield name, route


def _fitting(
    derived: Mapping[str, tuple[str, Mapping[str, str]]], choice: Sequence[tuple[str, Mapping[str, str]]]
) -> Key | None:
    """The key, if every pattern takes it from a class by the attribute that is that class's own key."""
    whole: dict[str, str] = {}
    for _, route in choice:
        for name, attribute in route.items():
            if name in derived and derived[name][0] != attribute:
                return None
            if whole.setdefault(name, attribute) != attribute:
                return None
    return Key({name: (attribute,) for name, attribute in sorted(whole.items())})


@dataclass(frozen=True, slots=True)
class DerivedFields:
    """The attributes of a class that is defined by a pattern, with the types of the variables that they are."""

    event_class: str
    fields: Mapping[str, t.DataType]

    def attribute_type(self, name: str) -> t.DataType | None:
        return self.fields.get(name)


def derived_fields(watchlist: Watchlist, sources: Sequence[Declared]) -> list[DerivedFields]:
    """What is known of derived events, from the lowest level to the highest."""
    known: list[DerivedFields] = []
    for item in watchlist.derived:
        types = variable_types([item], [*sources, *known], watchlist.taxonomy)
        known.append(DerivedFields(item.name, {name: types[name] for name in item.attributes}))
    return known
