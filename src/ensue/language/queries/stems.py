"""The rows of a SELECT class apart from NOW: what a row is, and from that, and from when it holds, when it occurs.

When a row comes to hold is known only after the rows of all steps have been compared (docs/semantics.md, D33). So a
SELECT is run without NOW; the parts of its time that do not depend on it are columns of the rows, and the time itself
is computed from these columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ensue.language.queries.formulas import Among, CheckPoint, Formula, Held, Later, Occurring, Part
from ensue.language.queries.rewriting import groups, prepared, spark_tree, sql_time
from ensue.language.times import Extreme, Now, Shifted, Time, parts

if TYPE_CHECKING:
    from ensue.language.program import Program, SelectedClass

TIME = "__time_"
"""The columns with the parts of a row's time are called by this and a number."""


@dataclass(frozen=True, slots=True)
class Stem:
    """A SELECT whose columns are parts of a time and the attributes, and how the time of a row follows from them."""

    tree: exp.Select
    times: tuple[str, ...]
    occurring: Occurring

    def copy(self) -> exp.Select:
        """The tree, to be changed."""
        return self.tree.copy()


def stem_of(item: SelectedClass, program: Program) -> Stem:
    """What is run of a class, and what is made of it."""
    tree, attributes = prepared(item, program)
    found = _Parts(grouped=groups(tree))
    now: Formula = Held()
    last = None
    if item.checks:
        now = CheckPoint(found.over(item.checks.first, Held()), item.checks.every)
        last = found.over(item.checks.last, Held())
    occurring = Occurring(found.over(item.occurring, now), now if item.checks else None, last)
    times = tuple(f"{TIME}{number}" for number, _ in enumerate(found.values))
    named = [exp.alias_(value, name) for value, name in zip(found.values, times, strict=True)]
    tree.set("expressions", [*named, *attributes])
    whole = spark_tree(tree)
    if not isinstance(whole, exp.Select):
        raise AssertionError("a SELECT stays one")
    return Stem(whole, times, occurring)


class _Parts:
    """Collects the parts of times that do not depend on NOW."""

    def __init__(self, *, grouped: bool) -> None:
        self._grouped = grouped
        self.values: list[exp.Expr] = []

    def over(self, time: Time, now: Formula, of_group: Callable[[exp.Expr], exp.Expr] = lambda one: one) -> Formula:
        """A time as a formula over the parts and NOW."""
        if not any(isinstance(one, Now) for one in parts(time)):
            return self._part(of_group(sql_time(time, exp.null(), grouped=self._grouped)))
        match time:
            case Shifted(time=inner, by=by):
                return Later(self.over(inner, now, of_group), by)
            case Extreme(latest=latest, times=(inner,)):
                wanted = exp.Max if latest else exp.Min
                return self.over(inner, now, (lambda one: wanted(this=one)) if self._grouped else of_group)
            case Extreme(latest=latest, times=times):
                return Among(latest, tuple(self.over(one, now, of_group) for one in times))
            case _:
                return now

    def _part(self, value: exp.Expr) -> Formula:
        if value not in self.values:
            self.values.append(value)
        return Part(self.values.index(value))
