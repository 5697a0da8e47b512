"""From candidates to events: when each row came to hold, when it occurs, which one stands for a key, and how long.

Everything happens key by key, so one exchange of rows by key is enough.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, Window as Over, functions as f

from ensue.language.queries.stems import NOW
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Lifetimes,
    Window,
)
from ensue.spark.corrections.selecting.candidates import KIND, ROWS, SCOPE, STANDING, Shape
from ensue.spark.corrections.selecting.places import FOREVER, in_utc
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_STOOD, _HELD, _PIECE, _RUN = "__stood", "__held", "__piece", "__run"
_SUPPORTS = "__supports"


def settle(candidates: DataFrame, shape: Shape, window: Window, *, clip: bool) -> Lifetimes:
    """The versions of a class's events; with `clip`, what was before the window is known and not found again."""
    rows = _timed(_islands(candidates, shape), shape)
    pieces = _pieces(rows, shape, window.first if clip else None)
    return Lifetimes(_versions(pieces, shape, window))


def _islands(candidates: DataFrame, shape: Shape) -> DataFrame:
    """Candidates that say the same and follow each other without a gap are one: it came to hold with the first."""
    stood = (quoted(KIND) == STANDING).alias(_STOOD)
    same = [quoted(KEY), quoted(_STOOD), *map(quoted, shape.content)]
    in_order = Over.partitionBy(*same).orderBy(quoted(FROM), quoted(TO))
    reached = f.max(quoted(TO)).over(in_order.rowsBetween(Over.unboundedPreceding, -1))
    begins = f.when(reached.isNull() | (quoted(FROM) > reached), 1).otherwise(0)
    numbered = candidates.select(stood, *(quoted(name) for name in candidates.columns if name != KIND)).withColumn(
        _RUN, begins
    )
    numbered = numbered.withColumn(_RUN, f.sum(quoted(_RUN)).over(in_order.rowsBetween(Over.unboundedPreceding, 0)))
    support = f.struct(quoted(FROM), quoted(TO), quoted(SCOPE))
    return numbered.groupBy(*same, quoted(_RUN)).agg(
        f.min(quoted(FROM)).alias(FROM),
        f.max(quoted(TO)).alias(TO),
        f.collect_list(support).alias(_SUPPORTS),
        f.max(quoted(OCCURRED)).alias(OCCURRED),
        f.max(quoted(CONSTITUENTS)).alias(CONSTITUENTS),
    )


def _timed(rows: DataFrame, shape: Shape) -> DataFrame:
    """When each row occurs, now that it is known when it came to hold, and only those that count."""
    with in_utc(rows.sparkSession):
        known = rows.withColumn(NOW, f.timestamp_micros(quoted(FROM)))
        occurs = f.when(quoted(_STOOD), quoted(OCCURRED)).otherwise(f.expr(shape.stem.occurs))
        timed = known.withColumn(OCCURRED, occurs)
        if shape.stem.counts is not None:
            timed = timed.where(quoted(_STOOD) | f.expr(shape.stem.counts))
        return timed


def _pieces(rows: DataFrame, shape: Shape, first: int | None) -> DataFrame:
    """For each key, the stretches of steps with the row that stands there: the last by time and attributes."""
    content = [OCCURRED, *shape.attributes]
    held = f.struct(*map(quoted, content), quoted(FROM), quoted(TO), quoted(_SUPPORTS), *map(quoted, shape.stem.times))
    stood = f.struct(quoted(FROM), quoted(TO), *map(quoted, content), quoted(CONSTITUENTS))
    keys = rows.groupBy(quoted(KEY)).agg(
        f.collect_list(f.when(~quoted(_STOOD), held)).alias(_HELD),
        f.max(f.when(quoted(_STOOD), stood)).alias(_STOOD),
    )

    def piece(start: Column, end: Column, row: Column) -> Column:
        there = f.filter(row[_SUPPORTS], lambda one: (one[FROM] <= start) & (start < one[TO]))
        events = f.array_min(f.transform(there, lambda one: one[SCOPE]["events"]))
        begin = start if first is None else f.greatest(start, f.lit(first))
        return f.struct(
            begin.alias(FROM), end.alias(TO), *(row[name].alias(name) for name in content), events.alias(CONSTITUENTS)
        )

    all_held = quoted(_HELD)
    spans = f.sort_array(f.transform(all_held, lambda one: f.struct(one[FROM].alias(FROM), one[TO].alias(TO))))
    overlap = f.exists(
        f.zip_with(spans, f.slice(spans, 2, f.size(spans)), lambda one, two: two[FROM] < one[TO]),
        lambda one: f.coalesce(one, f.lit(False)),
    )
    alone = f.transform(all_held, lambda one: piece(one[FROM], one[TO], one))
    bounds = f.array_sort(f.array_distinct(f.flatten(f.transform(all_held, lambda one: f.array(one[FROM], one[TO])))))
    stretches = f.transform(
        f.slice(bounds, 1, f.greatest(f.size(bounds) - 1, f.lit(0))),
        lambda start, place: f.struct(
            start.alias("start"),
            f.get(bounds, place + 1).alias("end"),
            f.array_max(f.filter(all_held, lambda one: (one[FROM] <= start) & (start < one[TO]))).alias("row"),
        ),
    )
    chosen = f.transform(
        f.filter(stretches, lambda one: one["row"].isNotNull()),
        lambda one: piece(one["start"], one["end"], one["row"]),
    )
    found = f.when(overlap, chosen).otherwise(alone)
    if first is not None:
        found = f.filter(found, lambda one: one[TO] > first)
    before = f.when(quoted(_STOOD).isNotNull(), f.array(quoted(_STOOD))).otherwise(f.slice(found, 1, 0))
    still = f.filter(all_held, lambda one: one[TO] == FOREVER)
    remembered = f.flatten(
        f.transform(
            still,
            lambda one: f.transform(
                f.filter(one[_SUPPORTS], lambda support: support[TO] == FOREVER),
                lambda support: f.struct(
                    one[FROM].alias(FROM),
                    *(one[name].alias(name) for name in shape.content),
                    support[SCOPE].alias(SCOPE),
                ),
            ),
        )
    )
    return keys.select(quoted(KEY), f.explode(f.concat(before, found)).alias(_PIECE), remembered.alias(ROWS)).select(
        quoted(KEY), *(f.col(_PIECE)[name].alias(name) for name in (FROM, TO, *content, CONSTITUENTS)), quoted(ROWS)
    )


def _versions(pieces: DataFrame, shape: Shape, window: Window) -> DataFrame:
    """Pieces that follow each other and say the same are one version, made of what its first one is made of."""
    content = [OCCURRED, *shape.attributes]
    of_key = Over.partitionBy(quoted(KEY))
    in_order = of_key.orderBy(quoted(FROM), quoted(TO))
    goes_on = reduce(
        lambda one, two: one & two,
        (f.lag(quoted(name)).over(in_order).eqNullSafe(quoted(name)) for name in content),
        f.lag(quoted(TO)).over(in_order).eqNullSafe(quoted(FROM)),
    )
    numbered = pieces.withColumn(_RUN, f.when(goes_on, 0).otherwise(1))
    numbered = numbered.withColumn(_RUN, f.sum(quoted(_RUN)).over(in_order))
    merged = numbered.groupBy(quoted(KEY), quoted(_RUN), *map(quoted, content)).agg(
        f.min(quoted(FROM)).alias(FROM),
        f.max(quoted(TO)).alias(TO),
        f.min_by(quoted(CONSTITUENTS), quoted(FROM)).alias(CONSTITUENTS),
        f.first(quoted(ROWS)).alias(ROWS),
    )
    changes = [quoted(name).between(window.first, window.last) for name in (FROM, TO)]
    touched = f.max(changes[0] | changes[1]).over(of_key)
    is_open = quoted(TO) == FOREVER
    name = f.lit(shape.item.declaration.name + "\0")
    return merged.select(
        quoted(KEY),
        quoted(FROM),
        f.when(~is_open, quoted(TO)).alias(TO),
        touched.alias(TOUCHED),
        *map(quoted, content),
        f.md5(f.concat(name, quoted(KEY))).alias(ID),
        quoted(OCCURRED).alias(BEGIN),
        quoted(CONSTITUENTS),
        f.when(is_open, quoted(ROWS)).alias(ROWS),
    )
