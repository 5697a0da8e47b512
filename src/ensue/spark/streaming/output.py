"""What comes out of a streaming query: occurrences and refused events in one frame, so that the source is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame, functions as f, types as t

from ensue.spark.streaming.packing import read

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

METRICS = "ensue"
"""The name under which a query's progress tells how many occurrences and refused events there were."""

Handler = Callable[[DataFrame, int], object]


@dataclass(frozen=True, slots=True)
class Unpacking:
    """Parcels to rows: one schema for both kinds, each with nulls where it has no columns."""

    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for parcel in batch.column("parcel").to_pylist():
                table = read(parcel)
                arrays = [
                    table.column(field.name) if field.name in table.schema.names else self._filler(field, table)
                    for field in self.schema
                ]
                yield from pa.Table.from_arrays(arrays, schema=self.schema).to_batches()

    @staticmethod
    def _filler(field: pa.Field, table: pa.Table) -> pa.Array:
        if field.name == "kind":
            return pa.array(["occurrence"] * table.num_rows, pa.string())
        return pa.nulls(table.num_rows, field.type)


def open_table(place: int, count: int) -> pa.Table:
    """How many partial matches are open at a place, in columns that are there anyway: no user sees these rows."""
    return pa.table({"kind": ["open"], "code": [str(place)], "reason": [str(count)]})


def output_schema(found: t.StructType, event: t.StructType) -> t.StructType:
    """Both kinds of rows side by side."""
    first = [t.StructField(name, t.StringType()) for name in ("kind", "code", "reason")]
    return t.StructType([*first, t.StructField("event", event), *found.fields])


@dataclass(frozen=True)
class Detection:
    """A streaming detection that has not been started.

    `everything` is one frame with a column `kind`: `occurrence`, or `late`, `duplicate` and `reject` for events that
    were not taken. `occurrences` and `refused` are its two halves; a query over one of them reads the source for that
    half alone, so whoever wants both starts one query over `everything`, with `each_batch`.
    """

    everything: DataFrame
    columns: tuple[str, ...]

    @property
    def occurrences(self) -> DataFrame:
        """Only what was found, in the columns that every runner on Spark gives."""
        return _occurrences(self.everything, self.columns)

    @property
    def refused(self) -> DataFrame:
        """The events that were not taken: `kind`, `code`, `reason`, and the `event` itself."""
        return _refused(self.everything)

    @property
    def late(self) -> DataFrame:
        """Of the refused events, those that came too late."""
        return self.refused.where(f.col("kind") == "late")

    def each_batch(
        self, occurrences: Handler | None = None, refused: Handler | None = None
    ) -> Callable[[DataFrame, int], None]:
        """For `everything.writeStream.foreachBatch`: each half of a micro-batch goes to its own function.

        The micro-batch is kept while both run; otherwise the operator would run once for each.
        """
        columns = self.columns

        def handle(batch: DataFrame, number: int) -> None:
            batch.persist()
            try:
                if occurrences is not None:
                    occurrences(_occurrences(batch, columns), number)
                if refused is not None:
                    refused(_refused(batch), number)
            finally:
                batch.unpersist()

        return handle


def counts(query: StreamingQuery) -> dict[str, int]:
    """How many occurrences and refused events a query has given so far, as far as its progress is still known."""
    total: dict[str, int] = {}
    for progress in query.recentProgress:
        metrics = progress["observedMetrics"].get(METRICS)
        if metrics is not None:
            for name, value in metrics.asDict().items():
                total[name] = total.get(name, 0) + (value or 0)
    return total


def observed(everything: DataFrame) -> DataFrame:
    """The same rows, counted by kind: nothing is dropped silently, even if only the occurrences are looked at."""
    kinds = ("occurrence", "late", "duplicate", "reject")
    return everything.observe(METRICS, *(f.count_if(f.col("kind") == kind).alias(kind) for kind in kinds))


def _occurrences(frame: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    quoted = [f.col("`" + name.replace("`", "``") + "`") for name in columns]
    return frame.where(f.col("kind") == "occurrence").select(*quoted)


def _refused(frame: DataFrame) -> DataFrame:
    return frame.where(f.col("kind") != "occurrence").select("kind", "code", "reason", "event")
