"""`n times`: runs of successive rows."""

from __future__ import annotations

import numpy as np

from ensue.algebra import Context
from ensue.engine.arrays import Ints, counting
from ensue.engine.candidates import Tests, struck_inside
from ensue.engine.kernels import members as member_kernels, runs as run_kernels
from ensue.engine.kernels.partition import number_rows
from ensue.engine.nodes.base import Node, Step
from ensue.engine.nodes.simple import latest
from ensue.engine.rows import Rows, canonical, concat
from ensue.engine.store import Store


class Repeats(Node):
    """Each run of n successive rows with the same substitution that passes the tests; in chronicle and cumulative
    disjoint.
    """

    def __init__(self, count: int, context: Context, source: int, variables: tuple[str, ...], tests: Tests) -> None:
        widths = [len(variables), *(len(item.variables) for item in tests.excluded)]
        super().__init__(variables, (source, *(item.node for item in tests.excluded)), widths)
        self.count, self.context, self.tests = count, context, tests
        self.state["waiting"] = Rows.empty(len(variables))
        for i, item in enumerate(tests.excluded):
            self.state[f"excluded {i}"] = Rows.empty(len(item.variables))

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        old = self.state["waiting"]
        rows = concat([old, ready[0]])
        group, groups = number_rows(rows.values)
        tests = self.tests
        found, begin, place = run_kernels.windows(
            self.count, rows.begin, rows.end, group, groups, len(old), tests.longest, tests.low, tests.high
        )
        runs = found.reshape(-1, self.count)
        last = runs[:, -1]
        wholes = Rows(
            begin, rows.end[last], np.zeros(len(last) + 1, np.int64), np.empty(0, np.int64), rows.values[last]
        )
        mask = tests.interval_holds(wholes.begin, wholes.end) & tests.conditions_hold_for(
            wholes, self.variables, step.book
        )
        for i, item in enumerate(tests.excluded):
            excluded = concat([self.state[f"excluded {i}"], ready[1 + i]])
            mask &= ~struck_inside(wholes, self.variables, excluded, item.variables)
            self.state[f"excluded {i}"] = excluded.where(excluded.begin >= tests.oldest(gate))
        runs, wholes, place = runs[mask], wholes.where(mask), place[mask]
        free = np.zeros(groups, np.int64)
        if self.context in (Context.CHRONICLE, Context.CUMULATIVE):
            chosen, free = run_kernels.disjoint(self.count, group[runs[:, -1]], place, groups)
            runs, wholes = runs[chosen], wholes.where(chosen)
        needed = run_kernels.still_needed(self.count, group, groups, free)
        self.state["waiting"] = rows.where(needed & (rows.begin >= tests.oldest(gate)))
        starts, members = self._joined(runs, rows, step.store)
        out = canonical(Rows(wholes.begin, wholes.end, starts, members, wholes.values), step.store)
        return out.take(latest(out, step.store)) if self.context is Context.RECENT else out

    def _joined(self, runs: Ints, rows: Rows, store: Store) -> tuple[Ints, Ints]:
        """The members of each run; mostly each row has one, and they stand in order."""
        if store.ordered and member_kernels.common_length(rows.starts) == 1:
            members = rows.members[runs]
            if bool((members[:, 1:] > members[:, :-1]).all()):
                return counting(len(runs) + 1) * self.count, members.reshape(-1)
        numbers, total, starts, listed = run_kernels.join_runs(self.count, runs.reshape(-1), rows.starts, rows.members)
        starts, members = member_kernels.join_groups(numbers, total, starts, listed, *store.arrays())
        return starts, members
