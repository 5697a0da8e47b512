"""Candidates: rows of a SELECT with the steps at which they hold, before it is settled which of them are the events.

Several candidates may say the same or have the same key. What is still there after a window is remembered beside the
event of its key, in a column of its own, so that the next window need not look for it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import Column, functions as f

from ensue.model import AttributeType
from ensue.spark.corrections.lifetimes import CONSTITUENTS, FROM, KEY, OCCURRED, TO
from ensue.spark.corrections.selecting.places import FOREVER
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.language.program import SelectedClass
    from ensue.language.queries.stems import Stem

KIND = "__kind"
NEW, KEPT, STANDING = 0, 1, 2
"""What was found in this window, what is remembered of the one before, and the event that stood at its end."""
SCOPE = "__scope"
"""What a candidate was found from: if that is touched, it is looked for again. All ways end it with `events`."""
ROWS = "__rows"
"""The candidates that still hold, on the row of the event that stands for them."""
EVENTS_TYPE = "array<struct<class:string,key:string>>"


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a class's candidates."""

    item: SelectedClass
    stem: Stem

    @property
    def attributes(self) -> list[str]:
        return list(self.item.declaration.attributes)

    @property
    def content(self) -> list[str]:
        """What a row is, apart from when it holds."""
        return [*self.stem.times, *self.attributes]

    def key(self) -> Column:
        """The key attributes as text, in a list; what is missing stays missing."""
        kinds = self.item.declaration.attributes
        texts = [
            (f.unix_micros(quoted(name)) if kinds[name] is AttributeType.TIME else quoted(name)).cast("string")
            for name in self.item.key
        ]
        return f.to_json(f.array(*texts)) if texts else f.lit("[]")

    def new(self, rows: DataFrame, start: Column, end: Column, scope: Column) -> DataFrame:
        """Rows of the SELECT as candidates."""
        return rows.select(
            self.key().alias(KEY),
            f.lit(NEW).alias(KIND),
            start.alias(FROM),
            end.alias(TO),
            f.lit(None).cast("timestamp").alias(OCCURRED),
            *map(quoted, self.content),
            scope.alias(SCOPE),
            f.lit(None).cast(EVENTS_TYPE).alias(CONSTITUENTS),
        )

    def kept(self, before: DataFrame) -> DataFrame:
        """What is remembered, each as if it went on for ever."""
        row = "row"
        inner = [f.col(f"`{row}`").getField(name).alias(name) for name in (FROM, *self.content, SCOPE)]
        single = before.select(quoted(KEY), f.explode(quoted(ROWS)).alias(row)).select(quoted(KEY), *inner)
        return single.select(
            quoted(KEY),
            f.lit(KEPT).alias(KIND),
            quoted(FROM),
            f.lit(FOREVER).alias(TO),
            f.lit(None).cast("timestamp").alias(OCCURRED),
            *map(quoted, self.content),
            quoted(SCOPE),
            f.lit(None).cast(EVENTS_TYPE).alias(CONSTITUENTS),
        )

    def standing(self, before: DataFrame, first: int, like: DataFrame) -> DataFrame:
        """The events that stood before the window, up to its first step."""
        kinds = {field.name: field.dataType for field in like.schema.fields}
        missing = [f.lit(None).cast(kinds[name]).alias(name) for name in self.stem.times]
        return before.select(
            quoted(KEY),
            f.lit(STANDING).alias(KIND),
            quoted(FROM),
            f.lit(first).alias(TO),
            quoted(OCCURRED),
            *missing,
            *map(quoted, self.attributes),
            f.lit(None).cast(kinds[SCOPE]).alias(SCOPE),
            quoted(CONSTITUENTS),
        )
