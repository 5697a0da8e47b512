"""How Ensue and its peers grow with what is asked, over the same events, with the same meaning: `./ensue bench sweeps`.

README.md says more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import cyclopts

from bench import by_hand, machine, measuring, on_spark, questions, real
from bench.peers import ask_java, ask_ourselves, ask_sql, files
from bench.peers.contender import Contender, giving_up
from bench.peers.ourselves import CONTEXT
from bench.peers.sides import Ready
from bench.peers.turns import Turns, fastest, table_of
from bench.questions import Question
from bench.verdict import GROWTH, growth

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.table import Table

Peer: TypeAlias = Literal["flink", "flink_sql", "esper", "siddhi", "duckdb", "spark"]
PEERS: tuple[Peer, ...] = ("flink", "flink_sql", "esper", "siddhi", "duckdb", "spark")


@dataclass
class Point:
    """What came of a question: the runs of each side that could be asked, and why the others were not."""

    question: Question
    matches: int
    taken: list[Turns]
    cannot: dict[str, str] = field(default_factory=dict)

    def giving_up(self, side: str, patience: float) -> AbstractContextManager[None]:
        return giving_up(self.cannot, side, self.question.value, patience)

    def best(self) -> Turns | None:
        """The fastest of the peers that agree."""
        return fastest([one for one in self.taken if one.agrees and one.kind == "peer"])

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
    events: int = 3_000_000,
    runs: int = 5,
    sweep: Sequence[questions.Name] = (),
    value: Sequence[str] = (),
    peer: Sequence[Peer] = PEERS,
    real_data: Annotated[Path | None, cyclopts.Parameter("--real")] = None,
    patience: float = 100,
) -> int:
    """Measure how Ensue, Flink CEP, Flink SQL, Esper, Siddhi, DuckDB and Spark's SQL grow, on two cores, in turn.

    Parameters
    ----------
    events
        How many events each history has; the real ones have as many as they have.
    runs
        How often each side runs after it has warmed up; what is shown are medians.
    sweep
        Only these sweeps; without it, all, and `real` if there is data for it.
    value
        Only these points of them, by what is varied: `--sweep rules --value 1,000`.
    peer
        Which of the others; without it, all.
    real_data
        A folder with real data, for the sweep `real`.
    patience
        How many seconds a run of a peer may take; one that needs more is not asked for more of the same.
    """
    facts = machine.facts()
    asked = [one for one in _questions(sweep, events, real_data) if not value or one.value in value]
    if not asked:
        raise SystemExit(f"No sweep has a point {', '.join(value)}.")
    settings: dict[str, object] = {
        "events": events,
        "runs": runs,
        "context": CONTEXT,
        "patience": patience,
        "peers": [*peer],
    }
    points: list[Point] = []
    with measuring.progress() as progress:
        task = progress.add_task("", total=len(asked) * (runs + 1))
        spark = on_spark.session()
        sides = _sides(spark, peer)
        try:
            for name, some in groupby(asked, lambda one: one.sweep):
                given_up: dict[str, str] = {}
                for question in some:
                    progress.update(task, description=f"{name} {question.value}")
                    point = _point(question, sides, given_up, runs, patience, lambda: progress.advance(task))
                    measuring.console.print(_table(point))
                    points.append(point)
                    given_up = point.cannot
                    measuring.add("sweeps", facts, settings, [one.summary() for one in points], ["sweep", "value"])
                for side in sides:
                    side.end()
        finally:
            for side in sides:
                side.end()
            spark.stop()
    summaries = [point.summary() for point in points]
    grown = {name: times for name in GROWTH if (times := growth(summaries, name)) is not None}
    for name, times in grown.items():
        said = f"{name}: the last takes us {times:.2f} × the time of the first (at most {GROWTH[name]:g})"
        measuring.console.print(said, style="" if times <= GROWTH[name] else "red")
    agree = all(one.agrees for point in points for one in point.taken if one.kind == "ours")
    return 0 if agree and all(times <= GROWTH[name] for name, times in grown.items()) else 1


def _questions(chosen: Sequence[questions.Name], events: int, folder: Path | None) -> list[Question]:
    """In the order of the sweeps."""
    if "real" in chosen and folder is None:
        raise SystemExit("The sweep `real` needs real data: say where with --real FOLDER; bench/README.md has more.")
    made = [one for name, make in questions.SWEEPS.items() if not chosen or name in chosen for one in make(events)]
    return made + (real.questions(folder) if folder is not None and (not chosen or "real" in chosen) else [])


def _sides(spark: SparkSession, peers: Sequence[Peer]) -> list[Contender]:
    others: dict[Peer, Callable[[], Contender]] = {
        "flink": ask_java.flink,
        "flink_sql": ask_java.flink_sql,
        "esper": ask_java.esper,
        "siddhi": ask_java.siddhi,
        "duckdb": ask_sql.in_duckdb,
        "spark": lambda: ask_sql.in_spark(spark),
    }
    return [ask_ourselves.in_one_process(), ask_ourselves.on_spark(spark), *(others[name]() for name in peers)]


def _point(
    question: Question,
    sides: Sequence[Contender],
    given_up: dict[str, str],
    runs: int,
    patience: float,
    step: Callable[[], None],
) -> Point:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        given, columns = files.write(Path(folder), question.history())
        expected = by_hand.matches(question.shapes, given.names, columns)
        del columns
        point = Point(question, expected.count, [], dict(given_up))
        running: list[tuple[Turns, Ready]] = []
        for side in sides:
            if side.name in given_up:
                continue
            turns = Turns(side.name, side.kind, given.count, expected)
            with point.giving_up(side.name, patience):
                ready = stack.enter_context(side.start(question, given, patience))
                turns.begin(ready)
                running.append((turns, ready))
        step()
        for _ in range(runs):
            for turns, ready in running:
                if turns.name not in point.cannot:
                    with point.giving_up(turns.name, patience):
                        turns.turn(ready)
            step()
        point.taken = [turns for turns, _ in running if turns.name not in point.cannot]
        return point


def _table(point: Point) -> Table:
    title = f"{point.question.sweep}, {point.question.value}: {point.matches:,} matches"
    table = table_of(point.taken, point.best(), title)
    for name, why in point.cannot.items():
        table.add_row(f"{name}: {why}", style="dim")
    return table


if __name__ == "__main__":
    cyclopts.run(main)
