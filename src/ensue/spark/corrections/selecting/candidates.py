"""Candidates: rows of a SELECT with the steps at which they hold, before it is settled which of them are the events.

Several candidates may say the same or have the same key. What is still there after a window is remembered beside the
event of its key, in a column of its own, so that the next window need not look for it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from ensue.model import AttributeType
from ensue.spark.corrections.lifetimes import CONSTITUENTS, FROM, KEY, OCCURRED, TO
from ensue.spark.corrections.selecting.places import FOREVER
from ensue.spark.values import in_quotes, quoted

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

    def _key(self) -> str:
        """The key attributes as text, in a list; what is missing stays missing."""
        kinds = self.item.declaration.attributes
        texts = [
            f"CAST({f'unix_micros({name})' if kinds[key] is AttributeType.TIME else name} AS STRING)"
            for key in self.item.key
            for name in [in_quotes(key)]
        ]
        return f"to_json(array({', '.join(texts)}))" if texts else "'[]'"

    def new(self, start: str, end: str, scope: str) -> list[str]:
        """Rows of the SELECT as candidates, in SQL; the parts of their times in microseconds."""
        times = {name: f"unix_micros(CAST({in_quotes(name)} AS TIMESTAMP))" for name in self.stem.times}
        columns = {
            KEY: self._key(),
            KIND: str(NEW),
            FROM: start,
            TO: end,
            OCCURRED: "CAST(NULL AS BIGINT)",
            **times,
            **{name: in_quotes(name) for name in self.attributes},
            SCOPE: scope,
            CONSTITUENTS: f"({scope}).events",
        }
        return [f"{said} AS {in_quotes(name)}" for name, said in columns.items()]

    def kept(self, before: DataFrame) -> DataFrame:
        """What is remembered, each as if it went on for ever."""
        return before.select(quoted(KEY), f.inline(quoted(ROWS))).select(
            quoted(KEY),
            f.lit(KEPT).alias(KIND),
            quoted(FROM),
            f.lit(FOREVER).alias(TO),
            f.lit(None).cast("bigint").alias(OCCURRED),
            *map(quoted, self.content),
            quoted(SCOPE),
            quoted(SCOPE)["events"].alias(CONSTITUENTS),
        )

    def standing(self, before: DataFrame, first: int, like: DataFrame) -> DataFrame:
        """The events that stood before the window, up to its first step."""
        return before.select(
            quoted(KEY),
            f.lit(STANDING).alias(KIND),
            quoted(FROM),
            f.lit(first).alias(TO),
            f.unix_micros(quoted(OCCURRED)).alias(OCCURRED),
            *(f.lit(None).cast("bigint").alias(name) for name in self.stem.times),
            *map(quoted, self.attributes),
            f.lit(None).cast(like.schema[SCOPE].dataType).alias(SCOPE),
            quoted(CONSTITUENTS),
        )
