"""The engine against hand-written loops: `./ensue bench kernel`. README.md says what is measured."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import data, machine, measuring, ours, workloads
from ensue.engine.memory import keep_freed_memory

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
    detector: measuring.Sample = field(default_factory=measuring.Sample)
    counts: set[int] = field(default_factory=set)

    def run_loop(self, columns: data.Columns) -> None:
        self.counts.add(len(self.loop.add(self.workload.by_hand, self.context, columns)))

    def run_engine(self, table: pa.Table) -> None:
        found = self.engine.add(ours.engine, self.workload.pattern, self.context, table)
        self.counts.add(sum(len(part.rows) for part in found))

    def run_detector(self, table: pa.Table) -> None:
        self.counts.add(self.detector.add(ours.detect, self.workload.pattern, self.context, [table]))

    @property
    def samples(self) -> tuple[measuring.Sample, ...]:
        return self.loop, self.engine, self.detector

    @property
    def ratio(self) -> float:
        return self.engine.median / self.loop.median

    @property
    def ratios(self) -> list[float]:
        """The ratio in each round: the sides ran right after one another."""
        return [mine / limit for mine, limit in zip(self.engine.runs, self.loop.runs, strict=True)]

    @property
    def detector_ratio(self) -> float:
        return self.detector.median / self.loop.median

    @property
    def agreed(self) -> bool:
        """Whether all sides found the same number of occurrences, every time."""
        return len(self.counts) == 1

    def passes(self) -> bool:
        return self.agreed and self.ratio <= TARGET

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "pattern": str(self.workload.pattern),
            "context": self.context,
            "occurrences": sorted(self.counts),
            "ratio": self.ratio,
            "ratios": self.ratios,
            "ratio_of_processor_time": self.engine.median_processor / self.loop.median_processor,
            "detector_ratio": self.detector_ratio,
            "loop_seconds": self.loop.summary(),
            "engine_seconds": self.engine.summary(),
            "detector_seconds": self.detector.summary(),
        }


def main(events: int = data.DEFAULT_EVENTS, runs: int = 5) -> int:
    """Measure the hand-written loops, the engine and the whole detector in turn, on the same events, on one core.

    Parameters
    ----------
    events
        How many events are in memory.
    runs
        How often each side runs; what is shown are medians.
    """
    facts = machine.facts()
    measuring.one_core()
    keep_freed_memory()
    cases = [Case(workload, context) for workload in workloads.WORKLOADS for context in workloads.CONTEXTS]
    _warm_up(cases)
    table = data.events(events)
    columns = data.Columns.of(table)
    for run in range(runs):
        for case in cases:
            sides = [
                partial(case.run_loop, columns),
                partial(case.run_engine, table),
                partial(case.run_detector, table),
            ]
            for side in sides if run % 2 == 0 else reversed(sides):
                gc.collect()
                side()
    measuring.console.print(_table(cases, events, runs))
    quiet = measuring.judge_cores([sample for case in cases for sample in case.samples])
    settings: dict[str, object] = {"events": events, "runs": runs, "target": TARGET}
    measuring.save("kernel", facts, settings, [case.summary() for case in cases], quiet)
    return 0 if all(case.passes() for case in cases) else 1


def _warm_up(cases: list[Case]) -> None:
    """Compile, and read caches, before the clock runs."""
    table = data.events(100_000)  # enough for occurrences in every case
    for case in cases:
        case.workload.by_hand(case.context, data.Columns.of(table))
        ours.engine(case.workload.pattern, case.context, table)
        ours.detect(case.workload.pattern, case.context, [table])


def _table(cases: list[Case], events: int, runs: int) -> Table:
    table = Table(
        title=f"{events:,} events on one core: million events a second, medians of {runs}",
        caption=f"×: multiples of the loop's time (lowest–highest); engine's target ≤ {TARGET:g}",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in ("", "context"):
        table.add_column(name, no_wrap=True)
    for name in ("found", "loop", "engine", "×", "Detector", "×"):
        table.add_column(name, justify="right", no_wrap=True)
    for case in cases:
        counts = " ≠ ".join(f"{count:,}" for count in sorted(case.counts))
        colour = "green" if case.ratio <= TARGET else "red"
        table.add_row(
            case.workload.name,
            case.context,
            counts if case.agreed else f"[red]{counts}[/]",
            *(f"{events / sample.median / 1e6:.1f}" for sample in (case.loop, case.engine)),
            f"[{colour}]{case.ratio:.2f}[/] ({min(case.ratios):.1f}–{max(case.ratios):.1f})",
            f"{events / case.detector.median / 1e6:.1f}",
            f"{case.detector_ratio:.1f}",
        )
    return table


if __name__ == "__main__":
    cyclopts.run(main)
