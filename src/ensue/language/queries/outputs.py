"""Which column of a SELECT is which attribute of its class: by name, and by position what has no name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ensue.language.queries.names import OCCURRENCE, Attributes, class_name, columns, meanings, scopes, starred, tables

if TYPE_CHECKING:
    from ensue.model import AttributeType, EventClass


class Mismatch(Exception):  # noqa: N818  # a signal between two modules, turned into a diagnostic at once
    """The columns of a SELECT are not the attributes of its class."""

    def __init__(self, message: str, hint: str | None = None, node: exp.Expr | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.node = node


@dataclass(frozen=True, slots=True)
class Output:
    """What an attribute is computed from: the tree (part of the query's), and what is known of it."""

    value: exp.Expr
    table: str | None = None
    attribute: str | None = None
    kind: AttributeType | None = None


def outputs(tree: exp.Select, declared: EventClass, attributes: Attributes) -> dict[str, Output]:
    """The column for each attribute of a class. Raises `Mismatch` if they do not go together."""
    given = list(_expanded(tree, attributes))
    if len(given) != len(declared.attributes):
        names = ", ".join(declared.attributes) or "none"
        message = f"the SELECT gives {_counted(len(given), 'column')}, and {declared.name} has the attributes: {names}"
        raise Mismatch(message, "give one column for each attribute; the occurrence time is not one of them")
    lowered = {name.lower(): name for name in declared.attributes}
    found: dict[str, Output] = {}
    unnamed = []
    for value in given:
        name = value.alias_or_name if isinstance(value, (exp.Alias, exp.Column)) else ""
        if not name:
            unnamed.append(value)
        elif name.lower() not in lowered:
            raise Mismatch(
                f"the SELECT gives a column {name}, and {declared.name} has no such attribute",
                f"name it, … AS {_free(declared, found)}; the attributes are: {', '.join(declared.attributes)}",
                value,
            )
        elif lowered[name.lower()] in found:
            raise Mismatch(f"the SELECT gives two columns {name}", "name one of them otherwise", value)
        else:
            found[lowered[name.lower()]] = _output(value.unalias(), tree, attributes)
    rest = [name for name in declared.attributes if name not in found]
    for name, value in zip(rest, unnamed, strict=True):
        found[name] = _output(value, tree, attributes)
    return found


def _expanded(tree: exp.Select, attributes: Attributes) -> Iterator[exp.Expr]:
    """The columns of a SELECT, a star replaced by what it stands for; `occ` is not meant by it."""
    outermost = scopes(tree)[-1]
    known = tables(outermost)
    for value in tree.expressions:
        if not value.is_star or not isinstance(value, (exp.Star, exp.Column)):
            yield value
            continue
        for one in starred(value, outermost):
            alias, source = known.get(one, ("", None))
            listed = columns(source, attributes)
            if listed is None:
                raise Mismatch("what * stands for cannot be told here", "name the columns", value)
            for name in listed.values():
                if name != OCCURRENCE:
                    yield exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(alias, quoted=True))


def _output(value: exp.Expr, tree: exp.Select, attributes: Attributes) -> Output:
    """What is known of a column that is nothing but an attribute of a class."""
    if not isinstance(value, exp.Column):
        return Output(value)
    known = tables(scopes(tree)[-1])
    alias, name = value.table, value.name
    if value.parent is not None:
        meaning = next((one for one in meanings(tree, attributes) if one.column is value), None)
        alias, name = (meaning.table or "", meaning.attribute or "") if meaning else ("", "")
    source = known.get(alias.lower(), ("", None))[1]
    listed = attributes(class_name(source) or "") if isinstance(source, exp.Table) else None
    return Output(value, alias or None, name or None, (listed or {}).get(name))


def _free(declared: EventClass, found: dict[str, Output]) -> str:
    return next((name for name in declared.attributes if name not in found), "…")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
