"""`n times`: runs of successive reports."""

from __future__ import annotations

from typing import Any

from ensue.algebra import Context
from ensue.engine.immediate.parts import Log, Node, Part, distinct, latest, merged, order, part_of, sigma_of
from ensue.engine.immediate.simple import Check
from ensue.model.occurrences import Bindings


class Repeats(Node):
    """Keeps, for each substitution, the newest n - 1 reports that can still begin a run."""

    __slots__ = ("_check", "_context", "_count", "_disjoint", "_log", "_longest", "runs")

    def __init__(
        self, number: int, source: Node, count: int, context: Context, longest: int, check: Check | None, log: Log
    ) -> None:
        super().__init__(number, source.scope, (source,))
        self._count, self._context, self._longest, self._check, self._log = count, context, longest, check, log
        self._disjoint = context in (Context.CHRONICLE, Context.CUMULATIVE)
        self.runs: dict[Bindings, tuple[Part, ...]] = {}

    def step(self, now: int) -> None:
        new = self.inputs[0].out
        if not new:
            return
        if len(new) > 1:
            new = sorted(new, key=order)
        out = []
        runs, count = self.runs, self._count
        for part in new:
            sigma = part[3]
            before = runs.get(sigma)
            if before is None:
                self._log.append((dict.pop, runs, sigma))
                run: tuple[Part, ...] = (part,)
            else:
                self._log.append((dict.__setitem__, runs, sigma, before))
                run = (*before, part)
            if len(run) == count:
                begin = min([one[0] for one in run])
                if now - begin <= self._longest and (self._check is None or self._check(begin, now, sigma)):
                    out.append(merged(run, now, sigma))
                    run = () if self._disjoint else run[1:]
                else:
                    run = run[1:]
            runs[sigma] = run
        self.out = latest(out) if self._context is Context.RECENT and len(out) > 1 else distinct(out)

    def forget(self, now: int) -> int:
        oldest = now - self._longest
        self.runs = {sigma: run for sigma, run in self.runs.items() if run and run[-1][1] >= oldest}
        return len(self.runs)

    def save(self) -> Any:
        return list(self.runs.items())

    def restore(self, saved: Any) -> None:
        self.runs = {sigma_of(sigma): tuple(map(part_of, run)) for sigma, run in saved}
