"""What dominates in ours: `./ensue bench profiles`. README.md says more."""

from __future__ import annotations

import gzip
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import machine, measuring, on_spark, parts, sampling, workloads
from bench.peers import ourselves
from bench.peers.inputs import Inputs, prepare
from bench.peers.sides import Side, processor_seconds, used_since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Way: TypeAlias = Literal["one_process", "spark", "streaming"]
WAYS: tuple[Way, ...] = ("one_process", "spark", "streaming")
WARMING = 5
"""Runs that nobody looks at; Java compiles during the first ones."""


@dataclass(frozen=True)
class Profile:
    """A run of a side on average: seconds by the clock and of the processors, and what they went into."""

    workload: workloads.Workload
    side: str
    seconds: float
    processor: float
    parts: Counter[str]
    looks: int
    runs: int

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "side": self.side,
            "seconds": self.seconds,
            "processor": self.processor,
            "looks": self.looks,
            "runs": self.runs,
            "parts": dict(self.parts.most_common()),
        }


def main(
    events: int = 10_000_000,
    runs: int = 10,
    workload: Sequence[workloads.Name] = ("W1", "W2", "W3", "W4"),
    way: Sequence[Way] = WAYS,
) -> int:
    """See where the time of our sides of `side_by_side` goes. It needs py-spy, and a JDK with `jcmd` and `jfr`.

    Parameters
    ----------
    events
        How many events there are.
    runs
        How many runs of each are looked at; of a stream a fifth as many.
    workload
        Which workloads; without it, all.
    way
        Which ways of running them; without it, all.
    """
    facts = machine.facts()
    settings: dict[str, object] = {"events": events, "runs": runs, "looks_a_second": sampling.RATE}
    with tempfile.TemporaryDirectory() as folder, measuring.progress() as progress:
        inputs = prepare(Path(folder), events)
        spark = on_spark.session()
        try:
            task = progress.add_task("", total=len(workload) * len(way))
            for name in workload:
                for one, side in _sides(spark, way):
                    progress.update(task, description=f"{name} {side.name}")
                    some = max(1, runs // 5) if one == "streaming" else runs
                    found = _profile(workloads.named(name), side, inputs, some)
                    measuring.add("profiles", facts, settings, [found.summary()], ["workload", "side"])
                    measuring.console.print(_table(found))
                    progress.advance(task)
        finally:
            spark.stop()
    return 0


def _sides(spark: SparkSession, ways: Sequence[Way]) -> Iterator[tuple[Way, Side]]:
    for way in ways:
        if way == "one_process":
            yield way, ourselves.in_one_process()
        else:
            yield way, ourselves.on_spark(spark) if way == "spark" else ourselves.streaming(spark)


def _profile(workload: workloads.Workload, side: Side, inputs: Inputs, runs: int) -> Profile:
    with side.start(workload, inputs) as ready:
        ready.check()
        for _ in range(WARMING):
            ready.run()
        with sampling.looking_at(ready.processes()) as seen:
            began, before = time.perf_counter(), processor_seconds(ready.processes())
            for _ in range(runs):
                ready.run()
            seconds = (time.perf_counter() - began) / runs
            used = {one.pid: used_since(before, [one]) / runs for one in ready.processes()}
    _keep(workload, side, seen)
    spent = _seconds(seen, sum(used.values()), used.get(os.getpid(), 0.0))
    looks = seen.python.total() + seen.java.total()
    return Profile(workload, side.name, seconds, spent.total(), spent, looks, runs)


def _seconds(seen: sampling.Seen, used: float, driver: float) -> Counter[str]:
    """The processor's seconds of a run, divided among the parts as often as they were seen.

    What the driver and Java's own threads used is known; the rest belongs to stacks.
    """
    looked = parts.shares(seen.python, parts.PYTHON) + parts.shares(seen.java, parts.JAVA)
    own = Counter[str]()
    for name, seconds in seen.threads.items():
        part = parts.part_of([name], parts.THREADS)
        if part != parts.REST:
            own[part] += seconds * sampling.RATE
    whole = looked + own
    found = Counter({part: (used - driver) * count / whole.total() for part, count in whole.items()})
    return found + Counter({"the driver, in Python": driver})


def _keep(workload: workloads.Workload, side: Side, seen: sampling.Seen) -> None:
    """All stacks, as most who draw flame graphs read them."""
    folder = measuring.RESULTS / "stacks"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{';'.join(frames)} {count}" for frames, count in sorted((seen.python + seen.java).items())]
    name = f"{workload.name} {side.name}.txt.gz".replace(",", "").replace(" ", "_")
    (folder / name).write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def _table(found: Profile) -> Table:
    title = f"{found.workload.name}, {found.side}: {found.seconds:.2f} s, {found.processor:.2f} s of the processors"
    table = Table(title=title, box=SIMPLE_HEAD)
    for column in ("", "s", "%"):
        table.add_column(column, justify="left" if not column else "right")
    for part, seconds in found.parts.most_common():
        table.add_row(part, f"{seconds:.2f}", f"{100 * seconds / found.processor:.0f}")
    return table


if __name__ == "__main__":
    cyclopts.run(main)
