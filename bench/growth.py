"""How the time grows with what is asked: `./ensue bench growth`. README.md says more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import cyclopts
from rich.box import SIMPLE_HEAD
from rich.progress import track
from rich.table import Table

import ensue
from bench import chains, data, histories, machine, measuring
from ensue.engine.memory import keep_freed_memory

if TYPE_CHECKING:
    import pyarrow as pa

Name: TypeAlias = Literal["length", "window", "rules", "keys", "skewed keys", "disorder"]
CONTEXT = "continuous"
ONE = "A(key = ?k) then B(key = ?k) then C(key = ?k) within 1 minute"
RULE = "A(key = {number}) then B(key = {number}) then C(key = {number}) within 1 minute"


@dataclass
class Point:
    """One value of what is varied: what it runs, how long that takes, and how many occurrences there are."""

    value: str
    events: int
    run: Callable[[], int]
    seconds: measuring.Sample = field(default_factory=measuring.Sample)
    found: int = 0


@dataclass
class Sweep:
    """What is varied, and how many times the time of the first point the last one may take, if that was agreed."""

    name: str
    points: list[Point]
    target: float | None = None

    def times(self, point: Point) -> float:
        """Its time for an event, as a multiple of the first point's."""
        first = self.points[0]
        return (point.seconds.median / point.events) / (first.seconds.median / first.events)

    def holds(self) -> bool:
        return self.target is None or self.times(self.points[-1]) <= self.target

    def summary(self) -> dict[str, object]:
        return {
            "sweep": self.name,
            "target": self.target,
            "points": [
                {
                    "value": one.value,
                    "events": one.events,
                    "found": one.found,
                    "times": self.times(one),
                    "seconds": one.seconds.summary(),
                }
                for one in self.points
            ],
        }


def main(events: int = 3_000_000, runs: int = 5, sweep: Sequence[Name] = ()) -> int:
    """Measure how the time in one process grows with lengths, windows, rules, keys and disorder.

    Parameters
    ----------
    events
        How many events each history has.
    runs
        How often each point runs, in turn with the others of its sweep; what is shown are medians.
    sweep
        Only these sweeps; without it, all.
    """
    facts = machine.facts()
    measuring.one_core()
    keep_freed_memory()
    makers: dict[Name, Callable[[int], Sweep]] = {
        "length": _lengths,
        "window": _windows,
        "rules": _rules,
        "keys": lambda count: _keys(count, skewed=False),
        "skewed keys": lambda count: _keys(count, skewed=True),
        "disorder": _disorder,
    }
    done = []
    for name in sweep or makers:
        made = makers[name](events)
        for number in track(range(runs + 1), description=name, console=measuring.console, transient=True):
            for point in made.points:
                sample = measuring.Sample() if number == 0 else point.seconds  # the first round warms up
                point.found = sample.add(point.run)
        measuring.console.print(_table(made, runs))
        done.append(made)
    quiet = measuring.judge_cores([point.seconds for made in done for point in made.points])
    settings = {"events": events, "runs": runs, "context": CONTEXT}
    measuring.save("growth", facts, settings, [made.summary() for made in done], quiet)
    return 0 if all(one.holds() for one in done) else 1


def _detect(pattern: str | Mapping[str, str], table: pa.Table) -> int:
    found = ensue.detect(pattern, table, CONTEXT)
    return sum(map(len, found.values())) if isinstance(found, dict) else len(found)


def _lengths(events: int) -> Sweep:
    def of(length: int) -> Point:
        table = chains.history(events, length, events // 150)
        return Point(str(length), events, partial(_detect, chains.pattern(length, "10 seconds"), table))

    return Sweep("length", [of(length) for length in (3, 6, 9, 12, 24)], 2.0)


def _windows(events: int) -> Sweep:
    table = chains.history(events, 3, events // 150)
    windows = ("10 seconds", "1 minute", "10 minutes", "1 hour", "1 day")
    return Sweep(
        "window",
        [Point(one, events, partial(_detect, chains.pattern(3, one), table)) for one in windows],
        2.0,
    )


def _rules(events: int) -> Sweep:
    """Rules of one shape, each for another key."""
    table = data.events(events)

    def of(count: int) -> Point:
        texts = {str(number): RULE.format(number=number) for number in range(count)}
        return Point(f"{count:,}", events, partial(_detect, texts, table))

    return Sweep("rules", [of(count) for count in (1, 10, 100, 1_000, 10_000)], 5.0)


def _keys(events: int, *, skewed: bool) -> Sweep:
    def of(count: int) -> Point:
        return Point(f"{count:,}", events, partial(_detect, ONE, histories.with_keys(events, count, skewed=skewed)))

    return Sweep("skewed keys" if skewed else "keys", [of(count) for count in (10, 1_000, 100_000, 1_000_000)])


def _disorder(events: int) -> Sweep:
    """A stream in batches, of which some events come up to five seconds late; so much is allowed."""

    def of(share: float) -> Point:
        return Point(f"{share:.0%}", events, partial(_stream, histories.out_of_order(events, share)))

    return Sweep("disorder", [of(share) for share in (0.0, 0.01, 0.2)])


def _stream(table: pa.Table, size: int = 100_000) -> int:
    detector = ensue.Detector(ONE, CONTEXT, delay="5 seconds")
    found = sum(len(detector.feed(table.slice(start, size))) for start in range(0, len(table), size))
    return found + len(detector.finish())


def _table(sweep: Sweep, runs: int) -> Table:
    table = Table(title=f"{sweep.name}, medians of {runs}", box=SIMPLE_HEAD)
    for column in (sweep.name, "s", "lowest – highest", "M events/s", "found", "× the first"):
        table.add_column(column, justify="right")
    for point in sweep.points:
        last = point is sweep.points[-1]
        limit = f" (at most {sweep.target:g})" if last and sweep.target else ""
        table.add_row(
            point.value,
            f"{point.seconds.median:.2f}",
            f"{min(point.seconds.runs):.2f} – {max(point.seconds.runs):.2f}",
            f"{point.events / point.seconds.median / 1e6:.2f}",
            f"{point.found:,}",
            f"{sweep.times(point):.2f}{limit}",
        )
    return table


if __name__ == "__main__":
    cyclopts.run(main)
