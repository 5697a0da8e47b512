"""Reading the SELECT of a class, with every error at its place in the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from ensue.errors import near
from ensue.language.grammar import tokenize
from ensue.language.kinds import KINDS, NAMED
from ensue.language.queries.names import OCCURRENCE, class_name, class_tables, columns, meanings, scopes, tables
from ensue.language.queries.outputs import Mismatch, outputs
from ensue.language.queries.text import Prepared, canonical, length_of, parse_prepared, prepare, walk
from ensue.language.scanning import brackets_match
from ensue.language.source import Spot
from ensue.model import AttributeType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark import Token

    from ensue.language.environment import Environment
    from ensue.language.source import Place, Source
    from ensue.language.times import TimeOf
    from ensue.model import EventClass

_CHANGING = (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime, exp.Rand, exp.Randn, exp.Uuid, exp.CurrentUser)
_CHANGING_NAMES = frozenset({"now", "random", "shuffle", "monotonically_increasing_id", "curdate", "localtimestamp"})


@dataclass(frozen=True, slots=True)
class Selection:
    """A SELECT that has been read: its tree, its canonical text and the classes that it uses."""

    tree: exp.Select
    text: str
    uses: frozenset[str]


def read_selection(query: Token, declared: EventClass, source: Source, environment: Environment) -> Selection | None:
    """The SELECT of a class; None, with the reasons reported, if it is none."""
    return _Reader(query, source, environment).selection(declared)


def check_time(
    time: TimeOf, place: Place, selection: Selection, source: Source, environment: Environment
) -> TimeOf | None:
    """A time that names a table of the SELECT, or an attribute of one that is a time; else None, and a report."""
    known = tables(scopes(selection.tree)[-1])
    alias, table = known.get(time.table.lower(), (None, None))
    timed = columns(table, environment.attributes)
    if alias is None or (timed is not None and OCCURRENCE not in timed):
        listed = [
            name for name, found in known.values() if OCCURRENCE in (columns(found, environment.attributes) or ())
        ]
        hint = near(time.table, listed) or f"the tables of the SELECT are: {', '.join(listed) or 'none'}"
        source.report("E343", f"{time.table} is no table of the SELECT, so it has no time", place, hint=hint)
        return None
    attributes = environment.attributes(class_name(table) or "") if isinstance(table, exp.Table) else None
    if time.attribute is None or time.attribute.lower() == OCCURRENCE:
        return type(time)(alias)
    if attributes is None:
        return type(time)(alias, time.attribute)
    lowered = {name.lower(): name for name in attributes}
    name = lowered.get(time.attribute.lower())
    if name is None or attributes[name] is not AttributeType.TIME:
        times = [one for one, kind in attributes.items() if kind is AttributeType.TIME]
        hint = near(time.attribute, times) or f"write {alias} for the time at which it occurs"
        what = "has no attribute" if name is None else "has no time"
        source.report("E343", f"{alias} {what} {time.attribute}", place, hint=hint)
        return None
    return type(time)(alias, name)


class _Reader:
    def __init__(self, query: Token, source: Source, environment: Environment) -> None:
        self._query = query
        self._source = source
        self._environment = environment
        self._prepared = Prepared("", (0,), (0,))

    def selection(self, declared: EventClass) -> Selection | None:
        tree = self._tree()
        if tree is None:
            return None
        self._check_constant(tree)
        uses = frozenset(self._uses(tree))
        self._check_reserved(declared)
        before = len(self._source.problems)
        self._check_columns(tree)
        if len(self._source.problems) == before:
            self._check_outputs(tree, declared)
        try:
            return Selection(tree, canonical(tree), uses)
        except (sqlglot.errors.SqlglotError, RecursionError, ValueError) as error:
            self._unreadable(_first_line(error))
            return None

    def _tree(self) -> exp.Select | None:
        """What sqlglot reads; its errors have a place, but in the text that it was given."""
        if not brackets_match(self._moved(tokenize(str(self._query))), self._source):
            return None
        try:
            self._prepared = prepare(str(self._query))
        except ValueError as error:
            self._source.report("E221", str(error), self._query)
            return None
        try:
            tree = parse_prepared(self._prepared.text)
            scopes(tree)
        except sqlglot.ParseError as error:
            found = error.errors[0] if error.errors else {}
            self._unreadable(_said(found, error), self._at(found))
        except (sqlglot.errors.SqlglotError, RecursionError) as error:
            self._unreadable(_first_line(error))
        else:
            if isinstance(tree, exp.Select):
                return tree
            hint = "put it in a subquery: SELECT … FROM (… UNION ALL …) AS t"
            message = "the SELECT of a class is one SELECT, and not several put together"
            self._source.report("E341", message, self._query, hint=hint)
        return None

    def _unreadable(self, message: str, place: Place | None = None) -> None:
        self._source.report("E340", f"the SELECT cannot be read: {message}", place or self._query)

    def _check_constant(self, tree: exp.Select) -> None:
        """Report what no SELECT of a class may hold: what others would have to give, and what changes by itself."""
        for node in walk(tree):
            if isinstance(node, (exp.Placeholder, exp.Parameter, exp.SessionParameter)) and length_of(node) is None:
                message = f"{node.sql()} is a parameter, and nothing gives it a value"
                self._source.report("E341", message, self._place(node), hint="write the value itself")
            elif isinstance(node, _CHANGING) or (
                isinstance(node, exp.Anonymous) and str(node.this).lower() in _CHANGING_NAMES
            ):
                hint = "only OCCURRING AT may say NOW; compare the times of tables instead"
                message = f"{node.sql()} changes by itself, and what is published depends on events alone"
                self._source.report("E341", message, self._place(node), hint=hint)

    def _uses(self, tree: exp.Select) -> Iterator[str]:
        classes = self._environment.classes or {}
        for table in class_tables(tree):
            name = class_name(table) or ""
            yield name
            if name not in classes and name not in self._environment.unreadable:
                hint = near(name, classes) or "a table of a SELECT is an event class, written as it is declared"
                self._source.report("E300", f"there is no event class {name}", self._place(table.this), hint=hint)
            elif OCCURRENCE in _lowered(self._environment.attributes(name)):
                self._reserved(name, self._place(table))

    def _check_reserved(self, declared: EventClass) -> None:
        if OCCURRENCE in _lowered(declared.attributes):
            self._reserved(declared.name, self._query)

    def _reserved(self, name: str, place: Place) -> None:
        message = f"{name} has an attribute {OCCURRENCE}, which in a SELECT is the time at which an event occurs"
        self._source.report("E346", message, place, hint="give the attribute another name")

    def _check_columns(self, tree: exp.Select) -> None:
        for found in meanings(tree, self._environment.attributes):
            if found.problem is None:
                continue
            column, place = found.column, self._place(found.column)
            if column.name.lower() == "now" and not column.table:
                hint = "compare the times of tables, and say NOW in OCCURRING AT"
                self._source.report("E341", "NOW can only stand in OCCURRING AT", place, hint=hint)
            elif found.known and found.table is not None:
                self._source.report("E301", found.problem, place, hint=near(column.name, found.known))
            elif found.known and column.table:
                self._source.report("E343", found.problem, place, hint=near(column.table, found.known))
            elif found.known:
                self._source.report("E301", found.problem, place, hint=near(column.name, found.known))
            else:
                hint = "put the table's name before it, or give the table another one"
                self._source.report("E343", f"{found.problem}: which is meant?", place, hint=hint)

    def _check_outputs(self, tree: exp.Select, declared: EventClass) -> None:
        try:
            found = outputs(tree, declared, self._environment.attributes)
        except Mismatch as error:
            place = self._place(error.node) if error.node is not None else self._query
            self._source.report("E342", error.message, place, hint=error.hint)
            return
        for name, output in found.items():
            wanted = KINDS[declared.attributes[name]]
            if output.kind is not None and KINDS[output.kind] is not wanted:
                message = f"{name} is declared as {NAMED[wanted]}, and the SELECT gives {NAMED[KINDS[output.kind]]}"
                self._source.report("E312", message, self._place(output.value), hint="write CAST(… AS …)")

    # places

    def _moved(self, tokens: Iterator[Token]) -> Iterator[Token]:
        """Tokens of the query, at their places in the program."""
        for token in tokens:
            spot = self._spot(token.start_pos or 0, token.end_pos or 0)
            moved = token.update()
            moved.line, moved.column, moved.start_pos, moved.end_pos = (
                spot.line,
                spot.column,
                spot.start_pos,
                spot.end_pos,
            )
            yield moved

    def _spot(self, start: int, end: int) -> Spot:
        base = self._query.start_pos or 0
        before = self._source.text[: base + start]
        return Spot(before.count("\n") + 1, len(before) - before.rfind("\n"), base + start, base + max(end, start + 1))

    def _place(self, node: exp.Expr) -> Place:
        """From the first name in a node to the last; where no place is known, the same text, or the whole query."""
        metas = [one.meta for one in walk(node) if "start" in one.meta]
        if not metas:
            start = str(self._query).find(said := node.sql())
            return self._query if start < 0 else self._spot(start, start + len(said))
        start, end = min(meta["start"] for meta in metas), max(meta["end"] for meta in metas) + 1
        return self._spot(self._prepared.origin(start), self._prepared.origin(end))

    def _at(self, found: dict[str, object]) -> Place | None:
        """The place of an error of sqlglot, which tells the line and the column of the word's last letter."""
        line, column, word = found.get("line"), found.get("col"), str(found.get("highlight") or "")
        if not isinstance(line, int) or not isinstance(column, int):
            return None
        text = self._prepared.text
        start = sum(len(one) + 1 for one in text.split("\n")[: line - 1]) + column - len(word)
        return self._spot(self._prepared.origin(max(start, 0)), self._prepared.origin(max(start + len(word), 0)))


def _said(found: dict[str, object], error: Exception) -> str:
    """What sqlglot says, without the insides of its tokens."""
    said = str(found.get("description") or _first_line(error))
    word = str(found.get("highlight") or "")
    head = said.partition(" but got <Token")[0].rstrip(".")
    if "<class" in head:
        head = "something is missing"
    return f"{head[:1].lower()}{head[1:]}" + (f", at `{word}`" if word else "")


def _first_line(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "its parts lie too deep in each other"
    return (str(error).splitlines() or [""])[0].rstrip(".")


def _lowered(attributes: object) -> set[str]:
    return {str(name).lower() for name in attributes} if isinstance(attributes, dict) else set()
