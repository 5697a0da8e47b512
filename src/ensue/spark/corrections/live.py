"""A program with corrections, live: every micro-batch is a window or several, and what is due falls due by itself.

    sources ─► announcements ─► foreachBatch ─► kept as they came, with the time of the clock ─► windows

What a micro-batch holds, and what the clock said, is written down before anything is done with it: whoever is killed
makes the same windows again. While nothing comes, a thread looks at the clock, and makes the steps that are due.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread
from time import time_ns
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession, functions as f

from ensue.errors import Diagnostic, InputError
from ensue.spark.corrections.admitting import STEP
from ensue.spark.corrections.announcing import (
    CLASS,
    DETECTED,
    OP,
    Announced,
    announcements,
    union,
)
from ensue.spark.corrections.correctable import check_correctable
from ensue.spark.corrections.in_step import bring_in_step
from ensue.spark.corrections.making import Batch
from ensue.spark.corrections.running import Course
from ensue.spark.programs.claiming import claim
from ensue.spark.programs.events import CODE, RAW, REASON, columns_of
from ensue.spark.programs.running import Stopped
from ensue.spark.programs.sinks import Sink, sink_of
from ensue.spark.programs.sources import KAFKA_TIME, read
from ensue.spark.programs.tables import Tables
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

    from ensue.language.program import Program

_LOOK = 0.5
"""So many seconds lie between two looks at the clock."""
_KEPT = 3


def now() -> int:
    """The time of the machine's clock, in microseconds."""
    return time_ns() // 1000


@dataclass(frozen=True)
class Live:
    """A program with corrections that is running."""

    query: StreamingQuery
    course: Course
    failed: list[BaseException]
    """What went wrong in the thread that looks at the clock."""
    over: Event
    watch: Thread | None = None

    def end(self) -> None:
        """Let the thread finish what it is doing."""
        self.over.set()
        if self.watch is not None:
            self.watch.join()


def start(
    spark: SparkSession,
    program: Program,
    data: Path,
    *,
    base: Path | None = None,
    trigger: str | None = None,
    stopping: Callable[[], bool] = lambda: False,
    clock: Callable[[], int] = now,
) -> Live:
    """Start a program with corrections, or go on with it. Without a `trigger` it handles what is there, and ends."""
    check_live(program)
    place = base or Path()
    Tables(data).prepare()
    _refuse_a_replay(data)
    shards = claim(spark, program, data, place)
    course = Course(spark, program, data, shards=shards, sinks=_sinks(program, place, Tables(data)))
    _go_on_falling_due(course)
    bring_in_step(data / "checkpoint")
    lock, over, failed = Lock(), Event(), list[BaseException]()
    handler = _Handler(course, lock, stopping, clock)
    writer = (
        _announced(spark, program, place, course.classes)
        .writeStream.foreachBatch(handler)
        .queryName(f"ensue {data.resolve().name}")
        .option("checkpointLocation", str((data / "checkpoint").resolve()))
    )
    timed = writer.trigger(availableNow=True) if trigger is None else writer.trigger(processingTime=trigger)
    query = timed.start()
    running = Live(query, course, failed, over)
    if trigger is None:
        return running
    watch = Thread(target=_watch, args=(running, lock, stopping, clock), daemon=True)
    watch.start()
    return replace(running, watch=watch)


def check_live(program: Program) -> None:
    """Everything about a program with corrections that cannot run live."""
    check_correctable(program)
    fed = {item.declaration.name for item in program.subscribed_classes if item.source is not None}
    for item in program.subscribed_classes:
        name = item.declaration.name
        if not fed & program.taxonomy.below(name):
            hint = "add FROM parquet|json|csv|kafka OPTIONS (…) to it; or replay files: ensue run … --replay FILE"
            message = f"{name} does not say where its events come from, nor does a class under it"
            raise InputError(Diagnostic("E434", message, hint=hint))


def _announced(spark: SparkSession, program: Program, base: Path, classes: tuple[Announced, ...]) -> DataFrame:
    """What all sources announce; the detection time is null where the source has none."""
    parts = []
    sources = {item.declaration.name: item.source for item in program.subscribed_classes}
    for one in classes:
        connection = sources[one.name]
        if connection is None:
            continue
        raw = read(spark, one.name, connection, one.shape.columns, base)
        also = [] if connection.format == "csv" else [OP, DETECTED]
        frame, broken = columns_of(raw, list(dict.fromkeys([*one.shape.columns, *also])))
        detected = f.lit(None).cast("bigint")
        if connection.format == "kafka":
            detected = f.unix_micros(KAFKA_TIME)
        parts.append(announcements(frame, broken, [one], classes, of_class=one.name, detected=detected))
    return union(parts)


@dataclass(frozen=True)
class _Handler:
    """Takes a micro-batch through its windows."""

    course: Course
    lock: Lock
    stopping: Callable[[], bool]
    clock: Callable[[], int]

    def __call__(self, batch: DataFrame, number: int) -> None:
        if self.stopping():
            raise Stopped
        with self.lock:
            said = self._written_down(batch, number)
            self._take(number, said["now"], said["after"])
            _forget(self._folder, number)

    @property
    def _folder(self) -> Path:
        return self.course.keeping.data / "corrections" / "batches"

    def _written_down(self, batch: DataFrame, number: int) -> dict[str, Any]:
        """What came, and when: as it was the first time, if this is not the first."""
        place = self._folder / str(number)
        if not place.exists():
            with self.course.keeping.writing() as aside:
                batch.write.parquet(str(aside / "rows"))
                after = self.course.about.last if self.course.about is not None else None
                (aside / "clock.json").write_text(json.dumps({"now": self.clock(), "after": after}), "utf-8")
                place.parent.mkdir(parents=True, exist_ok=True)
                os.rename(aside, place)  # noqa: PTH104  # of the two spellings this one says what is meant
        found: dict[str, Any] = json.loads((place / "clock.json").read_text("utf-8"))
        return found

    def _take(self, number: int, clock: int, after: int | None) -> None:
        spark = self.course.spark
        rows = spark.read.parquet(str(self._folder / str(number) / "rows"))
        detected = f.least(f.coalesce(f.col(DETECTED), f.lit(clock)), f.lit(clock))
        step = detected if after is None else f.greatest(detected, f.lit(after + 1))
        every = (
            rows.withColumn("__wrong", quoted(CODE).isNotNull())
            .withColumn("__future", f.coalesce(f.col(DETECTED) > f.lit(clock), f.lit(False)))
            .withColumn(STEP, step)
            .withColumn(DETECTED, detected)
        )
        measures = f.count_if("__future").alias("future"), f.count("*").alias("rows")
        seen = every.groupBy("__wrong", CLASS, STEP, DETECTED).agg(*measures).collect()
        wrong: Counter[str] = Counter()
        for row in seen:
            wrong.update({row[CLASS]: row["rows"]} if row["__wrong"] else {})
        self._reject(number, rows, wrong)
        counted = [row for row in seen if not row["__wrong"]]
        if not counted:
            return
        shown = {one.name for one in self.course.classes if one.snapshots}
        snapshots: dict[str, list[tuple[int, int]]] = {name: [] for name in shown}
        for row in counted:
            if row[CLASS] in shown:
                snapshots[row[CLASS]].append((row[STEP], row[DETECTED]))
        steps = sorted({row[STEP] for row in counted})
        future, size = (sum(row[name] for row in counted) for name in ("future", "rows"))
        frame = every.where(~f.col("__wrong")).drop(CODE, REASON, RAW, "__future", "__wrong")
        self.course.go(Batch(frame, tuple(steps), snapshots, future, size), steps[-1])

    def _reject(self, number: int, rows: DataFrame, wrong: Counter[str]) -> None:
        """What cannot be used goes to a table of its class, with the reason."""
        for name, count in wrong.items():
            mine = rows.where(quoted(CODE).isNotNull() & (f.col(CLASS) == name))
            told = mine.select(
                CLASS, quoted(CODE).alias("code"), quoted(REASON).alias("reason"), quoted(RAW).alias("raw")
            )
            self.course.tables.publish(f"{name}.rejects", number, told, count)


def _watch(running: Live, lock: Lock, stopping: Callable[[], bool], clock: Callable[[], int]) -> None:
    """Make the steps that are due while nothing comes. What waits to be read goes first: it was detected before."""
    query, course = running.query, running.course
    while not running.over.wait(_LOOK) and not stopping() and query.isActive:
        status = query.status
        idle = not status["isTriggerActive"] and not status["isDataAvailable"]
        due = course.about.due if course.about is not None else None
        if not idle or not status["message"].startswith("Waiting") or due is None or due > clock():
            continue
        try:
            with lock:
                fall_due(course, clock())
        except Exception as error:  # noqa: BLE001  # it is told by whoever follows the run
            running.failed.append(error)
            query.stop()
            return


def fall_due(course: Course, now: int) -> None:
    """Make the steps that are due, and note first how far: if it is killed, just these are made again."""
    note = _note(course)
    new = note.with_suffix(".new")
    new.write_text(json.dumps({"now": now}), "utf-8")
    new.replace(note)
    course.go(None, now)


def _go_on_falling_due(course: Course) -> None:
    """Sinks may have been told already what is due: before anything else comes, that is done as it was begun."""
    if _note(course).exists() and course.about is not None:
        course.go(None, json.loads(_note(course).read_text("utf-8"))["now"])


def _note(course: Course) -> Path:
    return course.keeping.data / "corrections" / "due.json"


def _forget(folder: Path, number: int) -> None:
    for path in folder.iterdir():
        if path.name.isdigit() and int(path.name) <= number - _KEPT:
            shutil.rmtree(path, ignore_errors=True)


def _sinks(program: Program, base: Path, tables: Tables) -> Mapping[str, Sink]:
    found = {}
    for item in program.derived_classes:
        if item.sink is not None:
            name = item.declaration.name
            sink = sink_of(name, item.sink, base, tables, key="key")  # ids change with what an event is made of
            found[name] = _plain(sink) if item.sink.format == "csv" else sink
    return found


def _plain(sink: Sink) -> Sink:
    """CSV has no lists: what is one goes there as JSON."""

    def write(rows: DataFrame, batch: int, count: int) -> None:
        sink(rows.withColumn("why", f.to_json("why")).withColumn("replaces", f.to_json("replaces")), batch, count)

    return write


def _refuse_a_replay(data: Path) -> None:
    if (data / "corrections" / "replay.json").exists():
        message = f"{data} belongs to a replay, and a live run is none"
        raise InputError(Diagnostic("E507", message, hint="give the run a folder of its own with --data"))
