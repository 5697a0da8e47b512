"""The complex events of one window, class after class, each over the classes that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from shutil import copytree

from pyspark.sql import DataFrame, functions as f

from ensue.algebra.variables import is_timed
from ensue.language.program import ComplexClass, Program, SelectedClass
from ensue.spark.corrections.detecting import derive_detected
from ensue.spark.corrections.in_shards import Besides
from ensue.spark.corrections.lifetimes import TOUCHED, Lifetimes
from ensue.spark.corrections.making import Setting, Task
from ensue.spark.corrections.purging import Remembered
from ensue.spark.corrections.selecting import derive_selected
from ensue.spark.corrections.stepping import Steps


def looks_at(item: ComplexClass | SelectedClass, program: Program, touched: Iterable[str]) -> bool:
    """Whether a class can have other events, if something was touched in these classes."""
    return not {below for name in item.uses for below in program.taxonomy.below(name)}.isdisjoint(touched)


@dataclass(frozen=True)
class Deriving:
    """What the classes of a window are derived from, besides each other."""

    setting: Setting
    task: Task
    before: Remembered | None
    steps: Steps
    besides: dict[str, Besides] = field(default_factory=dict)
    """What each class of a pattern says besides."""

    def derive(
        self, item: ComplexClass | SelectedClass, inputs: Mapping[str, Lifetimes], path: str, touched: set[str]
    ) -> Lifetimes:
        """The events of a class. Where nothing has happened, they are what they were."""
        held = None if self.before is None else self.before.derived[item.declaration.name]
        idle = held is not None and not looks_at(item, self.setting.program, touched)
        if isinstance(item, ComplexClass):
            return self._detected(item, inputs, held, f"state{path}", idle=idle)
        if held is not None and idle:
            return _unchanged(held)
        return derive_selected(item, self.setting.program, inputs, held, self.task.window)

    def _detected(
        self, item: ComplexClass, inputs: Mapping[str, Lifetimes], held: DataFrame | None, path: str, *, idle: bool
    ) -> Lifetimes:
        setting, task = self.setting, self.task
        timed = is_timed(item.pattern)
        if held is not None and task.kept is not None and task.idle and idle and not timed:
            copytree(task.kept / path, task.aside / path, dirs_exist_ok=True)
            return _unchanged(held)
        state = None if task.kept is None else setting.spark.read.parquet(str(task.kept / path))
        steps = [(step,) for step in self.steps.look(item.declaration.name)] if timed else []
        listed = setting.spark.createDataFrame(steps, "step BIGINT")
        found, shards, self.besides[item.declaration.name] = derive_detected(
            item, setting.program, inputs, state, held, task.window, listed, setting.shards
        )
        shards.write.mode("overwrite").parquet(str(task.aside / path))
        return found


def _unchanged(held: DataFrame) -> Lifetimes:
    return Lifetimes(held.withColumn(TOUCHED, f.lit(False)))
