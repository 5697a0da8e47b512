"""Columns by which the events of a SELECT fall into parts that know nothing of each other (D51).

If equalities link all places of a SELECT by one column each, a row depends on those events alone that have its value
there: in an outer join, a NOT EXISTS, or a group, others make no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ensue.language.queries.names import OCCURRENCE, Attributes, columns, tables
from ensue.language.queries.places import Mentions, Place, conjuncts
from ensue.language.queries.stems import Stem
from ensue.model import AttributeType

Spot = tuple[int, str]
"""A column of a place: the place's number, and the column's name."""


def partitions(stem: Stem, attributes: Attributes) -> tuple[Mapping[int, str], ...]:
    """Ways to part the events: for each place, by its number, the column that says to which part an event goes."""
    found = _Links(Mentions(stem.copy()), attributes)
    return tuple(found.parting())


def links(stem: Stem, attributes: Attributes) -> tuple[Mapping[int, str], ...]:
    """Columns that are equal wherever rows are joined: for some places each, by number, one that has the value.

    Right for selections, projections and joins alone: there every equation has to hold for a row.
    """
    return tuple(_Links(Mentions(stem.copy()), attributes).linking())


class _Links:
    def __init__(self, mentions: Mentions, attributes: Attributes) -> None:
        self._mentions = mentions
        self._attributes = attributes
        self._above: dict[Spot, Spot] = {}
        for scope in mentions.scopes:
            for one, other in self._equations(scope):
                first, second = self._leader(one), self._leader(other)
                if first != second:
                    self._above[first] = second

    def parting(self) -> Iterator[Mapping[int, str]]:
        """The columns that link all places, and by which nothing is put together that they keep apart."""
        for chosen, spots in self._groups():
            if len(chosen) == len(self._mentions.places) and self._kept_apart(spots):
                yield chosen

    def linking(self) -> Iterator[Mapping[int, str]]:
        """The columns that link some places."""
        for chosen, _ in self._groups():
            if len(chosen) > 1:
                yield chosen

    def _groups(self) -> Iterator[tuple[Mapping[int, str], set[Spot]]]:
        """Columns of one type that are equal: one for each place that has any, and all of them."""
        places = self._mentions.places
        groups: dict[Spot, set[Spot]] = {}
        for place in places:
            for name in (*(self._attributes(place.name) or {}), OCCURRENCE):
                spot = (place.number, name)
                groups.setdefault(self._leader(spot), set()).add(spot)
        for _, spots in sorted(groups.items()):
            chosen = {number: min(name for n, name in spots if n == number) for number, _ in spots}
            kinds = {self._kind(places[number], name) for number, name in chosen.items()}
            if len(kinds) == 1:
                yield chosen, spots

    def _kept_apart(self, spots: set[Spot]) -> bool:
        """Whether no SELECT puts rows of different parts into one group or one window."""
        for scope in self._mentions.scopes:
            if not isinstance(scope.expression, exp.Select):
                return False
            group = scope.expression.args.get("group")
            together = [group.expressions] if group else []
            together += [window.args.get("partition_by") or [] for window in scope.find_all(exp.Window)]
            for listed in together:
                if not any(self._spot(one, scope) in spots for one in listed):
                    return False
        return True

    def _kind(self, place: Place, name: str) -> AttributeType | None:
        return AttributeType.TIME if name == OCCURRENCE else (self._attributes(place.name) or {}).get(name)

    def _leader(self, spot: Spot) -> Spot:
        while spot in self._above:
            spot = self._above[spot]
        return spot

    def _equations(self, scope: Scope) -> Iterator[tuple[Spot, Spot]]:
        tree = scope.expression
        where = tree.args.get("where")
        for condition in conjuncts(where.this if where else None):
            if isinstance(condition, exp.EQ):
                yield from self._equal(condition, scope)
            elif isinstance(condition, exp.In) and (query := condition.args.get("query")):
                yield from self._member(condition.this, query.unnest(), scope)
        for join in tree.args.get("joins") or ():
            for condition in conjuncts(join.args.get("on")):
                chooses = not join.side and join.kind.upper() != "ANTI"
                if isinstance(condition, exp.EQ) and (chooses or self._is_of(condition, join)):
                    yield from self._equal(condition, scope)

    def _equal(self, condition: exp.EQ, scope: Scope) -> Iterator[tuple[Spot, Spot]]:
        one, other = self._spot(condition.left, scope), self._spot(condition.right, scope)
        if one and other:
            yield one, other

    def _member(self, value: exp.Expr, query: exp.Expr, scope: Scope) -> Iterator[tuple[Spot, Spot]]:
        inner = next((one for one in scope.subquery_scopes if one.expression is query), None)
        if inner is not None and isinstance(query, exp.Select) and len(query.expressions) == 1:
            one, other = self._spot(value, scope), self._spot(query.expressions[0].unalias(), inner)
            if one and other:
                yield one, other

    def _is_of(self, condition: exp.EQ, join: exp.Join) -> bool:
        """What an outer join asks for says something of the joined table only, and nothing of the others."""
        joined = join.alias_or_name.lower()
        sides = [
            isinstance(one, exp.Column) and one.table.lower() == joined for one in (condition.left, condition.right)
        ]
        return sides.count(True) == 1

    def _spot(self, value: exp.Expr, scope: Scope | None) -> Spot | None:
        """The column of a class that a column of a scope is, through the SELECTs between them."""
        if not isinstance(value, exp.Column) or isinstance(value.this, exp.Star):
            return None
        wanted, name = value.table.lower(), value.name.lower()
        level = scope
        while level is not None:
            holding = [
                (source, listed[name])
                for alias, (_, source) in tables(level).items()
                if (not wanted or alias == wanted)
                and (listed := columns(source, self._attributes)) is not None
                and name in listed
            ]
            if len(holding) == 1:
                return self._inside(*holding[0])
            if holding or wanted in tables(level):
                return None
            level = level.parent if level.is_subquery else None
        return None

    def _inside(self, source: object, name: str) -> Spot | None:
        place = self._mentions.place(source)
        if place is not None:
            return place.number, name
        if isinstance(source, Scope) and isinstance(source.expression, exp.Select):
            for given in source.expression.expressions:
                if given.is_star:
                    return self._spot(exp.column(name), source)
                if given.alias_or_name.lower() == name.lower():
                    return self._spot(given.unalias(), source)
        return None
