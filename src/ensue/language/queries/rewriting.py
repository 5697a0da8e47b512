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
    from ensue.language.times import Checks

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
    tree = parse_query(item.query)
    if not isinstance(tree, exp.Select):
        raise AssertionError("a checked query is a SELECT")
    _name_positions(tree)
    columns = outputs(tree, item.declaration, program.attributes)
    is_grouped = groups(tree)
    for found in list(meanings(tree, program.attributes)):
        if found.is_time and found.table is not None:
            found.column.replace(_column(OCCURRENCE, found.table))
    projected = [
        _named(column.value if column.kind is kind else exp.cast(column.value, _SPARK_TYPES[kind]), name)
        for (name, kind), column in ((pair, columns[pair[0]]) for pair in item.declaration.attributes.items())
    ]
    moment = _check_point(item.checks, grouped=is_grouped) if item.checks else None
    occurring = _time(item.occurring, moment, grouped=is_grouped)
    tree.set("expressions", [exp.alias_(occurring, OCCURRENCE), *projected])
    if item.checks and moment is not None:
        condition = exp.LTE(this=moment.copy(), expression=_time(item.checks.last, None, grouped=is_grouped))
        tree = tree.having(condition) if condition.find(exp.AggFunc) else tree.where(condition)
    return with_lengths(tree.transform(_without_many), _interval).sql(dialect=DIALECT, pretty=True, comments=False)


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
    greatest = isinstance(node, exp.Max)
    return _greatest([node.this, *node.expressions], greatest=greatest)


def _greatest(values: list[exp.Expr], *, greatest: bool) -> exp.Expr:
    return exp.func("GREATEST" if greatest else "LEAST", *values, dialect=DIALECT)


def _time(time: Time, moment: exp.Expr | None, *, grouped: bool) -> exp.Expr:
    match time:
        case Now():
            return moment.copy() if moment is not None else exp.Placeholder(this="now")
        case TimeOf(table=table, attribute=attribute):
            return _column(attribute or OCCURRENCE, table)
        case Shifted(time=inner, by=by):
            kind = exp.Sub if by < 0 else exp.Add
            return kind(this=_time(inner, moment, grouped=grouped), expression=_interval(abs(by)))
        case Extreme(latest=latest, times=times):
            values = [_time(one, moment, grouped=grouped) for one in times]
            if len(values) > 1:
                return _greatest(values, greatest=latest)
            return (exp.Max if latest else exp.Min)(this=values[0]) if grouped else values[0]


def _check_point(checks: Checks, *, grouped: bool) -> exp.Expr:
    """The first point of the checks that is not before the row came to hold; whole microseconds, so it is exact."""
    first = _time(checks.first, None, grouped=grouped).sql(dialect=DIALECT)
    every = checks.every
    waited = f"GREATEST(UNIX_MICROS(:now) - UNIX_MICROS({first}), 0)"
    text = f"TIMESTAMP_MICROS(UNIX_MICROS({first}) + ({waited} + {every - 1}) DIV {every} * {every})"
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
