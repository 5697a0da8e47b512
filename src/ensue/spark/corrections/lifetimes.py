"""What was believed of each event from which step to which: the form in which all parts hand events to each other.

A batch of announcements covers a window of steps. In it, a version of an event holds from one step up to another, or
has not ended yet. So one job can look at all steps of a window at once: what joins are versions that overlap in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEY = "__key"
"""Which event of its class it is; its id for patterns."""
FROM, TO = "__from", "__to"
"""The first step at which the version holds, and the first at which it does no more (null: it still holds)."""
TOUCHED = "__touched"
"""Whether any version of the same event begins or ends in the window."""
OCCURRED = "occ"
"""When the event occurs, a TIMESTAMP; the attributes have columns by their own names beside it."""
ID, BEGIN, CONSTITUENTS = "__id", "__begin", "__constituents"
"""Of complex events only: the occurrence's id, its begin, and the events that it is made of."""


@dataclass(frozen=True, slots=True)
class Window:
    """The steps that are made together, from the first to the last, both in microseconds and both inside."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """The versions of a class's events that hold at some step of a window, and those that hold no more since then.

    A row that is not touched began before the window and has not ended. Of one event no two versions overlap.
    """

    frame: DataFrame

    @property
    def open(self) -> DataFrame:
        """What holds after the window."""
        return self.frame.where(quoted(TO).isNull())
