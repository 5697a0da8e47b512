"""Nodes that only pass rows on: tests over what does not combine, and `or`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ensue.engine.candidates import Tests, struck_inside
from ensue.engine.nodes.base import Node, Step
from ensue.engine.rows import Rows, aligned, canonical, canonical_order, concat
from ensue.engine.store import Store


class Filter(Node):
    """The rows that pass the tests."""

    def __init__(self, variables: Sequence[str], source: int, tests: Tests) -> None:
        super().__init__(variables, (source, *(x.node for x in tests.excluded)), _widths(variables, tests))
        self.tests = tests
        for i, item in enumerate(tests.excluded):
            self.state[f"excluded {i}"] = Rows.empty(len(item.variables))

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        rows = ready[0]
        rows = rows.where(self.tests.interval_holds(rows.begin, rows.end))
        rows = rows.where(self.tests.conditions_hold_for(rows, self.variables, step.book))
        for i, item in enumerate(self.tests.excluded):
            excluded = concat([self.state[f"excluded {i}"], ready[1 + i]])
            rows = rows.where(~struck_inside(rows, self.variables, excluded, item.variables))
            self.state[f"excluded {i}"] = excluded.where(excluded.begin >= self.tests.oldest(gate))
        return rows


class Union(Node):
    """The rows of both inputs, each once; in `recent` the latest of those with the same end and substitution."""

    def __init__(self, sides: Sequence[tuple[int, tuple[str, ...]]], recent: bool) -> None:
        names = {name for _, variables in sides for name in variables}
        super().__init__(tuple(names), [node for node, _ in sides], [len(variables) for _, variables in sides])
        self.side_names = [variables for _, variables in sides]
        self.recent = recent

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        parts = [aligned(rows, names, self.variables) for rows, names in zip(ready, self.side_names, strict=True)]
        rows = canonical(concat(parts), step.store)
        return rows.take(latest(rows, step.store)) if self.recent else rows


def latest(rows: Rows, store: Store) -> np.ndarray:
    """Context `recent`: of the rows with the same end and substitution the one with the latest begin, then the last
    in §1.
    """
    from ensue.engine.kernels.partition import number_rows

    order, _ = canonical_order(rows, store)
    keys = np.ascontiguousarray(np.concatenate([rows.end[order, None], rows.values[order]], axis=1))
    numbers, count = number_rows(keys)
    chosen = np.zeros(count, np.int64)
    chosen[numbers] = np.arange(len(numbers))  # the last one of each group stays
    return order[np.sort(chosen)]


def _widths(variables: Sequence[str], tests: Tests) -> list[int]:
    return [len(variables), *(len(item.variables) for item in tests.excluded)]
