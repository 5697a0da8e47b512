"""Announcements of a window become versions with the steps at which they hold, key by key (§5).

    announcements + what is known ─► by key to one worker ─► versions, remembered retractions, counts

One job for all classes: the attributes of each are a struct in a column of its own, which no worker looks into.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, functions as f, types as t

from ensue.model import AttributeType
from ensue.model.announcements import Announcement, Operation, Outcome
from ensue.spark.corrections.admission import Admission, Held, Said
from ensue.spark.corrections.announcing import (
    CHANGE,
    CLASS,
    DETECTED,
    KEY,
    OPERATION,
    RETRACT,
    SAID,
    TIME,
    Announced,
)
from ensue.spark.corrections.lifetimes import FROM, KEY as LIFETIME_KEY, OCCURRED, TO, TOUCHED, Lifetimes
from ensue.spark.programs.events import SPARK_TYPES
from ensue.spark.values import quoted
from ensue.time import to_datetime

STEP, SINCE, KIND, OUTCOME, COUNT = "step", "since", "kind", "outcome", "count"
VERSION, RETRACTED, COUNTED = "version", "retracted", "counted"
"""What a row of the answer is: a version, a retraction that is remembered, or how many announcements had an outcome."""

Snapshots = Mapping[str, Sequence[tuple[int, int]]]
"""By class the snapshots of a window: from which step each counts, and when it was detected."""

_READ = (CLASS, KEY, STEP, DETECTED, OPERATION, TIME, SAID, SINCE)


def event_type(one: Announced) -> t.StructType:
    fields = [t.StructField(name, SPARK_TYPES[kind]) for name, kind in one.attributes.items()]
    return t.StructType([*fields, t.StructField("__there", t.BooleanType())])


def admitted_type(classes: Sequence[Announced]) -> t.StructType:
    """The columns of what comes out."""
    texts, numbers = t.StringType(), t.LongType()
    fields: list[tuple[str, t.DataType]] = [
        (KIND, texts),
        (CLASS, texts),
        (KEY, texts),
        (FROM, numbers),
        (TO, numbers),
        (TOUCHED, t.BooleanType()),
        (DETECTED, numbers),
        (TIME, numbers),
        (SAID, texts),
        (OUTCOME, texts),
        (COUNT, numbers),
        *((one.column, event_type(one)) for one in classes),
    ]
    return t.StructType([t.StructField(name, kind) for name, kind in fields])


def admit(
    announced: DataFrame, known: DataFrame | None, classes: Sequence[Announced], snapshots: Snapshots | None = None
) -> DataFrame:
    """The versions of all events that are known, and what became of the announcements.

    `announced` has the step from which each counts; `known` are the versions that hold before, and the remembered
    retractions, as they came out of here.
    """
    events = [one.column for one in classes]
    new = announced.select(
        CLASS, KEY, STEP, DETECTED, OPERATION, TIME, SAID, f.lit(None).cast("bigint").alias(SINCE), *events
    )
    rows = new if known is None else new.unionByName(_as_rows(known, events))
    width = rows.sparkSession.conf.get("spark.sql.shuffle.partitions") or "2"
    placed = rows.repartition(int(width), CLASS, KEY).sortWithinPartitions(CLASS, KEY, STEP)
    judge = Judge({one.name: one for one in classes}, dict(snapshots or {}))
    return placed.mapInArrow(judge, admitted_type(classes))


def _as_rows(known: DataFrame, events: Sequence[str]) -> DataFrame:
    retracts = f.when(f.col(KIND) == RETRACTED, f.lit(RETRACT)).otherwise(f.lit(0))
    return known.select(
        CLASS,
        KEY,
        f.lit(None).cast("bigint").alias(STEP),
        DETECTED,
        retracts.alias(OPERATION),
        TIME,
        SAID,
        quoted(FROM).alias(SINCE),
        *events,
    )


def known_after(admitted: DataFrame) -> DataFrame:
    """What the next window has to know: the versions that hold, and the remembered retractions."""
    return admitted.where((f.col(KIND) == RETRACTED) | ((f.col(KIND) == VERSION) & quoted(TO).isNull()))


def lifetimes_of(admitted: DataFrame, one: Announced) -> Lifetimes:
    """The versions of one class's events."""
    mine = admitted.where((f.col(KIND) == VERSION) & (f.col(CLASS) == one.name))
    event = f.col(one.column)
    return Lifetimes(
        mine.select(
            f.col(KEY).alias(LIFETIME_KEY),
            FROM,
            TO,
            TOUCHED,
            f.timestamp_micros(TIME).alias(OCCURRED),
            *(event.getField(name).alias(name) for name in one.attributes),
        )
    )


@dataclass(frozen=True)
class Judge:
    """Runs in Spark's Python workers: the rows of a partition, sorted by class and key."""

    classes: Mapping[str, Announced]
    snapshots: Snapshots

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = list(batches)
        if not found:
            return
        table = pa.Table.from_batches(found)
        columns = zip(*(table.column(name).to_pylist() for name in _READ), strict=True)
        rows = [(place, *values) for place, values in enumerate(columns)]
        out = _Out(table, [one.column for one in self.classes.values()])
        for (name, key), together in groupby(rows, key=lambda row: (row[1], row[2])):
            self._judge(name, key, list(together), out)
        yield from out.batches()

    def _judge(self, name: str | None, key: str | None, rows: list[tuple[Any, ...]], out: _Out) -> None:
        one = self.classes.get(name or "")
        if one is None or key is None:
            out.count(Outcome.UNKNOWN_CLASS if one is None else Outcome.WITHOUT_KEY, name, len(rows))
            backwards = sum(row[4] != row[3] for row in rows)
            out.count(Outcome.BACKWARDS, name, backwards)
            return
        held: Held | None = None
        announced: list[Said] = []
        for place, _, _, step, detected, operation, time, said, since in rows:
            retracts = operation == RETRACT
            what = Said(
                since if step is None else step, detected, retracts, operation == CHANGE, time, said or "", place
            )
            if step is None:
                held = Held(what, since)
            else:
                announced.append(what)
        if one.name in self.snapshots:
            there = {(said.step, said.detected) for said in announced}
            missing = [pair for pair in self.snapshots[one.name] if pair not in there]
            announced += [Said(step, seen, True, False, None, "{}", -1, missing=True) for step, seen in missing]
        if not announced:
            if held is not None:
                out.keep(held, touched=False)
            return
        admission = Admission(_content(one, key))
        spans, after = admission.take(one.subscription, held, announced)
        out.versions(name, key, spans, held, after)
        for outcome, count in admission.outcomes.items():
            out.count(outcome, name, count)


class _Out:
    """The rows that go back to Spark."""

    def __init__(self, table: pa.Table, events: Sequence[str]) -> None:
        self._table, self._events = table, events
        self._rows: list[tuple[Any, ...]] = []
        self._places: list[int | None] = []
        self._counts: dict[tuple[str | None, Outcome], int] = {}
        self._names = table.column(CLASS), table.column(KEY)

    def count(self, outcome: Outcome, name: str | None, count: int) -> None:
        if count:
            self._counts[name, outcome] = self._counts.get((name, outcome), 0) + count

    def keep(self, held: Held, *, touched: bool) -> None:
        said = held.said
        name, key = (column[said.row].as_py() for column in self._names)
        kind = RETRACTED if said.retracts else VERSION
        self._add(kind, name, key, held.since, None, touched, said)

    def versions(self, name: str | None, key: str, spans: Sequence[Any], held: Held | None, after: Held | None) -> None:
        first = held.since if held is not None and not held.said.retracts else None
        touched = len(spans) != 1 or spans[0].since != first or spans[0].until is not None
        for span in spans:
            self._add(VERSION, name, key, span.since, span.until, touched, span.said)
        if after is not None and after.said.retracts:
            self._add(RETRACTED, name, key, after.since, None, False, after.said)

    def _add(
        self, kind: str, name: str | None, key: str, since: int, until: int | None, touched: bool, said: Said
    ) -> None:
        self._rows.append((kind, name, key, since, until, touched, said.detected, said.time, said.text, None, None))
        self._places.append(said.row if said.row >= 0 and not said.retracts else None)

    def batches(self) -> Iterator[pa.RecordBatch]:
        for (name, outcome), count in self._counts.items():
            self._rows.append((COUNTED, name, None, None, None, None, None, None, None, outcome.value, count))
            self._places.append(None)
        if not self._rows:
            return
        kinds = (
            [pa.string()] * 3 + [pa.int64()] * 2 + [pa.bool_()] + [pa.int64()] * 2 + [pa.string()] * 2 + [pa.int64()]
        )
        names = [KIND, CLASS, KEY, FROM, TO, TOUCHED, DETECTED, TIME, SAID, OUTCOME, COUNT]
        listed = list(zip(*self._rows, strict=True))
        columns = [pa.array(values, kind) for values, kind in zip(listed, kinds, strict=True)]
        taken = self._table.select(self._events).combine_chunks().take(pa.array(self._places, pa.int64()))
        answer = pa.Table.from_arrays([*columns, *taken.columns], names=[*names, *self._events])
        yield from answer.combine_chunks().to_batches()


def _content(one: Announced, key: str) -> Callable[[Said], int]:
    """The content hash of what was said, from its text. It is wanted for ties alone, so it may take its time."""

    def content(said: Said) -> int:
        values = {name.rpartition(" ")[0]: value for name, value in json.loads(said.text).items()}
        attributes = {name: _value(values.get(name), kind) for name, kind in one.attributes.items()}
        operation = Operation.RETRACT if said.retracts else Operation.ANNOUNCE
        return Announcement(one.name, key, said.time, said.detected, operation, attributes).content

    return content


def _value(value: Any, kind: AttributeType) -> Any:
    if value is None:
        return None
    match kind:
        case AttributeType.TIME:
            return to_datetime(int(value))
        case AttributeType.NUMBER:
            return float(value)
        case _:
            return value
