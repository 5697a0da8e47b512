"""SELECTs over many moments at once: every table, group, window and subquery is told apart by the moment too (D50).

A frame at a place holds a version once for each moment at which it is wanted. Rows of different moments never meet, so
the rows of the SELECT are those of all moments, each with its own.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ensue.language.queries.names import tables
from ensue.language.queries.places import Mentions, NotPossibleError, Query, also, stars
from ensue.language.queries.stems import Stem

MOMENT, EVENT = "__moment_", "__event_"
"""Columns of the frame at a place: at which moment the version is looked at, and which event it is of."""
ROW_MOMENT, ROW_EVENTS = "__moment", "__events"
"""Columns of the rows: the moment, and the events of which the row is known to be made, if they are known."""

_REFUSED = (
    ("limit", "LIMIT"),
    ("offset", "OFFSET"),
    ("fetch", "LIMIT"),
    ("laterals", "LATERAL VIEW"),
    ("windows", "WINDOW"),
    ("sample", "TABLESAMPLE"),
    ("pivots", "PIVOT"),
    ("match", "MATCH_RECOGNIZE"),
)


def lifted(stem: Stem) -> Query:
    """SQL whose rows have ROW_MOMENT and ROW_EVENTS. Raises `NotPossibleError` with the reason."""
    mentions = Mentions(stem.copy())
    mentions.refuse_shared()
    for scope in mentions.scopes:
        _Lifting(scope, mentions).rewrite()
    return mentions.query()


class _Lifting:
    """One SELECT and what it has to know of those around it and in it."""

    def __init__(self, scope: Scope, mentions: Mentions) -> None:
        if not isinstance(scope.expression, exp.Select):
            raise NotPossibleError("it has a set operation")
        self._scope = scope
        self._mentions = mentions
        self._tree = scope.expression

    def rewrite(self) -> None:
        self._refuse()
        moment = _moment(self._scope, self._mentions)
        self._join(moment)
        grouped = self._group(moment)
        for window in self._scope.find_all(exp.Window):
            window.set("partition_by", [*(window.args.get("partition_by") or ()), exp.column(moment)])
        if self._scope.is_subquery:
            self._correlate(moment)
        elif self._scope is self._mentions.root:
            known = not grouped and not self._tree.args.get("distinct")
            events = exp.func("ARRAY", *map(exp.column, self._events())) if known else exp.null()
            self._tree.select(exp.alias_(exp.column(moment), ROW_MOMENT), exp.alias_(events, ROW_EVENTS), copy=False)
        elif not self._passes(moment):
            self._tree.select(exp.column(moment), copy=False)

    def _refuse(self) -> None:
        for argument, named in _REFUSED:
            if self._tree.args.get(argument):
                raise NotPossibleError(f"it has {named}")
        distinct = self._tree.args.get("distinct")
        if distinct and (distinct.args.get("on") or stars(self._scope)):
            raise NotPossibleError("it has DISTINCT over what cannot be told")
        for _, source in tables(self._scope).values():
            if isinstance(source, exp.Table) and (source.args.get("sample") or source.args.get("pivots")):
                raise NotPossibleError("it has TABLESAMPLE or PIVOT")

    def _join(self, moment: str) -> None:
        """A table that may be missing is equated where it is joined, the others where rows are chosen."""
        for join in self._tree.args.get("joins") or ():
            source = tables(self._scope).get(join.alias_or_name.lower(), ("", None))[1]
            if join.side in ("RIGHT", "FULL") or join.method or isinstance(join.this, (exp.Lateral, exp.Unnest)):
                raise NotPossibleError(f"it has a {' '.join(filter(None, (join.side, join.method)))} join".lower())
            other = _moment_of(source, self._mentions)
            equal = exp.EQ(this=exp.column(moment), expression=exp.column(other))
            if not join.side and join.kind.upper() not in {"SEMI", "ANTI"}:
                also(self._tree, equal)
            elif join.args.get("on"):
                join.set("on", exp.and_(join.args["on"], equal, copy=False))
            else:
                raise NotPossibleError("it has an outer join without ON")

    def _group(self, moment: str) -> bool:
        group = self._tree.args.get("group")
        if group:
            if not group.expressions or any(value for name, value in group.args.items() if name != "expressions"):
                raise NotPossibleError("it has GROUP BY with more than columns")
            group.append("expressions", exp.column(moment))
            return True
        own = [one for one in self._scope.find_all(exp.AggFunc) if not isinstance(one.parent, exp.Window)]
        if not own and not self._tree.args.get("having"):
            return False
        if self._is_value and not self._tree.args.get("having"):
            return True
        raise NotPossibleError("it has an aggregate without GROUP BY, which has a row even over no events")

    @property
    def _is_value(self) -> bool:
        """Whether the SELECT stands for one value inside another."""
        above = self._tree.parent
        return self._scope.is_subquery and isinstance(above, exp.Subquery) and not isinstance(above.parent, exp.In)

    def _correlate(self, moment: str) -> None:
        """A subquery in a condition looks at its own moment only, which is that of the row around it."""
        around = self._scope.parent
        if around is None or not isinstance(around.expression, exp.Select):
            raise NotPossibleError("it has a subquery in a set operation")
        if self._tree.find_ancestor(exp.Any, exp.All):
            raise NotPossibleError("it has a comparison with ANY or ALL")
        place = self._tree.find_ancestor(exp.Where, exp.Select)
        value = self._is_value
        if value and not (self._group_free(around) and self._one_row()):
            raise NotPossibleError("it has a subquery as a value that cannot be told apart by steps")
        if not value and not isinstance(place, exp.Where):
            raise NotPossibleError("it has a subquery outside WHERE")
        also(self._tree, exp.EQ(this=exp.column(moment), expression=exp.column(_moment(around, self._mentions))))

    def _group_free(self, around: Scope) -> bool:
        tree = around.expression
        inside = self._tree.find_ancestor(exp.Where, exp.Join, exp.Having, exp.Group, exp.Order, exp.Select)
        return isinstance(inside, exp.Where) or (inside is tree and not tree.args.get("group"))

    def _one_row(self) -> bool:
        return not self._tree.args.get("group") and self._scope.find(exp.AggFunc) is not None

    def _passes(self, moment: str) -> bool:
        """Whether a star gives the moment already."""
        known = tables(self._scope)
        return any(_moment_of(known[one][1], self._mentions) == moment for one in stars(self._scope) if one in known)

    def _events(self) -> list[str]:
        """The events of the tables that each row has one of."""
        joins = self._tree.args.get("joins") or ()
        left_out = {join.alias_or_name.lower() for join in joins if join.side or join.kind.upper() in {"SEMI", "ANTI"}}
        places = [
            place
            for alias, (_, source) in tables(self._scope).items()
            if alias not in left_out and (place := self._mentions.place(source))
        ]
        return [place.column(EVENT) for place in places]


def _moment(scope: Scope, mentions: Mentions) -> str:
    """The column that says at which moment a row is: that of the first table, which no join leaves out."""
    first = scope.expression.args.get("from_")
    known = tables(scope)
    name = first.this.alias_or_name.lower() if first else ""
    if name not in known:
        raise NotPossibleError("it has a SELECT that starts from no class")
    return _moment_of(known[name][1], mentions)


def _moment_of(source: object, mentions: Mentions) -> str:
    place = mentions.place(source)
    if place is not None:
        return place.column(MOMENT)
    if isinstance(source, Scope) and isinstance(source.expression, exp.Select):
        return _moment(source, mentions)
    raise NotPossibleError("it has a table that is neither a class nor a SELECT")
