"""From the complex events of a window to what is told about them, by class and key (§5).

    versions that are touched or fall due + what is published ─► by key to one worker ─► notices, what is published

A key that nothing happens to goes through as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, functions as f, types as t

from ensue.model import AttributeType
from ensue.model.notices import Publishing
from ensue.model.publications import Case
from ensue.spark.corrections.announcing import CLASS, KEY, SAID, TIME, plain, union
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY as LIFETIME_KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Lifetimes,
    Window,
)
from ensue.spark.corrections.telling import Derived, Standing, Telling, Version
from ensue.spark.values import quoted
from ensue.time import format_instant

KIND, NOTICE, STANDING = "kind", "notice", "standing"
REVISION, AT, PUBLICATION, CASE = "revision", "at", "publication", "case"
CONSTITUENT = t.ArrayType(t.StructType([t.StructField("class", t.StringType()), t.StructField("key", t.StringType())]))

_written = json.JSONEncoder(ensure_ascii=False).encode

_VERSION: tuple[tuple[str, t.DataType], ...] = (
    (TIME, t.LongType()),
    ("begin", t.LongType()),
    ("id", t.StringType()),
    (SAID, t.StringType()),
    ("constituents", CONSTITUENT),
)
"""What is told of a complex event besides its class and key."""

OLD = "old_"
PUBLISHED = t.StructType(
    [
        t.StructField(name, kind)
        for name, kind in (
            (KIND, t.StringType()),
            (CLASS, t.StringType()),
            (KEY, t.StringType()),
            (REVISION, t.LongType()),
            (AT, t.LongType()),
            (PUBLICATION, t.StringType()),
            (CASE, t.StringType()),
            ("attributes", t.StringType()),
            ("old_attributes", t.StringType()),
            *_VERSION,
            *((OLD + name, kind) for name, kind in _VERSION),
        )
    ]
)
"""What comes out: notices, which happen at a step, and what stands of a key after the window."""


@dataclass(frozen=True)
class Told:
    """A class that is published: how, and its attributes in their order."""

    name: str
    attributes: Mapping[str, AttributeType]
    publishing: Publishing = field(default_factory=Publishing)


def publish(
    derived: Mapping[str, Lifetimes], standing: DataFrame | None, classes: Sequence[Told], window: Window
) -> DataFrame:
    """What is told in a window, and what stands after it, for all classes at once."""
    parts = [_versions(one, derived[one.name], window) for one in classes]
    if standing is not None:
        parts.append(_standing(standing))
    rows = union(parts)
    width = int(rows.sparkSession.conf.get("spark.sql.shuffle.partitions") or "2")
    placed = rows.repartition(width, CLASS, KEY).sortWithinPartitions(CLASS, KEY, FROM)
    return placed.mapInArrow(Tell({one.name: one for one in classes}, window.first, window.last), PUBLISHED)


def standing_after(published: DataFrame) -> DataFrame:
    return published.where(f.col(KIND) == STANDING)


def notices_of(published: DataFrame) -> DataFrame:
    return published.where(f.col(KIND) == NOTICE)


def _versions(one: Told, lifetimes: Lifetimes, window: Window) -> DataFrame:
    """The versions of keys that something happens to; of the others there is one, and it does not end."""
    time = f.unix_micros(OCCURRED)
    touched = quoted(TOUCHED) | time.between(window.first, window.last)
    mine = lifetimes.frame.where(touched)
    return mine.select(
        f.lit(one.name).alias(CLASS),
        quoted(LIFETIME_KEY).alias(KEY),
        FROM,
        TO,
        f.lit(None).cast("bigint").alias(REVISION),
        f.lit(None).cast("bigint").alias(AT),
        time.alias(TIME),
        _micros(mine, BEGIN).alias("begin"),
        quoted(ID).alias("id"),
        said_of(one.attributes).alias(SAID),
        quoted(CONSTITUENTS).cast(CONSTITUENT).alias("constituents"),
    )


def said_of(attributes: Mapping[str, AttributeType]) -> Column:
    """The attributes as text: equal just where they are the same."""
    if not attributes:
        return f.lit("{}")
    return f.to_json(f.struct(*(plain(quoted(name), kind).alias(name) for name, kind in attributes.items())))


def as_spelled(said: str | None) -> str | None:
    """What Spark wrote, as Python writes it: how numbers look there depends on the version of Java."""
    return None if said is None else spelled(json.loads(said))


def spelled(values: Mapping[str, object]) -> str:
    """Attributes as the text by which they are compared and remembered; those that are missing are left out."""
    return _written({name: value for name, value in values.items() if value is not None})


def _micros(frame: DataFrame, name: str) -> Column:
    kind = frame.schema[name].dataType
    return f.unix_micros(quoted(name)) if isinstance(kind, t.TimestampType) else quoted(name).cast("bigint")


def _standing(standing: DataFrame) -> DataFrame:
    nothing = f.lit(None).cast("bigint")
    version = [name for name, _ in _VERSION]
    return standing.select(CLASS, KEY, nothing.alias(FROM), nothing.alias(TO), REVISION, AT, *version)


@dataclass(frozen=True)
class Tell:
    """Runs in Spark's Python workers: the rows of a partition, sorted by class, key and begin; what stands is first."""

    classes: Mapping[str, Told]
    first: int
    last: int
    as_it_is: bool = False
    """Whether attributes are spelled already: they come from Python, and not from Spark."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = list(batches)
        if not found:
            return
        table = pa.Table.from_batches(found).combine_chunks()
        if not self.as_it_is:
            said = pa.array(map(as_spelled, table.column(SAID).to_pylist()), pa.string())
            table = table.set_column(table.column_names.index(SAID), SAID, said)
        names = (CLASS, KEY, FROM, TO, REVISION, AT, TIME, SAID)
        columns = zip(*(table.column(name).to_pylist() for name in names), strict=True)
        rows = [(place, *values) for place, values in enumerate(columns)]
        out = _Out(table)
        for (name, key), together in groupby(rows, key=itemgetter(1, 2)):
            self._tell(self.classes[name], key, list(together), out)
        yield from out.batches()

    def _tell(self, of_class: Told, key: str, rows: list[tuple[Any, ...]], out: _Out) -> None:
        before, derived = Standing(), []
        for place, _, _, since, until, revision, at, time, said in rows:
            version = None if time is None else Version(time, said, place)
            if since is None:
                before = Standing(version, revision, at)
            elif version is not None:
                derived.append(Derived(version, since, until))
        telling = Telling(of_class.publishing, before)
        if derived:
            telling.window(self.first, self.last, derived)
        for told in telling.told:
            replaced = told.replaces
            out.add(
                (NOTICE, of_class.name, key, told.revision, told.step, told.name, told.case.value),
                as_json(told.version.text, of_class.attributes),
                None if replaced is None else as_json(replaced.text, of_class.attributes),
                told.version.row,
                None if replaced is None else replaced.row,
            )
        after = telling.standing
        if after.revision:
            place = None if after.version is None else after.version.row
            out.add((STANDING, of_class.name, key, after.revision, after.at, None, None), None, None, place, None)


class _Out:
    """The rows that go back to Spark."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table.select([name for name, _ in _VERSION])
        self._rows: list[tuple[Any, ...]] = []
        self._places: list[tuple[int | None, int | None]] = []

    def add(
        self, row: tuple[Any, ...], attributes: str | None, old: str | None, place: int | None, replaced: int | None
    ) -> None:
        self._rows.append((*row, attributes, old))
        self._places.append((place, replaced))

    def batches(self) -> Iterator[pa.RecordBatch]:
        if not self._rows:
            return
        kinds = [pa.string()] * 3 + [pa.int64()] * 2 + [pa.string()] * 4
        listed = zip(*self._rows, strict=True)
        columns = [pa.array(values, kind) for values, kind in zip(listed, kinds, strict=True)]
        for which in (0, 1):
            places = pa.array([both[which] for both in self._places], pa.int64())
            columns += self._table.take(places).columns
        whole = pa.Table.from_arrays(columns, names=[one.name for one in PUBLISHED.fields])
        yield from whole.combine_chunks().to_batches()


def as_json(said: str, attributes: Mapping[str, AttributeType]) -> str:
    """The attributes as they are shown: times as ISO text, and those that are missing as null."""
    values = json.loads(said)
    shown = {
        name: format_instant(value) if kind is AttributeType.TIME and value is not None else value
        for name, kind in attributes.items()
        for value in [values.get(name)]
    }
    return _written(shown)


def in_order() -> list[Column]:
    """By step; in it revokes, then changes, then the rest, each in the order of §1, then by class."""
    place = (
        f.when(f.col(CASE) == Case.REVOKE.value, f.lit(0))
        .when(f.col(CASE) == Case.CHANGE.value, f.lit(1))
        .otherwise(f.lit(2))
    )
    ids = f.transform(f.col("constituents"), lambda one: one["key"])
    return [f.col(AT), place, f.col(TIME), f.col("begin"), ids, f.col(CLASS), f.col(KEY), f.col(PUBLICATION)]
