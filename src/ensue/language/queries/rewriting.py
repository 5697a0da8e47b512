"""From a SELECT class to plain Spark SQL over the tables of its classes (docs/semantics.md, D32 to D34).

Each class's table has its attributes and `occ`, a TIMESTAMP. Times are timestamps and durations day-time intervals, so
that they compare with attributes that are times. `:now` is the step at which a row comes to hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from ensue.language.queries.names import OCCURRENCE, meanings
from ensue.language.queries.outputs import outputs
from ensue.language.queries.text import DIALECT, parse_query, with_lengths
from ensue.language.times import Extreme, Now, Shifted, Time, TimeOf
from ensue.model import AttributeType

if TYPE_CHECKING:
    from ensue.language.program import Program, SelectedClass

_UNITS = (("DAY", 86_400_000_000), ("HOUR", 3_600_000_000), ("MINUTE", 60_000_000), ("SECOND", 1_000_000))
_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SPARK_TYPES = {
    AttributeType.INTEGER: "BIGINT",
    AttributeType.NUMBER: "DOUBLE",
    AttributeType.TEXT: "STRING",
    AttributeType.TRUTH: "BOOLEAN",
    AttributeType.TIME: "TIMESTAMP",
}


def plain_sql(item: SelectedClass, program: Program) -> str:
    """The SELECT of a class as Spark runs it: first `occ`, then the attributes in the order of their declaration."""
    tree, attributes = prepared(item, program)
    is_grouped = groups(tree)
    now = exp.Placeholder(this="now")
    moment = (
        check_point(sql_time(item.checks.first, now, grouped=is_grouped), item.checks.every, now)
        if item.checks
        else now
    )
    occurring = sql_time(item.occurring, moment, grouped=is_grouped)
    tree.set("expressions", [exp.alias_(occurring, OCCURRENCE), *attributes])
    if item.checks:
        condition = exp.LTE(this=moment.copy(), expression=sql_time(item.checks.last, now, grouped=is_grouped))
        tree = tree.having(condition) if condition.find(exp.AggFunc) else tree.where(condition)
    return spark_tree(tree).sql(dialect=DIALECT, pretty=True, comments=False)


def prepared(item: SelectedClass, program: Program) -> tuple[exp.Select, list[exp.Expr]]:
    """The tree of a class's SELECT with tables as times written out, and the columns that are its attributes."""
    tree = parse_query(item.query)
    if not isinstance(tree, exp.Select):
        raise AssertionError("a checked query is a SELECT")
    _name_positions(tree)
    columns = outputs(tree, item.declaration, program.attributes)
    for found in list(meanings(tree, program.attributes)):
        if found.is_time and found.table is not None:
            found.column.replace(_column(OCCURRENCE, found.table))
    return tree, [
        _named(column.value if column.kind is kind else exp.cast(column.value, _SPARK_TYPES[kind]), name)
        for (name, kind), column in ((pair, columns[pair[0]]) for pair in item.declaration.attributes.items())
    ]


def spark_tree(tree: exp.Expr) -> exp.Expr:
    """The tree with what is not SQL replaced: durations, and MAX of several times."""
    return with_lengths(tree.transform(_without_many), _interval)


def _name_positions(tree: exp.Select) -> None:
    """GROUP BY 1 means the first column; what is first changes, so the column itself has to stand there."""
    for clause in (tree.args.get("group"), tree.args.get("order")):
        for one in list(clause.expressions) if clause else ():
            number = one.this if isinstance(one, exp.Ordered) else one
            if isinstance(number, exp.Literal) and number.is_int and 0 < int(number.this) <= len(tree.expressions):
                number.replace(tree.expressions[int(number.this) - 1].unalias().copy())


def groups(tree: exp.Select) -> bool:
    """Whether a row of the SELECT stands for a group of rows."""
    return bool(tree.args.get("group")) or any(_aggregates(one) for one in tree.expressions)


def _aggregates(node: exp.Expr) -> bool:
    return any(not _has_many(found) and not found.find_ancestor(exp.Subquery) for found in node.find_all(exp.AggFunc))


def _has_many(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Max, exp.Min)) and bool(node.expressions)


def _without_many(node: exp.Expr) -> exp.Expr:
    """MAX(a, b) is the later of two times, for which SQL has another word."""
    if not _has_many(node):
        return node
    return greatest([node.this, *node.expressions], latest=isinstance(node, exp.Max))


def greatest(values: list[exp.Expr], *, latest: bool) -> exp.Expr:
    """The largest or the least of some values; of one alone, that one."""
    return exp.func("GREATEST" if latest else "LEAST", *values, dialect=DIALECT) if len(values) > 1 else values[0]


def sql_time(time: Time, now: exp.Expr, *, grouped: bool) -> exp.Expr:
    """A time as Spark computes it in the SELECT, or over columns that stand for its parts."""
    match time:
        case Now():
            return now.copy()
        case TimeOf(table=table, attribute=attribute):
            return _column(attribute or OCCURRENCE, table)
        case Shifted(time=inner, by=by):
            return shifted(sql_time(inner, now, grouped=grouped), by)
        case Extreme(latest=latest, times=times):
            values = [sql_time(one, now, grouped=grouped) for one in times]
            if len(values) > 1:
                return greatest(values, latest=latest)
            return (exp.Max if latest else exp.Min)(this=values[0]) if grouped else values[0]


def shifted(time: exp.Expr, by: int) -> exp.Expr:
    """So many microseconds after a time, or before it."""
    return (exp.Sub if by < 0 else exp.Add)(this=time, expression=_interval(abs(by)))


def check_point(first: exp.Expr, every: int, now: exp.Expr) -> exp.Expr:
    """The first point of the checks that is not before the row came to hold; whole microseconds, so it is exact."""
    start, held = (f"UNIX_MICROS({one.sql(dialect=DIALECT)})" for one in (first, now))
    waited = f"GREATEST({held} - {start}, 0)"
    text = f"TIMESTAMP_MICROS({start} + ({waited} + {every - 1}) DIV {every} * {every})"
    found = sqlglot.parse_one(text, dialect=DIALECT)
    if not isinstance(found, exp.Expr):
        raise AssertionError("the text is an expression")
    return found


def _interval(length: int) -> exp.Expr:
    """A duration in the largest unit of which it has a whole number."""
    unit, size = next((pair for pair in _UNITS if length % pair[1] == 0), _UNITS[-1])
    whole, rest = divmod(length, size)
    said = f"{whole}.{rest:06}".rstrip("0") if rest else str(whole)
    return exp.Interval(this=exp.Literal.string(said), unit=exp.Var(this=unit))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(_identifier(name), table=_identifier(table))


def _named(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(value, _identifier(name))


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=not _PLAIN.fullmatch(name))
