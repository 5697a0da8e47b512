"""`n times`: runs of successive reports."""

from __future__ import annotations

from typing import Any

from ensue.algebra import Context
from ensue.engine.immediate.agenda import Agenda
from ensue.engine.immediate.parts import Log, Node, Part, distinct, latest, merged, order, part_of, sigma_of
from ensue.engine.immediate.simple import Check
from ensue.model.occurrences import Bindings


class Repeats(Node):
    """Keeps, for each substitution, the newest n - 1 reports that can still begin a run."""

    __slots__ = ("_agenda", "_check", "_context", "_count", "_disjoint", "_log", "_longest", "runs")

    def __init__(
        self,
        number: int,
        source: Node,
        count: int,
        context: Context,
        longest: int,
        check: Check | None,
        log: Log,
        agenda: Agenda,
    ) -> None:
        super().__init__(number, source.scope, (source,))
        self._count, self._context, self._longest, self._check = count, context, longest, check
        self._log, self._agenda = log, agenda
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
                before = ()
                self._agenda.add(self._look, sigma)
            self._log.append((dict.__setitem__, runs, sigma, before))
            run: tuple[Part, ...] = (*before, part)
            if len(run) == count:
                begin = min([one[0] for one in run])
                if now - begin <= self._longest and (self._check is None or self._check(begin, now, sigma)):
                    out.append(merged(run, now, sigma))
                    run = () if self._disjoint else run[1:]
                else:
                    run = run[1:]
            runs[sigma] = run
        self.out = latest(out) if self._context is Context.RECENT and len(out) > 1 else distinct(out)

    def _look(self, sigma: Bindings, now: int) -> bool:
        run = self.runs[sigma]
        keeps = bool(run) and run[-1][1] >= now - self._longest
        if not keeps:
            del self.runs[sigma]
        return keeps

    def save(self) -> Any:
        return [one for one in self.runs.items() if one[1]]

    def restore(self, saved: Any) -> None:
        for saved_sigma, run in saved:
            sigma = sigma_of(saved_sigma)
            self.runs[sigma] = tuple(map(part_of, run))
            self._agenda.add(self._look, sigma)
