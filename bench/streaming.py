"""Ensue on Spark and Flink CEP between topics of a real Kafka, and engines inside a program: `./ensue bench streaming`.

README.md says what is measured, and what each word means.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import machine, measuring, workloads
from bench.page import milliseconds
from bench.peers import inputs, matching, ourselves
from bench.peers.orders import Ordered
from bench.peers.sides import processor_seconds, used_since
from bench.streams import sides
from bench.streams.judging import INSIDE, PATIENCE, AtRate, Paced, Taken, falls_behind, waits
from bench.streams.topics import Topics, topics
from bench.streams.watching import watching

BEFORE = 80_000
"""So many events come before those at a fixed rate, as fast as possible: a minute of the events' time."""
FEW = 50_000
"""So many are in the topic from which a fresh process starts."""
STARTED: workloads.Name = "W1"
"""Only for this one fresh processes are started: what they do until the first match is much the same for all."""
WARMING = 1
"""So many drains do not count: in them a process gets warm."""
SETTLE = 2.0
"""Seconds that a query has to begin."""
GIVEN_UP = 60.0
"""Seconds after which nobody waits any longer for what a side should have published."""


@dataclass
class Bench:
    """The events, the broker, and what is expected of everybody."""

    workload: workloads.Workload
    kafka: Topics
    folder: Path
    step: Callable[[], None] = lambda: None
    """Called when something has been measured."""
    numbers: Iterator[int] = field(default_factory=count)
    known: dict[int, matching.Matches] = field(default_factory=dict)

    def expected(self, events: int) -> matching.Matches:
        if events not in self.known:
            columns = inputs.Inputs(self.folder, events).columns()
            self.known[events] = matching.of_rows(self.workload.by_hand(ourselves.CONTEXT, columns))
        return self.known[events]

    @contextmanager
    def sink(self, taken: Taken) -> Iterator[tuple[str, Path]]:
        """A new topic to publish into, and a new folder for checkpoints."""
        name = f"{self.workload.name}-{taken.side.word}-{next(self.numbers)}"
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as checkpoints:
            yield self.kafka.create(name), Path(checkpoints)

    def start(self, taken: Taken) -> None:
        """From the start of a process to the first occurrence that it publishes."""
        with self.sink(taken) as (sink, folder), taken.side.start(self.workload, [self.kafka.servers]) as process:
            process.order("drain", "few", sink, folder)
            published = self.kafka.published(sink, self.workload.width)
        if not len(published.times):
            raise RuntimeError(f"{taken.side.name} has published nothing")
        taken.agrees &= matching.of_rows(published.places) == self.expected(FEW)
        taken.starts.append(float(published.times.min()) / 1000 - process.born)
        self.step()

    def drain(self, taken: Taken, process: Ordered, *, warm: bool = True) -> None:
        """All that is in a topic, published into another."""
        with self.sink(taken) as (sink, folder):
            with watching(process.processes, folder) as watched:
                began = time.perf_counter()
                process.order("drain", "all", sink, folder)
                seconds = time.perf_counter() - began
            published = self.kafka.published(sink, self.workload.width)
        taken.agrees &= matching.of_rows(published.places) == self.expected(taken.events)
        if warm:
            taken.drains.runs.append(seconds)
            taken.drains.processor.append(watched.processor)
            taken.memory, taken.state = max(taken.memory, watched.memory), max(taken.state, watched.state)
        else:
            taken.warming.append(seconds)
        self.step()

    def live(self, taken: Taken, process: Ordered, at: AtRate, seconds: float) -> None:
        """Events that come at a fixed rate, after enough of them that as much is open as ever will be."""
        end = BEFORE + int(at.rate * seconds)
        expected = self.expected(end)
        with self.sink(taken) as (sink, folder):
            source = self.kafka.create(f"{sink}-source")
            process.order("live", source, sink, folder)
            time.sleep(SETTLE)
            self.kafka.put(source, 0, BEFORE)
            ready = self.kafka.wait(sink, int(self.expected(BEFORE).count * 0.9), GIVEN_UP)
            with watching(process.processes, folder) as watched:
                behind = self.kafka.put(source, BEFORE, end, at.rate)
                self.kafka.end(source, end)
                kept_up = ready and behind < 1 and self.kafka.wait(sink, expected.count, PATIENCE)
            complete = kept_up or self.kafka.wait(sink, expected.count, GIVEN_UP)
            process.order("stop")
            published = self.kafka.published(sink, self.workload.width)
        if complete:  # else it cannot keep up, and was stopped before it had published everything
            taken.agrees &= matching.of_rows(published.places) == expected
        found = waits(self.kafka.times(source), published, BEFORE)
        at.runs.append(Paced.of(found, watched, kept_up=kept_up and not falls_behind(found)))
        self.step()

    def inside(self, taken: Taken, process: Ordered, at: AtRate, seconds: float, given: inputs.Inputs) -> None:
        """The same within a program, without Kafka."""
        end = BEFORE + int(at.rate * seconds)
        before = processor_seconds(process.processes())
        found = process.order("run", given.plain, given.count, 1, BEFORE, end, at.rate)
        used = used_since(before, process.processes())
        taken.agrees &= matching.Matches(found["matches"], found["sum"]) == self.expected(end)
        at.runs.append(Paced(found["p50"], found["p99"], found["p99"] < INSIDE, used))
        self.step()


@dataclass(frozen=True)
class Case:
    workload: workloads.Workload
    between_topics: list[Taken]
    in_process: list[Taken]

    def summary(self) -> dict[str, object]:
        return {
            "workload": self.workload.name,
            "pattern": str(self.workload.pattern),
            "between_topics": [one.summary() for one in self.between_topics],
            "in_process": [one.summary() for one in self.in_process],
        }


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    events: int
    runs: int
    seconds: float
    inside_seconds: float
    rates: tuple[int, ...]

    def steps(self, workload: workloads.Name) -> int:
        """How many things are measured for a workload, if all keep up."""
        started = self.runs if workload == STARTED else 0
        inside = sum(workload not in one.cannot for one in sides.in_process())
        of_rates = self.runs * len(self.rates)
        return len(_between()) * (started + WARMING + self.runs + of_rates) + inside * of_rates


def main(
    events: int = 3_000_000,
    runs: int = 5,
    seconds: float = 6,
    inside_seconds: float = 4,
    rate: Sequence[int] = (5_000, 20_000),
    workload: Sequence[workloads.Name] = ("W1", "W2", "W3", "W4"),
) -> int:
    """Measure throughput, latency at fixed rates, start-up, processor time, memory and state, on two cores, in turn.

    Parameters
    ----------
    events
        How many events there are in the topic that is drained.
    runs
        How often each side does each thing; what is shown are medians.
    seconds
        How long events come at each fixed rate.
    inside_seconds
        The same inside a program.
    rate
        How many events a second.
    workload
        Which workloads; without it, all.
    """
    facts = machine.facts()
    extent = Extent(events, runs, seconds, inside_seconds, tuple(rate))
    settings: dict[str, object] = {**asdict(extent), "context": ourselves.CONTEXT}
    most = max(events, FEW, BEFORE + int(max(rate) * max(seconds, inside_seconds, 1)))
    cases: list[Case] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, measuring.progress() as progress:
        folder = Path(name)
        given = inputs.Inputs(folder, most).in_columns()
        task = progress.add_task("", total=sum(map(extent.steps, workload)))
        with topics(folder, given.plain) as kafka:
            kafka.fill("few", FEW)
            kafka.fill("all", events)
            for one in workload:
                progress.update(task, description=one)
                bench = Bench(workloads.named(one), kafka, folder, lambda: progress.advance(task))
                case = _case(bench, given, extent)
                cases.append(case)
                measuring.add("streaming", facts, settings, [each.summary() for each in cases], ["workload"])
                between = "from an event in Kafka to what it completes"
                measuring.console.print(_drained(case))
                measuring.console.print(_waited(case, case.between_topics, between, rate))
                measuring.console.print(_waited(case, case.in_process, "inside a program", rate))
    return 0 if all(one.agrees for case in cases for one in (*case.between_topics, *case.in_process)) else 1


def _between() -> list[sides.StreamSide]:
    return [sides.on_spark(), *(sides.flink(state, 2) for state in ("heap", "rocksdb"))]


def _case(bench: Bench, given: inputs.Inputs, extent: Extent) -> Case:
    between = [Taken(one, extent.events) for one in _between()]
    inside = [Taken(one) for one in sides.in_process() if bench.workload.name not in one.cannot]
    for _ in range(extent.runs if bench.workload.name == STARTED else 0):
        for taken in between:
            bench.start(taken)
    with ExitStack() as stack:
        begun = [(one, stack.enter_context(one.side.start(bench.workload, [bench.kafka.servers]))) for one in between]
        for place in range(WARMING + extent.runs):
            for taken, process in begun:
                bench.drain(taken, process, warm=place >= WARMING)
        for taken, process, at in _turns(extent.rates, extent.runs, begun):
            bench.live(taken, process, at, extent.seconds)
    file = [str(given.count), str(given.plain)]
    with ExitStack() as stack:
        begun = [(one, stack.enter_context(one.side.start(bench.workload, file))) for one in inside]
        most = max(extent.rates)
        for _, process in begun:
            process.answer()
            process.order("run", given.plain, given.count, 1, BEFORE, BEFORE + most, most)  # to get warm
        for taken, process, at in _turns(extent.rates, extent.runs, begun):
            bench.inside(taken, process, at, extent.inside_seconds, given)
    return Case(bench.workload, between, inside)


def _turns(
    rates: Sequence[int], runs: int, begun: Sequence[tuple[Taken, Ordered]]
) -> Iterator[tuple[Taken, Ordered, AtRate]]:
    """Each rate as often as wanted, the sides in turn; who could not keep up in most runs is not asked that again."""
    for rate in rates:
        for taken, _ in begun:
            taken.rates.append(AtRate(rate))
        for _ in range(runs):
            for taken, process in begun:
                if taken.rates[-1].missed <= runs // 2:
                    yield taken, process, taken.rates[-1]


def _drained(case: Case) -> Table:
    best = max((one.events_per_second for one in case.between_topics if one.counts), default=None)
    table = Table(title=f"{case.workload.name}: a topic drained into another", box=SIMPLE_HEAD)
    names = "|events/s|s|lowest – highest|CPU s|first, s|start, s|MB|state MB|× the best peer"
    for column in names.split("|"):
        table.add_column(column, justify="left" if not column else "right")
    for one in sorted(case.between_topics, key=lambda one: -one.events_per_second):
        table.add_row(
            one.name,
            f"{one.events_per_second:,.0f}",
            f"{one.drains.median:.2f}",
            f"{min(one.drains.runs):.2f} – {max(one.drains.runs):.2f}",
            f"{one.drains.median_processor:.1f}",
            f"{one.warming[0]:.1f}",
            f"{one.start:.1f}" if one.starts else "",
            f"{one.memory / 1e6:,.0f}",
            f"{one.state / 1e6:,.1f}",
            f"{one.events_per_second / best:.2f}" if best and one.agrees else "",
            style="bold" if one.side.kind == "ours" else None,
        )
    return table


def _waited(case: Case, taken: Sequence[Taken], title: str, rates: Sequence[int]) -> Table:
    table = Table(title=f"{case.workload.name}: {title}, p50 and p99 in milliseconds", box=SIMPLE_HEAD)
    table.add_column("")
    for rate in rates:
        table.add_column(f"{rate:,} events/s", justify="right")
    for one in taken:
        table.add_row(one.name, *map(_shown, one.rates), style="bold" if one.side.kind == "ours" else None)
    return table


def _shown(at: AtRate) -> str:
    return f"{milliseconds(at.p50)}, {milliseconds(at.p99)}" if at.kept_up else "cannot keep up"


if __name__ == "__main__":
    cyclopts.run(main)
