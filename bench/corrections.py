"""Corrections on Spark: the stress test of PEACE, beside what PEACE does, and what corrections cost.

`./ensue bench corrections`
README.md says more.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import cyclopts
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.box import SIMPLE_HEAD
from rich.progress import Progress
from rich.table import Table

from bench import drawing, machine, measuring, peace, revising
from ensue.language import parse_program
from ensue.spark.corrections import replaying
from ensue.spark.corrections.admitting import VERSION
from ensue.spark.corrections.recording import Names
from ensue.spark.corrections.running import Course
from ensue.spark.programs.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLAT = 1.25
"""A step after the lifespan takes at most so many times as long as just after it was reached."""
COST = 2.0
"""A run with corrections takes at most so many times as long as one without."""


@dataclass
class Experiment:
    """A program, step by step: how long each took, what is kept after it, and how much was published."""

    name: str
    seconds: list[float] = field(default_factory=list)
    rebuilt: list[float] = field(default_factory=list)
    """How long the same step takes in what PEACE's authors describe, built anew (`bench.peace`)."""
    events: list[int] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)

    def flat(self, per_hour: int) -> float:
        """The last third of the steps against those of the second hour, in which the lifespan is reached."""
        second = self.seconds[per_hour : 2 * per_hour]
        last = self.seconds[-max(len(self.seconds) // 3, 1) :]
        return statistics.median(last) / statistics.median(second) if second else 1.0

    def summary(self, per_hour: int) -> dict[str, object]:
        medians = {f"median_{name}": statistics.median(getattr(self, name)) for name in ("seconds", "rebuilt")}
        return {**asdict(self), "flat": self.flat(per_hour), **medians}


@dataclass
class Cost:
    """A program over announcements without and with corrections, in turn."""

    name: str
    text: str
    without: measuring.Sample = field(default_factory=measuring.Sample)
    corrected: measuring.Sample = field(default_factory=measuring.Sample)

    @property
    def ratio(self) -> float:
        return self.corrected.median / self.without.median

    def summary(self) -> dict[str, object]:
        return {
            "case": self.name,
            "ratio": self.ratio,
            "target": COST,
            "without_seconds": self.without.summary(),
            "corrected_seconds": self.corrected.summary(),
        }


def main(hours: float = 4.0, events: int = 10_000, minutes: int = 5, runs: int = 3, corrected: float = 0.01) -> int:
    """Take the stress test step by step, and measure what corrections of one in a hundred events cost, on `local[2]`.

    Parameters
    ----------
    hours
        How long the stream goes on; events live for one hour.
    events
        How many events each of the five classes has in an hour.
    minutes
        From one step to the next.
    runs
        How often each side runs of what is compared; what is shown are medians.
    corrected
        The share of the events that are changed or withdrawn there.
    """
    facts = machine.facts()
    stress = revising.Stress(hours, events, minutes * revising.MINUTE)
    listed = [Experiment(name) for name in revising.EXPERIMENTS]
    costs = [
        Cost("SELECT classes", revising.EXPERIMENTS["3 complex classes"]),
        Cost("a pattern class", revising.program(revising.FOLLOWING)),
    ]
    per_hour = 60 // minutes
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        steps = round(hours * per_hour) * len(listed)
        with session("ensue bench corrections", "local[2]") as spark, _progress() as progress:
            task = progress.add_task("steps", total=steps)
            _stress(spark, base, stress, listed, lambda: progress.advance(task))
            task = progress.add_task("with and without corrections", total=2 * len(costs) * (runs + 1))
            _costs(spark, base, stress, costs, runs, corrected, lambda: progress.advance(task))
    measuring.console.print(_table(listed, stress, per_hour))
    measuring.console.print(_cost_table(costs, corrected, runs))
    settings: dict[str, object] = {**asdict(stress), "lifespan": "1 hour", "runs": runs, "corrected": corrected}
    results = {
        "steps": [one.summary(per_hour) for one in listed],
        "cost": [one.summary() for one in costs],
    }
    measuring.save("corrections", facts, {**settings, "flat": FLAT, "cost": COST}, results)
    _draw(listed, minutes)
    met = all(one.flat(per_hour) <= FLAT for one in listed) and all(one.ratio <= COST for one in costs)
    return 0 if met else 1


def _progress() -> Progress:
    return Progress(console=measuring.console, transient=True)


def _stress(
    spark: SparkSession, base: Path, stress: revising.Stress, listed: list[Experiment], done: Callable[[], None]
) -> None:
    file = base / "stress.parquet"
    announced = revising.announcements(stress)
    pq.write_table(announced, file)
    for place, experiment in enumerate(listed):
        rebuilt = peace.Repository(peace.EXPERIMENTS[experiment.name])
        for step, seconds, course in _steps(
            spark, base / f"stress{place}", revising.EXPERIMENTS[experiment.name], file
        ):
            here = announced.filter(pc.equal(announced.column("detected").cast(pa.int64()), step))
            began = time.perf_counter()
            rebuilt.step(step, here)
            experiment.rebuilt.append(time.perf_counter() - began)
            state = course.keeping.of(course.about.number if course.about else 0)
            known = pq.read_table(state / "known", columns=["kind"]).column("kind")
            size = sum(one.stat().st_size for one in state.rglob("*") if one.is_file())
            experiment.seconds.append(seconds)
            experiment.events.append(pc.sum(pc.equal(known, VERSION)).as_py())
            experiment.megabytes.append(size / 1e6)
            experiment.told = _told(course)
            done()
        if experiment.told != rebuilt.told:
            raise AssertionError(f"{experiment.name}: we publish {experiment.told}, and PEACE {dict(rebuilt.told)}")


def _steps(spark: SparkSession, data: Path, text: str, file: Path) -> Iterator[tuple[int, float, Course]]:
    """Each detection time is one step, as a micro-batch is in a live run."""
    course = Course(spark, parse_program(text), data)
    recording = replaying.record(spark, course, [str(file)], Names())
    for place, step in enumerate(recording.times):
        began = time.perf_counter()
        course.go(recording.batch(place, place + 1), step)
        yield step, time.perf_counter() - began, course


def _told(course: Course) -> dict[str, int]:
    told: dict[str, int] = {}
    for cases in (course.about.told if course.about else {}).values():
        for case, count in cases.items():
            told[case] = told.get(case, 0) + count
    return told


def _costs(
    spark: SparkSession,
    base: Path,
    stress: revising.Stress,
    costs: list[Cost],
    runs: int,
    corrected: float,
    done: Callable[[], None],
) -> None:
    sides = {"without": 0.0, "corrected": corrected}
    for name, share in sides.items():
        some = revising.Stress(stress.hours, stress.events, stress.step, 0.0, share / 2, share / 2)
        pq.write_table(revising.announcements(some), base / f"{name}.parquet")
    for number in range(runs + 1):
        for place, case in enumerate(costs):
            sample = Cost(case.name, case.text) if number == 0 else case  # the first round warms up
            for name in sides:
                data = base / f"cost-{place}-{number}-{name}"
                getattr(sample, name).add(_replay, spark, data, case.text, base / f"{name}.parquet")
                done()


def _replay(spark: SparkSession, data: Path, text: str, file: Path) -> None:
    course = Course(spark, parse_program(text), data)
    replaying.replay(course, replaying.record(spark, course, [str(file)], Names()))


def _table(listed: list[Experiment], stress: revising.Stress, per_hour: int) -> Table:
    every = stress.step // revising.MINUTE
    title = f"{revising.CLASSES} classes, {stress.events:,} events an hour each, a step every {every} minutes, local[2]"
    table = Table(title=title, box=SIMPLE_HEAD)
    for column in (
        "",
        "a step, s",
        "PEACE, built anew, s",
        "last / second hour",
        "events kept",
        "MB kept",
        "published",
    ):
        table.add_column(column, justify="left" if not column else "right")
    for one in listed:
        table.add_row(
            one.name,
            f"{statistics.median(one.seconds):.2f}",
            f"{statistics.median(one.rebuilt):.2f}",
            f"{one.flat(per_hour):.2f}",
            f"{max(one.events):,}",
            f"{max(one.megabytes):.1f}",
            ", ".join(f"{count:,} {case}" for case, count in sorted(one.told.items())),
        )
    return table


def _cost_table(costs: list[Cost], corrected: float, runs: int) -> Table:
    table = Table(title=f"{corrected:.0%} of the events corrected, medians of {runs}", box=SIMPLE_HEAD)
    for column in ("", "without, s", "with, s", "times", "at most"):
        table.add_column(column, justify="left" if not column else "right")
    for one in costs:
        table.add_row(
            one.name, f"{one.without.median:.1f}", f"{one.corrected.median:.1f}", f"{one.ratio:.2f}", f"{COST:.0f}"
        )
    return table


def _draw(listed: list[Experiment], minutes: int) -> None:
    def curves(values: dict[str, list[float]]) -> dict[str, list[tuple[float, float]]]:
        return {
            name: [((place + 1) * minutes / 60, value) for place, value in enumerate(found)]
            for name, found in values.items()
        }

    panels = {
        "Seconds for a step": curves({one.name: one.seconds for one in listed}),
        "Seconds for a step, PEACE built anew": curves({one.name: one.rebuilt for one in listed}),
        "Events in the repository": curves({one.name: [float(count) for count in one.events] for one in listed}),
        "Megabytes in the repository": curves({one.name: one.megabytes for one in listed}),
    }
    drawing.draw(measuring.RESULTS / "corrections.svg", "hours", panels)
    measuring.console.print("written: bench/results/corrections.svg", style="dim")


if __name__ == "__main__":
    cyclopts.run(main)
