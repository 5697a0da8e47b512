"""The rows of a SELECT class apart from NOW: what a row is, and from that, and from when it holds, when it occurs.

When a row comes to hold is known only after the rows of all steps have been compared (docs/semantics.md, D33). So a
SELECT is run without NOW; the parts of its time that do not depend on it are columns of the rows, and the time itself
is an expression over these columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ensue.language.queries.rewriting import check_point, greatest, groups, prepared, shifted, spark_tree, sql_time
from ensue.language.queries.text import DIALECT
from ensue.language.times import Extreme, Now, Shifted, Time, parts

if TYPE_CHECKING:
    from ensue.language.program import Program, SelectedClass

TIME = "__time_"
"""The columns with the parts of a row's time are called by this and a number."""
NOW = "__now"
"""The column that says when a row came to hold, a TIMESTAMP."""


@dataclass(frozen=True, slots=True)
class Stem:
    """A SELECT whose columns are parts of a time and the attributes; when a row occurs, and if it counts at all."""

    tree: exp.Select
    times: tuple[str, ...]
    occurs: str
    counts: str | None = None
    """Of a class with CHECKING AT: whether a check was not over when the row came to hold."""

    def copy(self) -> exp.Select:
        """The tree, to be changed."""
        return self.tree.copy()


def stem_of(item: SelectedClass, program: Program) -> Stem:
    """What is run of a class, and what is made of it."""
    tree, attributes = prepared(item, program)
    found = _Parts(grouped=groups(tree))
    now: exp.Expr = exp.column(NOW)
    moment, counts = now, None
    if item.checks:
        moment = check_point(found.over(item.checks.first, now), item.checks.every, now)
        counts = exp.LTE(this=moment, expression=found.over(item.checks.last, now))
    occurs = found.over(item.occurring, moment)
    times = tuple(f"{TIME}{number}" for number, _ in enumerate(found.values))
    named = [exp.alias_(value, name) for value, name in zip(found.values, times, strict=True)]
    tree.set("expressions", [*named, *attributes])
    whole = spark_tree(tree)
    if not isinstance(whole, exp.Select):
        raise AssertionError("a SELECT stays one")
    return Stem(whole, times, _text(occurs), None if counts is None else _text(counts))


class _Parts:
    """Collects the parts of times that do not depend on NOW."""

    def __init__(self, *, grouped: bool) -> None:
        self._grouped = grouped
        self.values: list[exp.Expr] = []

    def over(self, time: Time, now: exp.Expr, of_group: Callable[[exp.Expr], exp.Expr] = lambda one: one) -> exp.Expr:
        """A time as an expression over the parts and NOW."""
        if not any(isinstance(one, Now) for one in parts(time)):
            return self._part(of_group(sql_time(time, now, grouped=self._grouped)))
        match time:
            case Shifted(time=inner, by=by):
                return shifted(self.over(inner, now, of_group), by)
            case Extreme(latest=latest, times=(inner,)):
                wanted = exp.Max if latest else exp.Min
                return self.over(inner, now, (lambda one: wanted(this=one)) if self._grouped else of_group)
            case Extreme(latest=latest, times=times):
                return greatest([self.over(one, now, of_group) for one in times], latest=latest)
            case _:
                return now.copy()

    def _part(self, value: exp.Expr) -> exp.Expr:
        if value not in self.values:
            self.values.append(value)
        return exp.column(f"{TIME}{self.values.index(value)}")


def _text(tree: exp.Expr) -> str:
    return tree.sql(dialect=DIALECT, comments=False)
