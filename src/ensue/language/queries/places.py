"""The places of a SELECT at which a class stands: each gets a frame of its own, and columns of its own beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ensue.language.queries.names import class_name, scopes, starred, tables
from ensue.language.queries.text import DIALECT

_OPENS, _CLOSES = "\ue000", "\ue001"


class NotPossibleError(Exception):
    """The SELECT cannot go this way; the message says why, for `explain`."""


@dataclass(frozen=True, slots=True)
class Place:
    """One mention of a class; the number is part of the names of the columns that its frame has more than the class."""

    number: int
    name: str

    def column(self, prefix: str) -> str:
        return f"{prefix}{self.number}"


@dataclass(frozen=True, slots=True)
class Query:
    """SQL in which each place is written as {place_0}, {place_1} and so on, as `SparkSession.sql` takes frames."""

    text: str
    places: tuple[Place, ...]

    def filled(self, said: Mapping[int, str]) -> Query:
        """The same with something else written at each place."""
        text = self.text
        for number, other in said.items():
            text = text.replace(f"{{place_{number}}}", other)
        return Query(text, self.places)


def in_braces(said: str) -> str:
    """SQL as it stands in a query with places: a brace is written twice, so that it is none."""
    return said.replace("{", "{{").replace("}", "}}")


class Mentions:
    """The scopes of a tree, the outermost last, and the place of each class that is mentioned."""

    def __init__(self, tree: exp.Select) -> None:
        self.tree = tree
        self.scopes = scopes(tree)
        self._places: dict[int, Place] = {}
        self._nodes: list[exp.Table] = []
        for scope in self.scopes:
            for _, source in tables(scope).values():
                if isinstance(source, exp.Table) and id(source) not in self._places and (name := class_name(source)):
                    self._places[id(source)] = Place(len(self._nodes), name)
                    self._nodes.append(source)

    @property
    def root(self) -> Scope:
        return self.scopes[-1]

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self._places.values())

    def place(self, source: object) -> Place | None:
        """The place that a source of a scope is, if it is a class."""
        return self._places.get(id(source))

    def refuse_shared(self) -> None:
        """A table that is defined once and used twice would have the same columns twice."""
        if any(one.args.get("recursive") for one in self.tree.find_all(exp.With)):
            raise NotPossibleError("it is recursive")
        used: dict[int, int] = {}
        for scope in self.scopes:
            for _, source in tables(scope).values():
                if isinstance(source, Scope):
                    used[id(source)] = used.get(id(source), 0) + 1
                    if used[id(source)] > 1:
                        raise NotPossibleError("a table of WITH is used more than once")
                    if source.expression.parent and source.expression.parent.alias_column_names:
                        raise NotPossibleError("a subquery has its columns named after it")
                elif isinstance(source, exp.Table) and source.alias_column_names:
                    raise NotPossibleError("a table has its columns named after it")

    def query(self) -> Query:
        """The tree as it is by now, with each place to be filled with a frame. The tree is used up by that."""
        for node in self._nodes:
            place = self._places[id(node)]
            if not node.alias:
                node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
            for part in ("db", "catalog"):
                node.set(part, None)
            node.set("this", exp.Identifier(this=f"{_OPENS}{place.number}{_CLOSES}", quoted=False))
        said = in_braces(self.tree.sql(dialect=DIALECT, comments=False))
        return Query(said.replace(_OPENS, "{place_").replace(_CLOSES, "}"), self.places)


def stars(scope: Scope) -> set[str]:
    """The tables of a scope whose columns are all given by a star, by their names in small letters."""
    given = getattr(scope.expression, "expressions", ())
    found = [one for one in given if one.is_star and isinstance(one, (exp.Star, exp.Column))]
    return {name for star in found for name in starred(star, scope)}


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """What has to hold for a condition to hold, one by one."""
    if condition is not None:
        plain = condition.unnest()
        if isinstance(plain, exp.And):
            for one in plain.flatten():
                yield from conjuncts(one)
        else:
            yield plain


def also(tree: exp.Select, *conditions: exp.Expr) -> None:
    """Add conditions to the WHERE of a tree, in place."""
    if conditions:
        tree.where(*conditions, copy=False)
