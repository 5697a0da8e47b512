"""The engine against hand-written loops: `python -m bench.kernel`. README.md says what is measured."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import cyclopts
from rich.table import Table

from bench import data, measuring, ours, workloads

if TYPE_CHECKING:
    import pyarrow as pa

TARGET = 4.0
"""How many times the time of the hand-written loop the engine may take."""


@dataclass
class Case:
    """One workload in one context, and what was measured of it."""

    workload: workloads.Workload
    context: str
    loop: measuring.Sample = field(default_factory=measuring.Sample)
    engine: measuring.Sample = field(default_factory=measuring.Sample)
    counts: set[int] = field(default_factory=set)

    def run_loop(self, columns: data.Columns) -> None:
        self.counts.add(len(self.loop.add(self.workload.by_hand, self.context, columns)))

    def run_engine(self, table: pa.Table) -> None:
        self.counts.add(self.engine.add(ours.detect, self.workload.pattern, self.context, [table]))

    @property
    def ratio(self) -> float | None:
        return self.engine.median / self.loop.median if self.engine.runs else None

    @property
    def ratios(self) -> list[float]:
        """The ratio in each round: both sides ran right after one another."""
        return [mine / limit for mine, limit in zip(self.engine.runs, self.loop.runs, strict=False)]

    def passes(self) -> bool:
        return len(self.counts) == 1 and (self.ratio is None or self.ratio <= TARGET)

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "pattern": str(self.workload.pattern),
            "context": self.context,
            "occurrences": sorted(self.counts),
            "loop_seconds": self.loop.summary(),
            "engine_seconds": self.engine.summary() if self.engine.runs else None,
            "ratio": self.ratio,
            "ratios": self.ratios,
        }


def main(events: int = data.DEFAULT_EVENTS, runs: int = 5) -> int:
    """Measure the engine and the hand-written loops in turn, on the same events, on one core.

    Parameters
    ----------
    events
        How many events are in memory.
    runs
        How often each side runs; what is shown are medians.
    """
    facts = measuring.machine()
    measuring.one_core()
    cases = [Case(workload, context) for workload in workloads.WORKLOADS for context in workloads.CONTEXTS]
    _warm_up(cases)
    table = data.events(events)
    columns = data.Columns.of(table)
    for run in range(runs):
        for case in cases:
            sides = [partial(case.run_loop, columns)]
            if ours.Detector:
                sides.append(partial(case.run_engine, table))
            for side in sides if run % 2 == 0 else reversed(sides):
                gc.collect()
                side()
    measuring.console.print(_table(cases, events, runs))
    measuring.judge_cores([sample for case in cases for sample in (case.loop, case.engine)])
    if not ours.Detector:
        measuring.console.print("ensue.Detector does not exist yet: only the loops were measured.", style="yellow")
    measuring.save("kernel", facts, {"events": events, "runs": runs}, [case.summary() for case in cases])
    return 0 if all(case.passes() for case in cases) else 1


def _warm_up(cases: list[Case]) -> None:
    """Compile, and read caches, before the clock runs."""
    table = data.events(10_000)
    for case in cases:
        case.workload.by_hand(case.context, data.Columns.of(table))
        if ours.Detector:
            ours.detect(case.workload.pattern, case.context, [table])


def _table(cases: list[Case], events: int, runs: int) -> Table:
    table = Table(
        title=f"{events:,} events on one core: million events a second",
        caption=f"medians of {runs} runs (lowest–highest); ratio: engine's time / loop's, target ≤ {TARGET:g}",
    )
    for name in ("", "context"):
        table.add_column(name)
    for name in ("found", "loop", "engine", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    for case in cases:
        agreed = len(case.counts) == 1
        counts = " ≠ ".join(f"{count:,}" for count in sorted(case.counts))
        table.add_row(
            case.workload.name,
            case.context,
            counts if agreed else f"[red]{counts}[/]",
            _speed(events, case.loop),
            _speed(events, case.engine),
            _ratio(case),
        )
    return table


def _speed(events: int, sample: measuring.Sample) -> str:
    if not sample.runs:
        return "–"
    low, middle, high = (events / seconds / 1e6 for seconds in (max(sample.runs), sample.median, min(sample.runs)))
    return f"{middle:.1f} ({low:.1f}–{high:.1f})"


def _ratio(case: Case) -> str:
    if case.ratio is None:
        return "–"
    colour = "green" if case.ratio <= TARGET else "red"
    return f"[{colour}]{case.ratio:.2f}[/] ({min(case.ratios):.2f}–{max(case.ratios):.2f})"


if __name__ == "__main__":
    cyclopts.run(main)
