"""What the names in a SELECT stand for: event classes, their attributes, and tables used as times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from ensue.model import AttributeType

OCCURRENCE = "occ"
"""The column of a class's table that holds when its events occur."""

Attributes: TypeAlias = Callable[[str], Mapping[str, AttributeType] | None]
"""The attributes of a class by its name, those of the classes above it included; None if nothing is known of it."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column of a SELECT is: the time of a table, an attribute of one, or not to be told."""

    column: exp.Column
    table: str | None = None
    attribute: str | None = None
    is_time: bool = False
    problem: str | None = None
    """Why it is nothing."""
    known: tuple[str, ...] = ()
    """What could have stood there, if it is nothing."""


def scopes(tree: exp.Expr) -> list[Scope]:
    """The SELECTs inside a SELECT, the outermost last."""
    return traverse_scope(tree)


def class_tables(tree: exp.Expr) -> Iterator[exp.Table]:
    """The tables that are named in a SELECT and not defined in it."""
    seen = set()
    for scope in scopes(tree):
        for _, source in tables(scope).values():
            if isinstance(source, exp.Table) and class_name(source) and id(source) not in seen:
                seen.add(id(source))
                yield source


def class_name(table: exp.Table) -> str | None:
    """The class that a table is; None for a function that gives rows."""
    return ".".join(part.name for part in table.parts) if isinstance(table.this, exp.Identifier) else None


def meanings(tree: exp.Expr, attributes: Attributes) -> Iterator[Meaning]:
    """What each column in a SELECT stands for."""
    for scope in scopes(tree):
        for column in scope.find_all(exp.Column):
            if not isinstance(column.this, exp.Star):
                yield _meaning(column, scope, attributes)


def columns(source: object, attributes: Attributes) -> dict[str, str] | None:
    """The columns of a table, by their names in small letters; None if they cannot be told."""
    if isinstance(source, exp.Table):
        name = class_name(source)
        found = attributes(name) if name else None
        if found is None or source.args.get("pivots") or source.alias_column_names:
            return None
        return {known.lower(): known for known in (*found, OCCURRENCE)}
    if isinstance(source, Scope):
        outer = source.expression.parent
        renamed = outer.alias_column_names if isinstance(outer, (exp.Subquery, exp.CTE)) else []
        names = renamed or _given(source, attributes)
        return None if names is None else {name.lower(): name for name in names if name}
    return None


def starred(star: exp.Expr, scope: Scope) -> list[str]:
    """The tables whose columns a star stands for, by their names in small letters."""
    if isinstance(star, exp.Column):
        return [star.table.lower()]
    hidden = {name.lower() for name in scope.semi_or_anti_join_tables}
    return [name for name in tables(scope) if name not in hidden]


def _given(scope: Scope, attributes: Attributes) -> list[str] | None:
    """The names of the columns that a SELECT inside another gives, a star replaced by what it stands for."""
    found: list[str] = []
    known = tables(scope)
    for name, value in zip(_selected(scope), getattr(scope.expression, "selects", ()), strict=False):
        if name != "*":
            found.append(name)
            continue
        for one in starred(value, scope):
            listed = columns(known[one][1], attributes) if one in known else None
            if listed is None:
                return None
            found += listed.values()
    return found


def tables(scope: Scope) -> dict[str, tuple[str, object]]:
    """The tables of one SELECT, by their names in small letters."""
    return {name.lower(): (name, scope.sources[name]) for name, _ in scope.references if name in scope.sources}


def _meaning(column: exp.Column, scope: Scope, attributes: Attributes) -> Meaning:
    return (_qualified if column.table else _bare)(column, scope, attributes)


def _qualified(column: exp.Column, scope: Scope, attributes: Attributes) -> Meaning:
    wanted, name = column.table.lower(), column.name.lower()
    aliases: list[str] = []
    for level in _levels(scope):
        known = tables(level)
        if wanted in known:
            alias, source = known[wanted]
            listed = columns(source, attributes)
            if listed is None:
                return Meaning(column, alias)
            if name not in listed:
                problem = f"{alias} has no column {column.name}"
                return Meaning(column, alias, problem=problem, known=tuple(listed.values()))
            return Meaning(column, alias, listed[name])
        aliases += [alias for alias, _ in known.values()]
        if _is_open(level, attributes):
            return Meaning(column)
    return Meaning(column, problem=f"the SELECT has no table {column.table}", known=tuple(aliases))


def _bare(column: exp.Column, scope: Scope, attributes: Attributes) -> Meaning:
    name = column.name.lower()
    every: list[str] = []
    for level in _levels(scope):
        known = tables(level)
        listed = {alias: columns(source, attributes) for alias, source in known.values()}
        holding = [alias for alias, found in listed.items() if found is not None and name in found]
        is_time = name in known and OCCURRENCE in (columns(known[name][1], attributes) or ())
        if is_time and holding:
            return Meaning(column, problem=f"{column.name} is a table and a column of {holding[0]}")
        if is_time:
            return Meaning(column, known[name][0], OCCURRENCE, is_time=True)
        if len(holding) > 1 and not _shares_columns(level):
            return Meaning(column, problem=f"{column.name} is a column of {' and of '.join(holding)}")
        if holding:
            return Meaning(column, holding[0], (listed[holding[0]] or {})[name])
        if _is_open(level, attributes) or name in (one.lower() for one in _selected(level)):
            return Meaning(column)
        every += [*listed, *(one for found in listed.values() for one in (found or {}).values())]
    return Meaning(column, problem=f"no table of the SELECT has a column {column.name}", known=tuple(every))


def _selected(scope: Scope) -> list[str]:
    """The names of the columns that a SELECT gives."""
    return scope.expression.named_selects if isinstance(scope.expression, exp.Query) else []


def _levels(scope: Scope) -> Iterator[Scope]:
    """A SELECT and those around it whose tables it sees."""
    level: Scope | None = scope
    while level is not None:
        yield level
        level = level.parent if level.is_subquery or level.is_set_operation else None


def _shares_columns(scope: Scope) -> bool:
    """Whether a join makes one column of two, or hides those of one side: then a name in both is not ambiguous."""
    hiding = {"SEMI", "ANTI"}
    return any(
        join.args.get("using") or join.method or join.kind.upper() in hiding
        for join in scope.expression.args.get("joins") or ()
    )


def _is_open(scope: Scope, attributes: Attributes) -> bool:
    """Whether a SELECT may see columns that cannot be told from the text."""
    expression = scope.expression
    if expression.args.get("laterals") or any(
        isinstance(join.this, (exp.Lateral, exp.Unnest)) for join in expression.args.get("joins") or ()
    ):
        return True
    return any(columns(source, attributes) is None for _, source in tables(scope).values())
