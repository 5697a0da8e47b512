"""What the windows of a program are made from, and what each leaves: the same, whoever makes them.

Large windows are made by Spark's jobs, small ones in this process, which asks Spark only for the rows of SELECTs. Both
read and write the same tables, so that one may go on where the other was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ensue.algebra.variables import is_timed
from ensue.language.program import Program
from ensue.spark.corrections.announcing import Announced
from ensue.spark.corrections.lifetimes import Window
from ensue.spark.corrections.publishing import Told
from ensue.spark.corrections.purging import Grid
from ensue.spark.programs.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from ensue.spark.corrections.admitting import Snapshots

Cases = Mapping[str, Mapping[str, int]]
"""By class and case, how many publications there were."""


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
    here: Callable[[Window], pa.Table] | None = None
    """The same for this process, those of a window, if that takes no job of Spark."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same in all windows of a program."""

    spark: SparkSession
    program: Program
    classes: tuple[Announced, ...]
    told: tuple[Told, ...]
    grid: Grid
    tables: Tables
    shards: int

    @property
    def timed(self) -> bool:
        """Whether there are patterns with timers: they depend on which steps are made."""
        return any(is_timed(item.pattern) for item in self.program.complex_classes)

    def paths(self) -> dict[str, str]:
        """The folders of the derived classes in a state."""
        return {item.declaration.name: f"derived{place}" for place, item in enumerate(self.program.derived_classes)}


@dataclass(frozen=True, slots=True)
class Task:
    """One window: what is announced in it, and where its state is written."""

    number: int
    window: Window
    batch: Batch | None
    point: int | None
    """The point of the grid that lies between the window before and this one: what has expired there is forgotten."""
    kept: Path | None
    """The state of the window before; none before the first one."""
    aside: Path

    @property
    def snapshots(self) -> Snapshots:
        """Those of the window alone."""
        found = {} if self.batch is None else self.batch.snapshots
        inside = range(self.window.first, self.window.last + 1)
        return {name: [pair for pair in pairs if pair[0] in inside] for name, pairs in found.items()}

    @property
    def announced(self) -> tuple[int, ...]:
        """The steps at which something is announced."""
        return self.batch.steps if self.batch is not None else ()

    @property
    def idle(self) -> bool:
        """Whether nothing was announced, and nothing forgotten."""
        return self.batch is None and self.point is None


@dataclass(frozen=True, slots=True)
class Made:
    """What has to be said of a window that was made."""

    outcomes: Mapping[str, int]
    due: int | None
    coming: int
    told: Cases
    kept: int
    """How many rows its state has."""
    open: Mapping[str, int]
    """For each class that was detected in it, how many parts of its pattern have occurred and wait for the rest."""


class Maker(Protocol):
    """Makes a window: its tables, and its state in the folder aside."""

    def make(self, task: Task) -> Made: ...
