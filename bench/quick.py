"""A guard against getting slower: ratios only: `./ensue bench --quick`.

The engine against the hand-written loops, and detection on Spark against Spark's floors, over fewer events than in the
benchmarks themselves. thresholds.json says what is let through; it is part of making a release, not of the tests.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import kernel, measuring, spark_batch, spark_stream

THRESHOLDS = Path(__file__).parent / "thresholds.json"
SCRIPTS: dict[str, Callable[[], int]] = {
    "spark_batch": lambda: spark_batch.main(events=3_000_000, runs=2),
    "spark_stream": lambda: spark_stream.main(events=1_000_000, batches=2, runs=2),
    "kernel": lambda: kernel.main(events=5_000_000, runs=7),
}


@dataclass(frozen=True)
class Check:
    """A ratio that was found, and what it may be: `at most` of the loop's time, or `at least` of the floor's speed."""

    script: str
    case: str
    found: float
    bound: str
    limit: float

    @property
    def holds(self) -> bool:
        return self.found <= self.limit if self.bound == "at most" else self.found >= self.limit


def main() -> int:
    """Measure ratios, and compare them with bench/thresholds.json: 1 if one of them is worse than it may be."""
    with tempfile.TemporaryDirectory() as folder:
        measuring.RESULTS = Path(folder)
        for script in SCRIPTS.values():
            script()
        thresholds = json.loads(THRESHOLDS.read_text("utf-8"))
        found = {name: json.loads((Path(folder) / f"{name}.json").read_text("utf-8"))["results"] for name in SCRIPTS}
    checks = list(compared(thresholds, found))
    measuring.console.print(_table(checks))
    return 0 if all(check.holds for check in checks) else 1


def compared(thresholds: dict[str, Any], found: dict[str, list[dict[str, Any]]]) -> Iterator[Check]:
    """Each ratio with its threshold; one without any is an error, since nothing would guard it."""
    for script, cases in found.items():
        bound, limits = next(iter(thresholds[script].items()))
        for case in cases:
            name = " ".join(case[part] for part in ("workload", "context") if part in case)
            yield Check(script, name, case["ratio"], bound, limits[name])


def _table(checks: list[Check]) -> Table:
    table = Table(title="Ratios, and what they may be", box=SIMPLE_HEAD)
    for column in ("", "", "found", "", ""):
        table.add_column(column, justify="right" if column == "found" else "left")
    for one in checks:
        verdict = "[green]holds[/]" if one.holds else "[red]worse[/]"
        table.add_row(one.script, one.case, f"{one.found:.2f}", f"{one.bound} {one.limit:g}", verdict)
    return table


if __name__ == "__main__":
    cyclopts.run(main)
