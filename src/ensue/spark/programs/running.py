"""A program as one streaming query: every source is read, every pattern runs, and each micro-batch goes to all tables.

    sources ─► events ─► detection ─► occurrences, late ─┐
                 └────── all, and those that are none ───┴─► foreachBatch ─► tables, sinks

One query has one checkpoint and one number for each micro-batch, so that all tables tell of the same events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession, functions as f

from ensue.algebra.bounds import check_legal
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Derived, Watched, Watchlist
from ensue.errors import Diagnostic, InputError, PatternError
from ensue.language.corrections import not_run_yet
from ensue.language.program import Program, SubscribedClass, used_classes
from ensue.spark.programs.claiming import claim
from ensue.spark.programs.damage import check_not_older
from ensue.spark.programs.events import CODE, ID, RAW, REASON, SPARK_TYPES, TIME, Shape, events_of
from ensue.spark.programs.frontier import Frontier
from ensue.spark.programs.sinks import Sink, sink_of
from ensue.spark.programs.sources import read
from ensue.spark.programs.tables import DAY, Tables, attribute_column, day_of
from ensue.spark.programs.tally import DUPLICATE, EVENT, LATE, OCCURRENCE, OPEN, UNUSABLE, Tally
from ensue.spark.sources import Source
from ensue.spark.streaming.output import Detection
from ensue.spark.streaming.running import Clocks, detect_stream, prepare
from ensue.spark.values import quoted
from ensue.spark.variables import CONSTITUENT, variable_columns

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_TABLES = {UNUSABLE: "rejects", DUPLICATE: "repeated"}
_NAMES = Names("__type", TIME, ID)
_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


class Stopped(Exception):  # noqa: N818  # not an error: it ends a query before a micro-batch has begun
    """The run is to end, and a micro-batch that has not begun does not begin."""


@dataclass(frozen=True)
class Run:
    """A program that is running."""

    query: StreamingQuery
    tally: Tally
    tables: Tables


def start(
    spark: SparkSession,
    program: Program,
    data: Path,
    *,
    base: Path | None = None,
    trigger: str | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> Run:
    """Start a program, or go on with it. Without a `trigger` it handles what is there, and ends.

    Paths in the program are meant from `base`. As soon as `stopping` says so, no further micro-batch begins.
    """
    check_runnable(program)
    place = base or Path()
    tables, checkpoint = Tables(data), (data / "checkpoint").resolve()
    tables.prepare()
    shards = claim(spark, program, data, place)
    check_not_older(data, tables.folder)
    prepare(spark)
    spark.conf.set(_POLICY, "min")  # Spark's default
    streams = _streams(spark, program, place)
    frontier = Frontier(checkpoint, tuple(streams))
    detection = _detection(program, streams, frontier, shards)
    everything = _everything(streams, detection)
    tally = Tally()
    handler = _Handler(program, frontier, detection, tables, _sinks(program, place, tables), tally, stopping)
    writer = (
        everything.writeStream.foreachBatch(handler)
        .queryName(f"ensue {data.resolve().name}")
        .option("checkpointLocation", str(checkpoint))
    )
    timed = writer.trigger(availableNow=True) if trigger is None else writer.trigger(processingTime=trigger)
    return Run(timed.start(), tally, tables)


def check_runnable(program: Program) -> None:
    """Everything about a program that cannot run, told together."""
    problems = not_run_yet(program)
    taxonomy = program.taxonomy
    fed = {item.declaration.name for item in program.subscribed_classes if item.source is not None}
    if not fed:
        hint = "FROM json OPTIONS (path '…') behind a subscribed class says where its events are"
        problems.append(Diagnostic("E434", "no class of the program says where its events come from", hint=hint))
    for item in program.subscribed_classes:
        name = item.declaration.name
        if fed and not fed & taxonomy.below(name):
            problems.append(
                Diagnostic(
                    "E434",
                    f"{name} does not say where its events come from, nor does a class under it",
                    hint="add FROM parquet|json|csv|kafka OPTIONS (…) to it",
                )
            )
    names = sorted(program.classes)
    for name in names:
        for ending in ("late", *_TABLES.values()):
            if f"{name}.{ending}" in program.classes:
                message = f"{name}.{ending} is the table of what {name} did not take, and cannot be a class too"
                problems.append(Diagnostic("E434", message, hint="give the class another name"))
    for one in program.complex_classes:
        name = one.declaration.name
        if one.declaration.key:
            message = f"{name} has a key, so a later occurrence replaces an earlier one: not in a stream yet"
            problems.append(Diagnostic("E411", message, hint="leave out its ID (…)"))
        try:
            check_legal(one.pattern, one.context)
        except PatternError as error:
            problems += [Diagnostic(p.code, f"{name}: {p.message}", hint=p.hint) for p in error.diagnostics]
    if problems:
        raise PatternError(problems)


def shape_of(program: Program, item: SubscribedClass) -> Shape:
    """Which attributes a class has, its time and its id; what a class does not say, the one above it may."""
    line = list(upwards(program, item))
    time = next((one.time for one in line if one.time), "time")
    key = next((one.declaration.key for one in line if one.declaration.key), ("id",))
    shape = Shape(program.attributes(item.declaration.name), time, key)
    if item.source is not None and item.source.format == "csv":
        undeclared = [name for name in shape.columns if name not in shape.attributes]
        if undeclared:
            name = item.declaration.name
            message = (
                f"{name}: the columns of a CSV file are the attributes in their order, and {undeclared[0]} is none"
            )
            hint = f"declare {undeclared[0]}, or say which attribute it is with TIME … and ID …"
            raise InputError(Diagnostic("E434", message, hint=hint))
    return shape


def delay_of(program: Program, item: SubscribedClass) -> int:
    """How late the events of a class may come, in microseconds; what it does not say, the class above it may."""
    return next((one.delay for one in upwards(program, item) if one.delay is not None), 0)


def upwards(program: Program, item: SubscribedClass) -> Iterator[SubscribedClass]:
    """A class, and those above it."""
    by_name = {one.declaration.name: one for one in program.subscribed_classes}
    one: SubscribedClass | None = item
    while one is not None:
        yield one
        one = by_name.get(one.declaration.parent or "")


@dataclass(frozen=True)
class _Stream:
    """The events of a class, usable or not, and how late they may come."""

    shape: Shape
    frame: DataFrame
    delay: int

    def source(self, name: str) -> Source:
        usable = self.frame.where(quoted(CODE).isNull())
        return Source(usable.drop(CODE, REASON, RAW), _NAMES, name)


def _streams(spark: SparkSession, program: Program, base: Path) -> dict[str, _Stream]:
    """By name, in an order that does not depend on the text: a checkpoint knows sources by their numbers."""
    found = {}
    for item in sorted(program.subscribed_classes, key=lambda one: one.declaration.name):
        if item.source is not None:
            name, shape = item.declaration.name, shape_of(program, item)
            raw = read(spark, name, item.source, shape.columns, base)
            found[name] = _Stream(shape, events_of(raw, shape), delay_of(program, item))
    return found


def _detection(program: Program, streams: Mapping[str, _Stream], frontier: Frontier, shards: int) -> Detection | None:
    classes = program.complex_classes
    if not classes:
        return None
    used = frozenset[str]().union(*(used_classes(item.pattern) for item in classes))
    derived = tuple(
        Derived(item.declaration.name, item.pattern, item.context, tuple(item.declaration.attributes))
        for item in classes
        if item.declaration.name in used
    )
    watched = tuple(Watched(item.declaration.name, item.pattern, item.context) for item in classes)
    watchlist = Watchlist(watched, True, program.taxonomy, derived)
    sources = [one.source(name) for name, one in streams.items()]
    clocks = Clocks([one.delay for one in streams.values()], frontier.times(sources[0].frame.sparkSession))
    return detect_stream(watchlist, sources, None, shards, clocks=clocks, counting=True)


def _everything(streams: Mapping[str, _Stream], detection: Detection | None) -> DataFrame:
    """All that a micro-batch has, in one frame: the columns of each kind of row lie in a column of their own."""
    parts = []
    for place, (name, stream) in enumerate(streams.items()):
        usable = quoted(CODE).isNull()
        event = f.struct(*(quoted(column) for column in (ID, TIME, *stream.shape.attributes)))
        parts.append(
            stream.frame.select(
                f.when(usable, f.lit(EVENT)).otherwise(f.lit(UNUSABLE)).alias("kind"),
                f.lit(name).alias("class"),
                f.when(usable, quoted(TIME)).alias("time"),
                quoted(CODE).alias("code"),
                quoted(REASON).alias("reason"),
                f.when(~usable, quoted(RAW)).alias("raw"),
                f.when(usable, event).alias(f"event{place}"),
            )
        )
    if detection is not None:
        all_rows = detection.everything
        refused = f.col("event")
        parts.append(
            all_rows.select(
                f.when(f.col("kind") == "reject", f.lit(UNUSABLE)).otherwise(f.col("kind")).alias("kind"),
                f.when(f.col("kind") == OPEN, f.col("code"))
                .otherwise(f.coalesce(refused["__type"], quoted("class")))
                .alias("class"),
                refused[TIME].alias("time"),
                "code",
                "reason",
                f.to_json(refused).alias("raw"),
                f.struct(*(quoted(column) for column in detection.columns)).alias("found"),
                refused[ID].alias("late_id"),
            )
        )
    return reduce(lambda one, two: one.unionByName(two, allowMissingColumns=True), parts)


@dataclass(frozen=True)
class _Handler:
    """Writes a micro-batch. It is kept while it is written: otherwise everything would run once for each table."""

    program: Program
    frontier: Frontier
    detection: Detection | None
    tables: Tables
    sinks: Mapping[str, Sink]
    tally: Tally
    stopping: Callable[[], bool]

    def __call__(self, batch: DataFrame, number: int) -> None:
        if self.stopping():
            raise Stopped
        batch.sparkSession.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        batch.persist()
        try:
            newest = f.unix_micros(f.max("time")).alias("newest")
            waiting = f.max(f.when(f.col("kind") == OPEN, f.col("reason").cast("bigint"))).alias("open")
            counted = batch.groupBy("kind", "class").agg(f.count("*").alias("rows"), newest, waiting).collect()
            found = {(row["kind"], row["class"]): row["rows"] for row in counted if row["kind"] != OPEN}
            for (kind, name), count in sorted(found.items()):
                self._write(batch, number, kind, name, count)
            if self.detection is not None:
                self.frontier.note(number, {row["class"]: row["newest"] for row in counted if row["kind"] == EVENT})
            self.tally.add(number, found, {row["class"]: row["open"] for row in counted if row["kind"] == OPEN})
        finally:
            batch.unpersist()

    def _write(self, batch: DataFrame, number: int, kind: str, name: str, count: int) -> None:
        mine = batch.where((f.col("kind") == kind) & (f.col("class") == name))
        if kind == EVENT:
            self.tables.publish(name, number, self._events(mine, name), count)
        elif kind == OCCURRENCE:
            rows = self._occurrences(mine, name)
            self.tables.publish(name, number, rows, count)
            if name in self.sinks:
                self.sinks[name](rows, number, count)
        elif kind == LATE:
            self.tables.publish(f"{name}.late", number, _late(mine), count)
        else:
            table = f"{name}.{_TABLES[kind]}"
            self.tables.publish(table, number, mine.select("class", "code", "reason", "raw"), count)

    def _events(self, mine: DataFrame, name: str) -> DataFrame:
        event = f.col(f"event{self.frontier.classes.index(name)}")
        time = event[TIME]
        return mine.select(
            event[ID].alias("id"),
            "class",
            time.alias("begin"),
            time.alias("end"),
            time.alias("detected"),
            f.lit(1).alias("version"),
            *(event[column].alias(attribute_column(column)) for column in self.program.attributes(name)),
            f.array().cast(f"array<{CONSTITUENT.simpleString()}>").alias("constituents"),
            day_of(time).alias(DAY),
        )

    def _occurrences(self, mine: DataFrame, name: str) -> DataFrame:
        found = f.col("found")
        declared = self.program.classes[name].attributes
        columns = self._variables()
        return mine.select(
            *(found[column].alias(column) for column in ("id", "class", "begin", "end", "detected")),
            f.lit(1).alias("version"),
            *(
                found[columns[variable]].cast(SPARK_TYPES[kind]).alias(attribute_column(variable))
                for variable, kind in declared.items()
            ),
            found["constituents"].alias("constituents"),
            day_of(found["end"]).alias(DAY),
        )

    def _variables(self) -> dict[str, str]:
        """The columns of all variables, by their names."""
        if self.detection is None:
            return {}
        from ensue.algebra import scope

        names = sorted(set[str]().union(*(scope(item.pattern).sometimes for item in self.program.complex_classes)))
        return dict(zip(names, variable_columns(names), strict=True))


def _late(mine: DataFrame) -> DataFrame:
    time = f.col("time")
    return mine.select(
        f.col("late_id").cast("string").alias("id"),
        "class",
        time.alias("begin"),
        time.alias("end"),
        "code",
        "reason",
        day_of(time).alias(DAY),
    )


def _sinks(program: Program, base: Path, tables: Tables) -> dict[str, Sink]:
    return {
        item.declaration.name: sink_of(item.declaration.name, item.sink, base, tables)
        for item in program.complex_classes
        if item.sink is not None
    }
