"""The complex events of one window, class after class, each over the classes that it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from pyspark.sql import DataFrame, SparkSession, functions as f

from ensue.algebra.variables import is_timed
from ensue.language.program import ComplexClass, Program, SelectedClass
from ensue.spark.corrections.announcing import union
from ensue.spark.corrections.detecting import derive_detected
from ensue.spark.corrections.lifetimes import OCCURRED, TOUCHED, Lifetimes, Window
from ensue.spark.corrections.purging import Remembered
from ensue.spark.corrections.selecting import derive_selected


@dataclass(frozen=True)
class Deriving:
    """What the classes of a window are derived from, besides each other."""

    spark: SparkSession
    program: Program
    window: Window
    announced: Sequence[int]
    """The detection times in the window."""
    before: Remembered | None
    kept: Path | None
    """Where the state of the window before is."""
    aside: Path
    shards: int
    idle: bool
    """Whether nothing was announced, and nothing forgotten."""

    def derive(
        self, item: ComplexClass | SelectedClass, inputs: Mapping[str, Lifetimes], path: str, touched: set[str]
    ) -> Lifetimes:
        """The events of a class. Where nothing has happened, they are what they were."""
        held = None if self.before is None else self.before.derived[item.declaration.name]
        if isinstance(item, ComplexClass):
            return self._detected(item, inputs, held, f"state{path}")
        looked_at = {below for name in item.uses for below in self.program.taxonomy.below(name)}
        if held is not None and not looked_at & touched:
            return _unchanged(held)
        return derive_selected(item, self.program, inputs, held, self.window)

    def _detected(
        self, item: ComplexClass, inputs: Mapping[str, Lifetimes], held: DataFrame | None, path: str
    ) -> Lifetimes:
        timed = is_timed(item.pattern)
        if held is not None and self.kept is not None and self.idle and not timed:
            copytree(self.kept / path, self.aside / path)
            return _unchanged(held)
        state = None if self.kept is None else self.spark.read.parquet(str(self.kept / path))
        steps = [(step,) for step in self._steps(inputs)] if timed else []
        listed = self.spark.createDataFrame(steps, "step BIGINT")
        found, shards = derive_detected(item, self.program, inputs, state, held, self.window, listed, self.shards)
        shards.write.parquet(str(self.aside / path))
        return found

    def _steps(self, inputs: Mapping[str, Lifetimes]) -> list[int]:
        """The steps of the window: at its detection times, and where something that is known falls due."""
        derived = [item.declaration.name for item in self.program.derived_classes]
        frames = [inputs[name].frame for name in derived if name in inputs]
        frames += list(self.before.derived.values()) if self.before is not None else []
        if not frames:
            return sorted(self.announced)
        times = union([rows.select(f.unix_micros(OCCURRED).alias("step")) for rows in frames])
        due = times.where(f.col("step").between(self.window.first, self.window.last)).distinct().collect()
        return sorted({*self.announced, *(row["step"] for row in due)})


def _unchanged(held: DataFrame) -> Lifetimes:
    return Lifetimes(held.withColumn(TOUCHED, f.lit(False)))
