"""The attributes of constituents, joined back from the events by their ids: only for those who ask."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, functions as f

from ensue.errors import Diagnostic, InputError, near
from ensue.spark.sources import Source
from ensue.spark.values import quoted


def with_attributes(found: DataFrame, sources: Sequence[Source], names: Sequence[str] | None) -> DataFrame:
    """Occurrences whose constituents have a field more, `attributes`, with some or all columns of their events."""
    chosen = _chosen(sources, names)
    events = reduce(
        lambda one, two: one.unionByName(two, allowMissingColumns=True),
        (
            source.frame.select(
                quoted(source.names.id).cast("string").alias("\0id"),
                *(quoted(name) for name in chosen if name in source.fields),
            )
            for source in sources
        ),
    ).select(f.col("\0id"), f.struct(*(quoted(name) for name in chosen)).alias("\0attributes"))
    single = found.select(f.col("id").alias("\0occurrence"), f.posexplode("constituents").alias("\0place", "\0part"))
    joined = single.join(events, f.col("\0part.id") == f.col("\0id"), "left")
    part = f.struct(
        f.col("\0place").alias("place"),
        f.struct(
            *(f.col("\0part")[name].alias(name) for name in ("leaf", "id", "time")),
            f.col("\0attributes").alias("attributes"),
        ).alias("part"),
    )
    lists = joined.groupBy("\0occurrence").agg(f.collect_list(part).alias("\0parts"))
    ordered = f.transform(
        f.array_sort(f.col("\0parts"), lambda one, two: one.place - two.place), lambda item: item.part
    )
    whole = found.join(lists, f.col("id") == f.col("\0occurrence"), "left")
    kind = whole.select(ordered.alias("kind")).schema["kind"].dataType
    constituents = f.coalesce(ordered, f.array().cast(kind))
    return whole.withColumn("constituents", constituents).drop("\0occurrence", "\0parts")


def _chosen(sources: Sequence[Source], names: Sequence[str] | None) -> list[str]:
    """The columns to be joined; by default all but those that every constituent has anyway."""
    known = dict.fromkeys(field.name for source in sources for field in source.frame.schema.fields)
    if names is None:
        said = {sources[0].names.id, sources[0].names.time}
        if sources[0].event_class is None:
            said.add(sources[0].names.type)
        return [name for name in known if name not in said]
    for name in names:
        if name not in known:
            raise InputError(
                Diagnostic("E421", f"events have no attribute {name!r}", hint=near(name, known) or ", ".join(known))
            )
    return list(names)
