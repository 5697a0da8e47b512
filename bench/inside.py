"""How long single events take inside a program, and how that grows with what is asked: `./ensue bench inside`.

README.md says more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from time import time
from typing import Literal, TypeAlias

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bench import by_hand, machine, measuring, questions
from bench.page import milliseconds
from bench.peers import ask_java, in_java
from bench.peers.asked import Asked
from bench.peers.contender import giving_up
from bench.peers.files import Files, write_plain
from bench.peers.matching import Matches
from bench.peers.orders import Ordered
from bench.peers.ourselves import CONTEXT
from bench.peers.sides import Kind, forget_peaks, peak_memory, processor_seconds, used_since
from bench.questions import Question
from bench.streams import sides
from bench.streams.asking import Asking
from bench.streams.judging import INSIDE, AtRate, Paced
from bench.streams.paced import MODES
from bench.verdict import FEWEST

Name: TypeAlias = Literal["length", "window", "keys", "rules", "shapes", "variables"]
WARMING = 2
"""So many runs of a process do not count."""


@dataclass(frozen=True)
class Side:
    """What is started is ready for a question when it gives its first answer."""

    name: str
    start: Callable[[Question, Files, float], AbstractContextManager[Ordered]]
    kind: Kind = "peer"


@dataclass(frozen=True)
class Extent:
    """How much is measured; main says what each word means."""

    before: int
    seconds: float
    rate: int
    runs: int
    patience: float

    @property
    def end(self) -> int:
        """So many events there are."""
        return self.before + int(self.rate * self.seconds)


@dataclass
class Taken:
    """What was measured of a side at a point; one that has ever found something else does not count."""

    side: Side
    at: AtRate
    agrees: bool = True
    starts: measuring.Sample = field(default_factory=measuring.Sample)
    memory: int = 0
    state: int | None = None

    def summary(self) -> dict[str, object]:
        return {
            "side": self.side.name,
            "kind": self.side.kind,
            "agrees": self.agrees,
            "start_seconds": self.starts.median,
            "starts": self.starts.runs,
            "bytes": self.memory,
            **({} if self.state is None else {"state_bytes": self.state}),
            "rates": [self.at.summary()],
        }


@dataclass
class Point:
    question: Question
    matches: int
    """Those at the fixed rate."""
    taken: list[Taken]
    cannot: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def giving_up(self, side: Side, patience: float) -> Iterator[None]:
        """Who is not asked for more of the same is not shown either."""
        with giving_up(self.cannot, side.name, self.question.value, patience):
            yield
        self.taken = [one for one in self.taken if one.side.name not in self.cannot]

    def summary(self) -> dict[str, object]:
        return {
            "sweep": self.question.sweep,
            "value": self.question.value,
            "pattern": self.question.title,
            "context": CONTEXT,
            "matches": self.matches,
            "sides": [one.summary() for one in self.taken],
            "cannot": self.cannot,
        }


def main(
    before: int = 40_000,
    seconds: float = 2,
    rate: int = 10_000,
    runs: int = 5,
    sweep: Sequence[Name] = ("length", "window", "keys", "rules"),
    value: Sequence[str] = (),
    patience: float = 60,
) -> int:
    """Measure latency, start, memory and state of Ensue, Esper and Siddhi inside a program, over the sweeps, in turn.

    Parameters
    ----------
    before
        How many events come first, as fast as possible.
    seconds
        How long events then come at a fixed rate.
    rate
        How many events a second.
    runs
        How often each side does each thing; what is shown are medians.
    sweep
        What is varied.
    value
        Only these points of it: `--sweep rules --value 1,000`.
    patience
        How many seconds a side may take for a run, beyond the time at the fixed rate.
    """
    facts = machine.facts()
    extent = Extent(before, seconds, rate, runs, patience)
    made = [one for name in sweep for one in questions.SWEEPS[name](extent.end) if not value or one.value in value]
    if not made:
        raise SystemExit(f"No sweep has a point {', '.join(value)}.")
    settings: dict[str, object] = {**asdict(extent), "context": CONTEXT}
    points: list[Point] = []
    given_up: dict[str, dict[str, str]] = {}
    with measuring.progress() as progress:
        task = progress.add_task("", total=len(made) * runs)
        for question in made:
            progress.update(task, description=f"{question.sweep} {question.value}")
            step = partial(progress.advance, task)
            cannot = given_up.setdefault(question.sweep, {})
            point = _point(question, extent, cannot, step)
            cannot |= point.cannot
            measuring.console.print(_table(point))
            points.append(point)
            measuring.add("inside", facts, settings, [one.summary() for one in points], ["sweep", "value"])
    return 0 if all(one.agrees for point in points for one in point.taken if one.side.kind == "ours") else 1


def _sides() -> list[Side]:
    def detecting(mode: str) -> Side:
        def start(question: Question, files: Files, patience: float) -> AbstractContextManager[Ordered]:
            asking = Asking(question.patterns, files.names, str(files.plain), files.count)
            return sides.detecting(asking, mode, patience)

        return Side(f"ensue.Detector, {mode}", start, "ours")

    def in_java_asked(name: Literal["Esper", "Siddhi"], asked_of: Callable[[Question, Files], Asked]) -> Side:
        @contextmanager
        def start(question: Question, files: Files, patience: float) -> Iterator[Ordered]:
            with tempfile.TemporaryDirectory() as folder, in_java.started(name, patience=patience) as java:
                java.say("ask", asked_of(question, files).write(Path(folder) / "asked"))
                yield java

        return Side(name, start)

    return [
        *map(detecting, MODES),
        in_java_asked("Esper", ask_java.asked_of_esper),
        in_java_asked("Siddhi", ask_java.asked_of_siddhi),
    ]


def _point(question: Question, extent: Extent, cannot: dict[str, str], step: Callable[[], None]) -> Point:
    patience = extent.patience + extent.seconds
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        files, columns = write_plain(Path(folder), question.history())
        expected = by_hand.matches(question.shapes, files.names, columns)
        early = by_hand.matches(question.shapes, files.names, columns.before(extent.before))
        taken = [Taken(side, AtRate(extent.rate)) for side in _sides() if side.name not in cannot]
        point = Point(question, expected.count - early.count, taken, dict(cannot))
        running: dict[str, Ordered] = {}
        for one in list(taken):
            with point.giving_up(one.side, patience):
                process = stack.enter_context(one.side.start(question, files, patience))
                process.answer()
                for _ in range(WARMING):
                    process.order(*_run_at(files, extent, extent.rate * 10))
                running[one.side.name] = process
        for _ in range(extent.runs):
            for one in list(point.taken):
                with point.giving_up(one.side, patience):
                    _start(one, question, files, patience)
                    if one.at.missed <= extent.runs // 2:
                        _run(one, running[one.side.name], _run_at(files, extent, extent.rate), expected)
            step()
        return point


def _start(taken: Taken, question: Question, files: Files, patience: float) -> None:
    """From the start of a process until it could take the first event."""
    with taken.side.start(question, files, patience) as process:
        process.answer()
        taken.starts.runs.append(time() - process.born)
        taken.starts.processor.append(sum(processor_seconds(process.processes()).values()))


def _run_at(files: Files, extent: Extent, rate: int) -> tuple[object, ...]:
    return "run", files.plain, extent.end, 1, extent.before, extent.end, rate


def _run(taken: Taken, process: Ordered, order: tuple[object, ...], expected: Matches) -> None:
    forget_peaks(process.processes())
    used = processor_seconds(process.processes())
    found = process.order(*order)
    taken.agrees &= Matches(found["matches"], found["sum"]) == expected
    taken.memory = max(taken.memory, peak_memory(process.processes()))
    taken.state = found.get("state")
    spent = used_since(used, process.processes())
    taken.at.runs.append(Paced(found["p50"], found["p99"], found["p99"] < INSIDE, spent))


def _table(point: Point) -> Table:
    title = f"{point.question.sweep}, {point.question.value}: {point.matches:,} matches at a fixed rate"
    table = Table(title=title, box=SIMPLE_HEAD)
    for column in "|p50, ms|p99, ms|start, s|MB|state, MB".split("|"):
        table.add_column(column, justify="left" if not column else "right")
    for one in point.taken:
        waits = (milliseconds(one.at.p50), milliseconds(one.at.p99)) if one.at.kept_up else ("cannot", "keep up")
        table.add_row(
            one.side.name if one.agrees else f"{one.side.name} (finds something else)",
            *(waits if point.matches >= FEWEST else ("", "")),
            f"{one.starts.median:.2f}",
            f"{one.memory / 1e6:,.0f}",
            "" if one.state is None else f"{one.state / 1e6:,.2f}",
            style="bold" if one.side.kind == "ours" else None,
        )
    for name, why in point.cannot.items():
        table.add_row(f"{name}: {why}", style="dim")
    return table


if __name__ == "__main__":
    cyclopts.run(main)
