"""One window after the other: announcements in, publications and tables out, and what has to be remembered.

    admit ─► derive, class by class ─► publish ─► tables, sinks ─► remember

Each part is written once and read back, so that nothing is worked out twice and no plan grows. A window is over when
its state has its name; whatever was killed before that is done again, with the same result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import Column, DataFrame, Observation, SparkSession, functions as f

from ensue.language.program import Program
from ensue.model.announcements import Outcome
from ensue.model.notices import Publishing
from ensue.model.publications import Case
from ensue.spark.corrections import tables as tabled
from ensue.spark.corrections.admitting import COUNT, KIND, OUTCOME, STEP, admit, known_after, lifetimes_of
from ensue.spark.corrections.announcing import CLASS, Announced, announced_classes
from ensue.spark.corrections.deriving import Deriving
from ensue.spark.corrections.keeping import About, Keeping, added
from ensue.spark.corrections.lifetimes import OCCURRED, TO, TOUCHED, Lifetimes, Window
from ensue.spark.corrections.publishing import CASE, NOTICE, PUBLISHED, Told, notices_of, publish, standing_after
from ensue.spark.corrections.purging import Grid, Remembered
from ensue.spark.corrections.small import suited
from ensue.spark.programs.tables import Tables
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from ensue.spark.corrections.admitting import Snapshots

Sink: TypeAlias = "Callable[[DataFrame, int, int], None]"
_PARALLEL = 4


@dataclass(frozen=True, slots=True)
class Batch:
    """Announcements with the steps from which they count; which steps there are, and which of them are snapshots."""

    frame: DataFrame
    steps: tuple[int, ...]
    snapshots: Snapshots = field(default_factory=dict)
    future: int = 0
    """How many were detected in the future, and count from the present."""
    size: int = 0
    """How many there are."""


class Course:
    """A program on its way through the windows."""

    def __init__(
        self,
        spark: SparkSession,
        program: Program,
        data: Path,
        *,
        shards: int = 2,
        sinks: Mapping[str, Sink] | None = None,
    ) -> None:
        self.program = program
        self.classes: tuple[Announced, ...] = announced_classes(program)
        self.keeping, self.tables = Keeping(data), Tables(data)
        self.grid = Grid(program, self.classes)
        self.spark = spark
        self._shards = shards
        self._sinks = sinks or {}
        self._schemas: dict[str, StructType] = {}
        self._told = [
            Told(item.declaration.name, item.declaration.attributes, Publishing(item.publications, item.tolerance))
            for item in program.derived_classes
        ]
        self.keeping.prepare()
        self.tables.prepare()
        self.about = self.keeping.last()
        self._withdraw()
        spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")

    def _withdraw(self) -> None:
        """Take back what an interrupted window has written: if it is made again, it may go further, or less far."""
        last = -1 if self.about is None else self.about.number
        derived = [one.name for one in self._told]
        for name in (*(one.name for one in self.classes), *derived, tabled.PUBLICATIONS):
            self.tables.withdraw(name, last)

    def go(self, batch: Batch | None, last: int) -> None:
        """Make all steps up to a time: those of a batch, and those at which something falls due.

        What is done already is not done again: after a failure the same batch is given once more.
        """
        steps = sorted(batch.steps) if batch is not None else []
        while (window := self._next(steps, last)) is not None:
            here = steps[bisect_left(steps, window.first) : bisect_right(steps, window.last)]
            mine = None
            if batch is not None and here:
                mine = replace(batch, steps=tuple(here), future=batch.future if here[-1] == steps[-1] else 0)
            self._window(window, mine)

    def _next(self, steps: Sequence[int], last: int) -> Window | None:
        """The next window: from the next step to the end of its stretch of the grid. Where nothing happens is none."""
        ahead = steps if self.about is None else steps[bisect_right(steps, self.about.last) :]
        due = self.about.due if self.about is not None else None
        first = min([*ahead[:1], *([] if due is None else [due])], default=None)
        if first is None or first > last:
            return None
        return Window(first, min(last, self.grid.end(first)))

    def _window(self, window: Window, batch: Batch | None) -> None:
        about = self.about or About(-1, window.first - 1)
        number = about.number + 1
        rows = about.kept + (batch.size if batch is not None else 0)
        with suited(self.spark, rows), self.keeping.writing() as aside:
            point = self.grid.point(window.first)
            purging = self._purges(window)
            before = self._remembered(about.number)
            if purging and before is not None and point is not None:
                before = self.grid.purge(before, point, aside)
            counts: dict[str, int] = {}
            inputs = self._admit(batch, window, before, aside, counts)
            coming = self._derive(inputs, batch, window, before, aside, counts)
            published, told = self._publish(inputs, window, before, aside, purging=purging)
            self._tables(inputs, published, told, window, number, counts)
            if batch is not None:
                counts[Outcome.FUTURE.value] = batch.future
            outcomes = {one.value: about.outcomes.get(one.value, 0) + (counts.get(one.value) or 0) for one in Outcome}
            after = About(
                number,
                window.last,
                point if purging else about.purged,
                min((due for due, _ in coming if due is not None), default=None),
                sum(count for _, count in coming),
                {name: count for name, count in outcomes.items() if count},
                added(about.told, told),
                counts["kept"],
            )
            self.keeping.place(aside, after)
            self.about = after

    def _remembered(self, number: int) -> Remembered | None:
        if number < 0:
            return None
        folder = self.keeping.of(number)
        derived = {name: self._read(folder / path) for name, path in self._paths().items()}
        return Remembered(
            known_after(self._read(folder / "known")),
            {name: rows.where(quoted(TO).isNull()) for name, rows in derived.items()},
            standing_after(self._read(folder / "published")),
        )

    def _paths(self) -> dict[str, str]:
        return {item.declaration.name: f"derived{place}" for place, item in enumerate(self.program.derived_classes)}

    def _read(self, path: Path) -> DataFrame:
        """What was written; Spark need not look for the columns if it was written by this process."""
        known = self._schemas.get(path.name)
        reader = self.spark.read if known is None else self.spark.read.schema(known)
        return reader.parquet(str(path))

    def _admit(
        self, batch: Batch | None, window: Window, before: Remembered | None, aside: Path, counts: dict[str, int]
    ) -> dict[str, Lifetimes]:
        if batch is None and before is not None:
            admitted = before.known.withColumn(TOUCHED, f.lit(False))  # nothing is announced
        elif batch is not None:
            announced = batch.frame.where(f.col(STEP).between(window.first, window.last))
            snapshots = {
                name: [pair for pair in pairs if window.first <= pair[0] <= window.last]
                for name, pairs in batch.snapshots.items()
            }
            admitted = admit(announced, before.known if before else None, self.classes, snapshots)
        else:
            raise AssertionError("the first window has announcements")
        measures = [f.sum(f.when(f.col(OUTCOME) == one.value, f.col(COUNT))).alias(one.value) for one in Outcome]
        measures.append(f.count("*").alias("kept"))
        measures += [_touched(f.col(CLASS) == one.name).alias(f"touched {one.name}") for one in self.classes]
        counts.update(self._write(admitted, aside / "known", measures))
        known = self._read(aside / "known")
        return {one.name: lifetimes_of(known, one) for one in self.classes}

    def _purges(self, window: Window) -> bool:
        """Whether a point of the grid lies between the last window and this one."""
        point = self.grid.point(window.first)
        return self.about is not None and point is not None and point > self.about.last

    def _derive(
        self,
        inputs: dict[str, Lifetimes],
        batch: Batch | None,
        window: Window,
        before: Remembered | None,
        aside: Path,
        counts: dict[str, int],
    ) -> list[tuple[int | None, int]]:
        """Derive each class after those that it uses; says what is coming: when next, and how much."""
        kept = None if self.about is None else self.keeping.of(self.about.number)
        idle = batch is None and not self._purges(window)
        deriving = Deriving(
            self.spark, self.program, window, batch.steps if batch else (), before, kept, aside, self._shards, idle
        )
        coming: list[tuple[int | None, int]] = []
        for item in self.program.derived_classes:
            name = item.declaration.name
            path = self._paths()[name]
            found = deriving.derive(item, inputs, path, {one for one in inputs if counts.get(f"touched {one}")})
            ahead = quoted(TO).isNull() & (f.unix_micros(OCCURRED) > window.last)
            measures = [
                f.min(f.when(ahead, f.unix_micros(OCCURRED))).alias("due"),
                f.sum(f.when(ahead, 1)).alias("coming"),
                _touched(f.lit(True)).alias("touched"),
            ]
            seen = self._write(found.frame, aside / path, measures)
            counts[f"touched {name}"] = seen["touched"] or 0
            coming.append((seen["due"], seen["coming"] or 0))
            inputs[name] = Lifetimes(self._read(aside / path))
        return coming

    def _publish(
        self, inputs: Mapping[str, Lifetimes], window: Window, before: Remembered | None, aside: Path, *, purging: bool
    ) -> tuple[DataFrame, dict[str, dict[str, int]]]:
        """What is told and what stands, and how much was told, by class and case."""
        standing = before.standing if before is not None else None
        if purging and standing is not None:
            standing = self._without_final(standing, inputs)
        nothing = self.spark.createDataFrame([], PUBLISHED)
        found = publish(inputs, standing, self._told, window) if self._told else nothing
        measures = [
            f.count_if((f.col(KIND) == NOTICE) & (f.col(CLASS) == one.name) & (f.col(CASE) == case.value)).alias(
                f"{case.value} {one.name}"
            )
            for one in self._told
            for case in Case
        ]
        counts = self._write(found, aside / "published", [f.lit(0).alias("nothing"), *measures])
        told: dict[str, dict[str, int]] = {}
        for one in self._told:
            if cases := {case.value: count for case in Case if (count := counts[f"{case.value} {one.name}"])}:
                told[one.name] = cases
        return self._read(aside / "published"), told

    def _without_final(self, standing: DataFrame, inputs: Mapping[str, Lifetimes]) -> DataFrame:
        """What a pattern does not give any more, neither as it is nor as ended, is final."""
        for item in self.program.complex_classes:
            name = item.declaration.name
            there = inputs[name].frame.select(f.lit(name).alias(CLASS), quoted("__key").alias("key")).distinct()
            others = standing.where((f.col(CLASS) != name) | f.col("time").isNull())
            mine = standing.where((f.col(CLASS) == name) & f.col("time").isNotNull())
            standing = others.unionByName(mine.join(there, [CLASS, "key"], "left_semi"))
        return standing

    def _tables(
        self,
        inputs: Mapping[str, Lifetimes],
        published: DataFrame,
        told: Mapping[str, Mapping[str, int]],
        window: Window,
        number: int,
        counts: Mapping[str, int],
    ) -> None:
        """Write what the window adds to the tables, those that it adds to."""
        touched = [name for name in inputs if counts.get(f"touched {name}")]
        work: list[Callable[[], None]] = [
            lambda name=name: self._table(name, inputs[name], window, number, counts[f"touched {name}"])  # type: ignore[misc]
            for name in touched
        ]
        if told:
            frames = {name: inputs[name].frame for name in touched or inputs}
            work.insert(0, lambda: self._publications(published, frames, window, number, told))
        with ThreadPoolExecutor(_PARALLEL) as pool:
            for done in [pool.submit(one) for one in work]:
                done.result()
        self._tell(told, number)

    def _table(self, name: str, lifetimes: Lifetimes, window: Window, number: int, count: int) -> None:
        derived = any(one.name == name for one in self._told)
        rows = tabled.versions(lifetimes.frame, name, self.program.attributes(name), window, complex_class=derived)
        self.tables.publish(name, number, rows, count)

    def _publications(
        self,
        published: DataFrame,
        frames: Mapping[str, DataFrame],
        window: Window,
        number: int,
        told: Mapping[str, Mapping[str, int]],
    ) -> None:
        count = sum(sum(cases.values()) for cases in told.values())
        rows = tabled.publications(notices_of(published), tabled.changes_of(frames, window))
        self.tables.publish(tabled.PUBLICATIONS, number, rows, count)

    def _tell(self, told: Mapping[str, Mapping[str, int]], number: int) -> None:
        """What is in the tables goes to the sinks, in order.

        One task writes it, so that a revoke never overtakes what it revokes; and it is begun in this thread, since
        others do not know jars that were added.
        """
        for name, cases in told.items():
            if name in self._sinks:
                written = self._read(self.tables.of(tabled.PUBLICATIONS) / f"batch={number}")
                mine = written.where(f.col(CLASS) == name).coalesce(1).sortWithinPartitions(tabled.NUMBER)
                self._sinks[name](mine.drop(tabled.NUMBER), number, sum(cases.values()))

    def _write(self, frame: DataFrame, path: Path, measures: Sequence[Column]) -> dict[str, Any]:
        """Write a frame, and count while it is written."""
        seen = Observation()
        frame.observe(seen, *measures).write.parquet(str(path))
        self._schemas[path.name] = frame.schema
        return dict(seen.get)


def _touched(mine: Column) -> Column:
    return f.sum(f.when(mine & quoted(TOUCHED), 1))
