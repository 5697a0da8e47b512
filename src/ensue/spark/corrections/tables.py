"""The tables of a program with corrections: every version of every event, and everything that was published.

A class's table is a log: a row for each version, from the step at which it came to be believed, and one (`withdrawn`)
where nothing is believed any more. What was believed at a time is, of each key, the last row up to then.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, functions as f

from ensue.model import AttributeType
from ensue.spark.corrections.announcing import CLASS, KEY, TIME, union
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY as LIFETIME_KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Window,
)
from ensue.spark.corrections.publishing import AT, CASE, CONSTITUENT, PUBLICATION, REVISION, in_order
from ensue.spark.programs.tables import DAY, day_of
from ensue.spark.values import quoted

PUBLICATIONS = "publications"
ENVELOPE = ("id", "class", "key", "begin", "end", "detected", "withdrawn", "constituents", DAY, "batch")
NUMBER = "number"


def attribute_column(name: str) -> str:
    """The column of an attribute: one that would be taken for another column has a question mark before it."""
    return f"?{name}" if name.casefold() in ENVELOPE else name


def versions(
    frame: DataFrame, name: str, attributes: Mapping[str, AttributeType], window: Window, *, complex_class: bool
) -> DataFrame:
    """What a window adds to the table of a class."""
    touched = frame.where(quoted(TOUCHED))
    begun = touched.where(quoted(FROM).between(window.first, window.last))
    ended = touched.where(quoted(TO).between(window.first, window.last))
    starts = begun.select(quoted(LIFETIME_KEY).alias("__next_key"), quoted(FROM).alias("__next_from"))
    same = (quoted(LIFETIME_KEY) == f.col("__next_key")) & (quoted(TO) == f.col("__next_from"))
    gone = ended.join(starts, same, "left_anti")
    rows = begun.select("*", quoted(FROM).alias("__at"), f.lit(False).alias("__withdrawn")).unionByName(
        gone.select("*", quoted(TO).alias("__at"), f.lit(True).alias("__withdrawn"))
    )
    if complex_class:
        own, begin = quoted(ID), _as_time(rows, BEGIN)
        constituents = quoted(CONSTITUENTS).cast(CONSTITUENT)
    else:
        own, begin = quoted(LIFETIME_KEY), quoted(OCCURRED)
        constituents = f.array().cast(CONSTITUENT)
    return rows.select(
        own.alias("id"),
        f.lit(name).alias("class"),
        quoted(LIFETIME_KEY).alias("key"),
        begin.alias("begin"),
        quoted(OCCURRED).alias("end"),
        f.timestamp_micros("__at").alias("detected"),
        f.col("__withdrawn").alias("withdrawn"),
        *(quoted(attribute).alias(attribute_column(attribute)) for attribute in attributes),
        constituents.alias("constituents"),
        day_of(quoted(OCCURRED)).alias(DAY),
    )


def _as_time(frame: DataFrame, name: str) -> Column:
    micros = dict(frame.dtypes)[name] == "bigint"
    return f.timestamp_micros(quoted(name)) if micros else quoted(name)


def publications(notices: DataFrame, changes: DataFrame) -> DataFrame:
    """What a window adds to the table of publications, in order; `changes` are the steps at which events changed."""
    numbered = notices.repartition(1).sortWithinPartitions(*in_order())
    numbered = numbered.withColumn(NUMBER, f.monotonically_increasing_id())
    parts = f.array_distinct(f.concat(f.coalesce("constituents", f.array()), f.coalesce("old_constituents", f.array())))
    single = numbered.select(NUMBER, f.col(AT), f.explode(parts).alias("part"))
    causes = (
        single.join(
            changes,
            (f.col("part.class") == f.col("changed_class"))
            & (f.col("part.key") == f.col("changed_key"))
            & (f.col(AT) == f.col("changed_at")),
            "left_semi",
        )
        .groupBy(NUMBER)
        .agg(f.array_sort(f.collect_set("part")).alias("why"))
    )
    replaces = f.when(
        f.col("old_time").isNotNull(),
        f.struct(
            f.col("old_id").alias("id"),
            f.timestamp_micros("old_time").alias("occurred"),
            f.col("old_attributes").alias("attributes"),
        ),
    )
    known = f.col("constituents").isNotNull() | f.col("old_constituents").isNotNull()
    told = numbered.join(causes, NUMBER, "left").select(
        PUBLICATION,
        CLASS,
        CASE,
        f.timestamp_micros(AT).alias("detected"),
        f.timestamp_micros(TIME).alias("occurred"),
        "attributes",
        KEY,
        "id",
        REVISION,
        "constituents",
        f.when(known, f.coalesce("why", f.array().cast(CONSTITUENT))).alias("why"),
        replaces.alias("replaces"),
        NUMBER,
    )
    return told.repartition(1).sortWithinPartitions(NUMBER)


def changes_of(frames: Mapping[str, DataFrame], window: Window) -> DataFrame:
    """The steps of a window at which something changed about an event, of any class."""
    return union(
        [
            frame.where(quoted(TOUCHED) & quoted(column).between(window.first, window.last)).select(
                f.lit(name).alias("changed_class"),
                quoted(LIFETIME_KEY).alias("changed_key"),
                quoted(column).alias("changed_at"),
            )
            for name, frame in frames.items()
            for column in (FROM, TO)
        ]
    )
