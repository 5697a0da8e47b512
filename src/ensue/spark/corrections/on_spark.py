"""Windows that are made by Spark's jobs.

    admit ─► derive, class by class ─► publish ─► tables ─► remember

Each part is written once and read back, so that nothing is worked out twice and no plan grows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, Observation, functions as f

from ensue.language.program import ComplexClass, SelectedClass
from ensue.model.announcements import Outcome
from ensue.model.publications import Case
from ensue.spark.corrections import tables as tabled
from ensue.spark.corrections.admitting import COUNT, KIND, OUTCOME, STEP, admit, known_after, lifetimes_of
from ensue.spark.corrections.announcing import CLASS
from ensue.spark.corrections.deriving import Deriving
from ensue.spark.corrections.in_shards import Besides
from ensue.spark.corrections.lifetimes import FROM, OCCURRED, TO, TOUCHED, Lifetimes
from ensue.spark.corrections.making import Cases, Made, Setting, Task
from ensue.spark.corrections.publishing import CASE, NOTICE, PUBLISHED, notices_of, publish, standing_after
from ensue.spark.corrections.purging import Remembered
from ensue.spark.corrections.stepping import Steps
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_PARALLEL = 4


@dataclass(frozen=True, slots=True)
class OnSpark:
    """Makes windows of any size, each with a fixed number of jobs for each class."""

    setting: Setting
    schemas: dict[str, StructType] = field(default_factory=dict)
    """Of what was written by this process: Spark need not look for the columns there."""

    def make(self, task: Task) -> Made:
        setting = self.setting
        before = self._remembered(task.kept)
        if task.point is not None and before is not None:
            before = setting.grid.purge(before, task.point, task.aside)
        counts: dict[str, int] = {}
        inputs = self._admit(task, before, counts)
        coming, opened = self._derive(task, inputs, before, counts)
        published, told = self._publish(task, inputs, before, counts)
        self._tables(task, inputs, published, told, counts)
        return Made(
            {one.value: counts.get(one.value) or 0 for one in Outcome},
            min((due for due, _ in coming if due is not None), default=None),
            sum(count for _, count in coming),
            told,
            sum(count for name, count in counts.items() if name.startswith("kept ")),
            opened,
        )

    def _remembered(self, folder: Path | None) -> Remembered | None:
        if folder is None:
            return None
        derived = {name: self._read(folder / path) for name, path in self.setting.paths().items()}
        return Remembered(
            known_after(self._read(folder / "known")),
            {name: rows.where(quoted(TO).isNull()) for name, rows in derived.items()},
            standing_after(self._read(folder / "published")),
        )

    def _read(self, path: Path) -> DataFrame:
        known = self.schemas.get(path.name)
        reader = self.setting.spark.read if known is None else self.setting.spark.read.schema(known)
        return reader.parquet(str(path))

    def _write(
        self, frame: DataFrame, path: Path, measures: Sequence[Column], counts: dict[str, int]
    ) -> dict[str, Any]:
        """Write a frame, and count while it is written."""
        seen = Observation()
        frame.observe(seen, f.count("*").alias("kept"), *measures).write.mode("overwrite").parquet(str(path))
        self.schemas[path.name] = frame.schema
        found = dict(seen.get)
        counts[f"kept {path.name}"] = found.pop("kept")
        return found

    def _admit(self, task: Task, before: Remembered | None, counts: dict[str, int]) -> dict[str, Lifetimes]:
        classes, batch = self.setting.classes, task.batch
        if batch is None and before is not None:
            admitted = before.known.withColumn(TOUCHED, f.lit(False))  # nothing is announced
        elif batch is not None:
            announced = batch.frame.where(f.col(STEP).between(task.window.first, task.window.last))
            admitted = admit(announced, before.known if before else None, classes, task.snapshots)
        else:
            raise AssertionError("the first window has announcements")
        measures = [f.sum(f.when(f.col(OUTCOME) == one.value, f.col(COUNT))).alias(one.value) for one in Outcome]
        measures += [_touched(f.col(CLASS) == one.name).alias(f"touched {one.name}") for one in classes]
        counts.update(self._write(admitted, task.aside / "known", measures, counts))
        known = self._read(task.aside / "known")
        return {one.name: lifetimes_of(known, one) for one in classes}

    def _derive(
        self, task: Task, inputs: dict[str, Lifetimes], before: Remembered | None, counts: dict[str, int]
    ) -> tuple[list[tuple[int | None, int]], dict[str, int]]:
        """Derive each class after those that it uses; says what is coming, when next and how much, and what is open."""
        setting = self.setting
        held = {} if before is None else before.derived
        steps = Steps(task.announced, {name: self._due(rows, task) for name, rows in held.items()})
        deriving = Deriving(setting, task, before, steps)
        coming: dict[str, tuple[int | None, int]] = {}

        def derive(item: ComplexClass | SelectedClass) -> list[int]:
            name = item.declaration.name
            path = setting.paths()[name]
            found = deriving.derive(item, inputs, path, {one for one in inputs if counts.get(f"touched {one}")})
            ahead = quoted(TO).isNull() & (f.unix_micros(OCCURRED) > task.window.last)
            measures = [
                f.min(f.when(ahead, f.unix_micros(OCCURRED))).alias("due"),
                f.sum(f.when(ahead, 1)).alias("coming"),
                _touched(f.lit(True)).alias("touched"),
            ]
            seen = self._write(found.frame, task.aside / path, measures, counts)
            counts[f"touched {name}"] = seen["touched"] or 0
            looks = deriving.besides.get(name, Besides()).looks
            due = [time for time in (seen["due"], *looks) if time is not None and time > task.window.last]
            coming[name] = min(due, default=None), seen["coming"] or 0
            inputs[name] = Lifetimes(self._read(task.aside / path))
            return [*self._due(inputs[name].frame, task), *(time for time in looks if time <= task.window.last)]

        steps.derive(setting.program.derived_classes, derive)
        return list(coming.values()), {name: one.open for name, one in deriving.besides.items()}

    def _due(self, rows: DataFrame, task: Task) -> list[int]:
        """When events of a class fall due in the window: they are known before, and still hold."""
        if not self.setting.timed:
            return []
        times, window = f.unix_micros(OCCURRED), task.window
        holds = quoted(TO).isNull() | (quoted(TO) >= times)
        due = rows.where(times.between(window.first, window.last) & (quoted(FROM) < times) & holds)
        return [row[0] for row in due.select(times).distinct().collect()]

    def _publish(
        self, task: Task, inputs: Mapping[str, Lifetimes], before: Remembered | None, counts: dict[str, int]
    ) -> tuple[DataFrame, dict[str, dict[str, int]]]:
        """What is told and what stands, and how much was told, by class and case."""
        classes = self.setting.told
        standing = before.standing if before is not None else None
        if task.point is not None and standing is not None:
            standing = self._without_final(standing, inputs)
        nothing = self.setting.spark.createDataFrame([], PUBLISHED)
        found = publish(inputs, standing, classes, task.window) if classes else nothing
        measures = [
            f.count_if((f.col(KIND) == NOTICE) & (f.col(CLASS) == one.name) & (f.col(CASE) == case.value)).alias(
                f"{case.value} {one.name}"
            )
            for one in classes
            for case in Case
        ]
        seen = self._write(found, task.aside / "published", measures, counts)
        told: dict[str, dict[str, int]] = {}
        for one in classes:
            if cases := {case.value: count for case in Case if (count := seen[f"{case.value} {one.name}"])}:
                told[one.name] = cases
        return self._read(task.aside / "published"), told

    def _without_final(self, standing: DataFrame, inputs: Mapping[str, Lifetimes]) -> DataFrame:
        """What a pattern does not give any more, neither as it is nor as ended, is final."""
        for item in self.setting.program.complex_classes:
            name = item.declaration.name
            there = inputs[name].frame.select(f.lit(name).alias(CLASS), quoted("__key").alias("key")).distinct()
            others = standing.where((f.col(CLASS) != name) | f.col("time").isNull())
            mine = standing.where((f.col(CLASS) == name) & f.col("time").isNotNull())
            standing = others.unionByName(mine.join(there, [CLASS, "key"], "left_semi"))
        return standing

    def _tables(
        self,
        task: Task,
        inputs: Mapping[str, Lifetimes],
        published: DataFrame,
        told: Cases,
        counts: Mapping[str, int],
    ) -> None:
        """Write what the window adds to the tables, those that it adds to."""
        touched = [name for name in inputs if counts.get(f"touched {name}")]
        work: list[Callable[[], None]] = [
            lambda name=name: self._table(task, name, inputs[name], counts[f"touched {name}"])  # type: ignore[misc]
            for name in touched
        ]
        if told:
            frames = {name: inputs[name].frame for name in touched or inputs}
            work.insert(0, lambda: self._publications(task, published, frames, told))
        with ThreadPoolExecutor(_PARALLEL) as pool:
            for done in [pool.submit(one) for one in work]:
                done.result()

    def _table(self, task: Task, name: str, lifetimes: Lifetimes, count: int) -> None:
        derived = any(one.name == name for one in self.setting.told)
        attributes = self.setting.program.attributes(name)
        rows = tabled.versions(lifetimes.frame, name, attributes, task.window, complex_class=derived)
        self.setting.tables.publish(name, task.number, rows, count)

    def _publications(self, task: Task, published: DataFrame, frames: Mapping[str, DataFrame], told: Cases) -> None:
        count = sum(sum(cases.values()) for cases in told.values())
        rows = tabled.publications(notices_of(published), tabled.changes_of(frames, task.window))
        self.setting.tables.publish(tabled.PUBLICATIONS, task.number, rows, count)


def _touched(mine: Column) -> Column:
    return f.sum(f.when(mine & quoted(TOUCHED), 1))
