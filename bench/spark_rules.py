"""Many patterns over one history on Spark against one of them: `./ensue bench spark_rules`. README.md says more."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

import ensue
from bench import data, machine, measuring, on_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ONE = "A(key = ?k) then B(key = ?k) then C(key = ?k) within 1 minute"
RULE = "A(key = {number}) then B(key = {number}) then C(key = {number}) within 1 minute"
SHAPES = (
    ONE.replace("1 minute", "{seconds} seconds"),
    "A(key = ?k) then C(key = ?k) without B(key = ?k) within {seconds} seconds",
    "3 times D(key = ?k, value > 0.9) within {seconds} seconds",
    "(A(key = ?k, value > 0.8) and B(key = ?k)) within {seconds} seconds",
    "A(key = ?k, value > 0.9) then (B(key = ?k) or C(key = ?k)) within {seconds} seconds",
    "2 of {{A(key = ?k, value > 0.9), B(key = ?k, value > 0.9), C(key = ?k, value > 0.9)}} within {seconds} seconds",
    "A(key = ?k, value = ?a) then B(key = ?k, value = ?b) within {seconds} seconds where ?b > ?a * 5",
    "B(key = ?k, value < 0.2) then A(key = ?k) within {seconds} seconds",
    "D(key = ?k) then A(key = ?k, value < 0.1) within {seconds} seconds",
    "2 times A(key = ?k, value < 0.5) within {seconds} seconds",
)
LENGTHS = (5, 10, 15, 20, 25, 30, 35, 40, 50, 60)


@dataclass
class Case:
    """Some patterns, what they are compared with, and how many times its cost they may have."""

    name: str
    patterns: str | Mapping[str, str]
    base: str | None = None
    target: float | None = None
    seconds: measuring.Sample = field(default_factory=measuring.Sample)

    def run(self, events: DataFrame, context: str) -> None:
        found = ensue.detect(self.patterns, events, context)
        found.write.format("noop").mode("overwrite").save()


def cases() -> list[Case]:
    """One pattern over all keys, one rule for one key, and many of either kind."""
    rules = {f"rule {number}": RULE.format(number=number) for number in range(1000)}
    shapes = {
        f"shape {number}": shape.format(seconds=seconds)
        for number, (seconds, shape) in enumerate((seconds, shape) for seconds in LENGTHS for shape in SHAPES)
    }
    return [
        Case("one rule", rules["rule 17"]),
        Case("1,000 rules of one shape", rules, "one rule", 3.0),
        Case("one pattern", ONE),
        Case("100 shapes", shapes, "one pattern", 20.0),
    ]


def main(events: int = data.DEFAULT_EVENTS, runs: int = 3, context: str = "chronicle") -> int:
    """Measure how the cost grows with the number of patterns, on `local[2]`, from the call of `detect` to the end.

    Parameters
    ----------
    events
        How many events are in the folder.
    runs
        How often each case runs; what is shown are medians.
    context
        The context of the patterns.
    """
    facts = machine.facts()
    listed = cases()
    with tempfile.TemporaryDirectory() as folder:
        on_spark.write_events(Path(folder), events)
        spark = on_spark.session()
        try:
            frame = spark.read.parquet(folder)
            for case in listed:  # start the workers, load the kernels
                case.run(frame.limit(100_000), context)
            for _ in range(runs):
                for case in listed:
                    case.seconds.add(case.run, frame, context)
        finally:
            spark.stop()
    ratios = {case.name: _ratio(case, listed) for case in listed}
    measuring.console.print(_table(listed, ratios, events, runs))
    settings: dict[str, object] = {"events": events, "runs": runs, "context": context}
    measuring.save("spark_rules", facts, settings, [_summary(case, ratios) for case in listed])
    return 0 if all(case.target is None or (ratios[case.name] or 0) <= case.target for case in listed) else 1


def _ratio(case: Case, listed: list[Case]) -> float | None:
    base = next((other for other in listed if other.name == case.base), None)
    return None if base is None else case.seconds.median / base.seconds.median


def _summary(case: Case, ratios: Mapping[str, float | None]) -> dict[str, object]:
    found: dict[str, object] = {"case": case.name, "seconds": case.seconds.summary()}
    if case.base is not None:
        found |= {"against": case.base, "ratio": ratios[case.name], "target": case.target}
    return found


def _table(listed: list[Case], ratios: Mapping[str, float | None], events: int, runs: int) -> Table:
    table = Table(title=f"{events:,} events in Parquet on local[2], medians of {runs}", box=SIMPLE_HEAD)
    for column in ("", "s", "times one", "at most"):
        table.add_column(column, justify="left" if not column else "right")
    for case in listed:
        ratio = ratios[case.name]
        limits = ("", "") if ratio is None or case.target is None else (f"{ratio:.1f}", f"{case.target:.0f}")
        table.add_row(case.name, f"{case.seconds.median:.2f}", *limits)
    return table


if __name__ == "__main__":
    cyclopts.run(main)
