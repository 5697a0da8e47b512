"""One window after the other: announcements in, publications and tables out, and what has to be remembered.

A window is over when its state has its name; whatever was killed before that is done again, with the same result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession, functions as f

from ensue.language.program import Program
from ensue.model.announcements import Outcome
from ensue.model.notices import Publishing
from ensue.spark.corrections import tables as tabled
from ensue.spark.corrections.announcing import CLASS, Announced, announced_classes
from ensue.spark.corrections.in_process import InProcess
from ensue.spark.corrections.keeping import About, Keeping, added
from ensue.spark.corrections.lifetimes import Window
from ensue.spark.corrections.making import Batch, Cases, Maker, Setting, Task
from ensue.spark.corrections.on_spark import OnSpark
from ensue.spark.corrections.publishing import Told
from ensue.spark.corrections.purging import Grid
from ensue.spark.programs.tables import Tables

Sink: TypeAlias = "Callable[[DataFrame, int, int], None]"

SMALL, FEW = 1_000_000, 30_000
"""Up to so many remembered rows, and so many announcements, a window is made in this process."""


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
        small: int = SMALL,
    ) -> None:
        self.program = program
        self.classes: tuple[Announced, ...] = announced_classes(program)
        self.keeping, self.tables = Keeping(data), Tables(data)
        self.grid = Grid(program, self.classes)
        self.spark = spark
        self._small = small
        self._sinks = sinks or {}
        told = tuple(
            Told(item.declaration.name, item.declaration.attributes, Publishing(item.publications, item.tolerance))
            for item in program.derived_classes
        )
        setting = Setting(spark, program, self.classes, told, self.grid, self.tables, shards)
        self._on_spark, self._in_process = OnSpark(setting), InProcess(setting)
        self.keeping.prepare()
        self.tables.prepare()
        self.about = self.keeping.last()
        self._withdraw([*(one.name for one in self.classes), *(one.name for one in told)])
        spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")

    def _withdraw(self, names: Sequence[str]) -> None:
        """Take back what an interrupted window has written: if it is made again, it may go further, or less far."""
        last = -1 if self.about is None else self.about.number
        for name in (*names, tabled.PUBLICATIONS):
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
        point = self._point(window)
        kept = None if self.about is None else self.keeping.of(about.number)
        with self.keeping.writing() as aside:
            task = Task(about.number + 1, window, batch, point, kept, aside)
            made = self._maker(task, about).make(task)
            self._tell(made.told, task.number)
            counted = {**made.outcomes, Outcome.FUTURE.value: batch.future if batch is not None else 0}
            outcomes = {one.value: about.outcomes.get(one.value, 0) + counted.get(one.value, 0) for one in Outcome}
            after = About(
                task.number,
                window.last,
                about.purged if point is None else point,
                made.due,
                made.coming,
                {name: count for name, count in outcomes.items() if count},
                added(about.told, made.told),
                made.kept,
                {**about.open, **made.open},
            )
            self.keeping.place(aside, after)
            self.about = after

    def _point(self, window: Window) -> int | None:
        """The point of the grid between the last window and this one, if there is one."""
        point = self.grid.point(window.first)
        return point if self.about is not None and point is not None and point > self.about.last else None

    def _maker(self, task: Task, about: About) -> Maker:
        size = task.batch.size if task.batch is not None else 0
        return self._in_process if size <= FEW and about.kept + size <= self._small else self._on_spark

    def _tell(self, told: Cases, number: int) -> None:
        """What is in the tables goes to the sinks, in order.

        One task writes it, so that a revoke never overtakes what it revokes; and it is begun in this thread, since
        others do not know jars that were added.
        """
        for name, cases in told.items():
            if name in self._sinks:
                folder = self.tables.of(tabled.PUBLICATIONS) / f"batch={number}"
                written = self.spark.read.parquet(str(folder)).where(f.col(CLASS) == name)
                mine = written.coalesce(1).sortWithinPartitions(tabled.NUMBER)
                self._sinks[name](mine.drop(tabled.NUMBER), number, sum(cases.values()))
