"""A replay: recorded announcements in the order in which they were detected, with the clock set by the data.

They are read once, put in order and kept beside the tables; then they go through the windows, as they would live. A
replay that was interrupted goes on where it was.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from pyarrow.dataset import Dataset, dataset, field
from pyspark.sql import DataFrame, Observation, SparkSession, functions as f

from ensue.errors import Diagnostic, InputError, StateError
from ensue.files.opening import FileKind
from ensue.spark.corrections.admitting import STEP
from ensue.spark.corrections.announcing import CLASS, DETECTED
from ensue.spark.corrections.lifetimes import Window
from ensue.spark.corrections.making import Batch
from ensue.spark.corrections.recording import Names, about_files, place_of, recorded
from ensue.spark.corrections.running import Course
from ensue.spark.programs import kept
from ensue.spark.programs.events import CODE, RAW, REASON

if TYPE_CHECKING:
    import pyarrow as pa

    from ensue.language.program import Program

SIZE = 50_000
"""So many announcements make a window, unless the grid cuts it before."""
_PACE = 5_000_000
"""With a speed, a window is no longer than this much of the present time."""
_ROW_GROUP = str(4 << 20)


@dataclass(frozen=True, slots=True)
class Bad:
    """A row that cannot be used: where it stands, why, and what it says."""

    code: str
    reason: str
    raw: str
    file: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Recording:
    """Announcements in order of detection: how many there are at each time, and which of them are snapshots."""

    frame: DataFrame
    files: Dataset
    """What the frame is read from, with the rows that cannot be used."""
    times: list[int]
    counts: list[int]
    snapshots: dict[str, list[int]]

    def batch(self, low: int, high: int) -> Batch:
        """The announcements of some of its times, by their places."""
        times = self.times[low:high]
        here = self.frame.where(f.col(DETECTED).between(times[0], times[-1])).withColumn(STEP, f.col(DETECTED))
        snapshots = {name: [(one, one) for one in seen] for name, seen in self.snapshots.items()}
        return Batch(here, tuple(times), snapshots, size=sum(self.counts[low:high]), here=self._here)

    def _here(self, window: Window) -> pa.Table:
        then = field(DETECTED)
        inside = (then >= window.first) & (then <= window.last) & field(CODE).is_null()
        found = self.files.to_table(filter=inside)
        return found.append_column(STEP, found.column(DETECTED))

    @property
    def total(self) -> int:
        return sum(self.counts)


def prepare(program: Program, data: Path, files: Sequence[str], names: Names, shards: int) -> int:
    """See to it that the data folder is one of this replay; over how many shards its keys are spread."""
    about = data / "corrections" / "replay.json"
    said: dict[str, Any] = {
        "files": [[str(Path(name).resolve()), Path(name).stat().st_size] for name in files],
        "names": [sorted([name, *map(str, column)] for name, column in names.columns.items()), names.of_class],
    }
    before = kept.load(data)
    if before is None:
        kept.save(data, kept.Kept(program, {}, shards))
    elif not about.exists():
        hint = "give the replay a folder of its own with --data"
        raise InputError(Diagnostic("E507", f"{data} belongs to a live run, and a replay is none", hint=hint))
    else:
        kept.check_same(before, program, before.paths, data)
        if json.loads(about.read_text("utf-8")) != said:
            message = f"{data} belongs to a replay of other files, or of files that have changed"
            raise StateError(Diagnostic("E507", message, hint="give this one another folder with --data"))
    about.parent.mkdir(parents=True, exist_ok=True)
    new = about.with_suffix(".new")
    new.write_text(json.dumps(said), "utf-8")
    new.replace(about)
    return shards if before is None else before.shards


def record(
    spark: SparkSession,
    course: Course,
    files: Sequence[str],
    names: Names,
    *,
    kind: FileKind | None = None,
    reject: Callable[[Sequence[Bad]], None] | None = None,
) -> Recording:
    """Read the files, unless that was done; the first row that cannot be used ends it, or all are set aside."""
    place = course.keeping.data / "corrections" / "announcements"
    if not place.exists():
        with course.keeping.writing() as aside, about_files(files, kind):
            seen = Observation()
            found = recorded(spark, files, course.classes, names, kind)
            bad = f.sum(f.when(f.col(CODE).isNotNull(), 1))
            ordered = found.observe(seen, bad.alias("bad")).orderBy(DETECTED)
            ordered.write.option("parquet.block.size", _ROW_GROUP).parquet(str(aside / "found"))
            if count := seen.get["bad"]:
                _refuse(spark.read.parquet(str(aside / "found")), count, files, kind, reject)
            os.rename(aside / "found", place)  # noqa: PTH104  # of the two spellings this one says what is meant
    frame = spark.read.parquet(str(place)).where(f.col(CODE).isNull()).drop(CODE, REASON, RAW)
    snapshots = [one.name for one in course.classes if one.snapshots]
    shown = [f.count(f.when(f.col(CLASS) == name, 1)).alias(f"of {name}") for name in snapshots]
    rows = frame.groupBy(DETECTED).agg(f.count("*").alias("count"), *shown).orderBy(DETECTED).collect()
    return Recording(
        frame,
        dataset(place, format="parquet"),
        [row[DETECTED] for row in rows],
        [row["count"] for row in rows],
        {name: [row[DETECTED] for row in rows if row[f"of {name}"]] for name in snapshots},
    )


def _refuse(
    found: DataFrame,
    count: int,
    files: Sequence[str],
    kind: FileKind | None,
    reject: Callable[[Sequence[Bad]], None] | None,
) -> None:
    bad = found.where(f.col(CODE).isNotNull()).select(CODE, REASON, RAW)
    if reject is not None:
        reject([Bad(row[CODE], row[REASON], row[RAW], *place_of(row[RAW], files, kind)) for row in bad.collect()])
        return
    row = bad.first()
    if row is None:
        raise AssertionError("a row that cannot be used was counted")
    file, line = place_of(row[RAW], files, kind)
    more = f"{count - 1:,} more row{'s' if count > 2 else ''} cannot be used either; " if count > 1 else ""
    hint = f"{more}with --rejects FILE such rows are set aside and the replay goes on"
    raise InputError(Diagnostic(row[CODE], row[REASON], file, line, hint=hint))


def replay(
    course: Course,
    recording: Recording,
    *,
    until: int | None = None,
    speed: float | None = None,
    progress: Callable[[int], None] = lambda _count: None,
    stop: Event | None = None,
) -> None:
    """Take the recording through all windows up to a time, by default that of the last announcement.

    As soon as `stop` is set, no further window begins.
    """
    asked = stop or Event()
    end = until if until is not None else (recording.times[-1] if recording.times else 0)
    began, first = monotonic(), recording.times[0] if recording.times else 0
    done = bisect_right(recording.times, course.about.last) if course.about is not None else 0
    count = sum(recording.counts[:done])
    progress(count)
    for low, high in cut(recording, course, done, bisect_right(recording.times, end), speed):
        times = recording.times[low:high]
        if speed is not None:
            asked.wait(max(0.0, began + (times[-1] - first) / 1_000_000 / speed - monotonic()))
        if asked.is_set():
            return
        batch = recording.batch(low, high)
        course.go(batch, times[-1])
        count += batch.size
        progress(count)
    if not asked.is_set():
        course.go(None, end)


def cut(recording: Recording, course: Course, low: int, high: int, speed: float | None) -> Iterator[tuple[int, int]]:
    """Where windows begin and end among the detection times: at the grid, and before they become too large."""
    begin, size = low, 0
    longest = None if speed is None else int(_PACE * speed)
    for place in range(low, high):
        time, first = recording.times[place], recording.times[begin]
        long = longest is not None and time - first > longest
        if place > begin and (size >= SIZE or time > course.grid.end(first) or long):
            yield begin, place
            begin, size = place, 0
        size += recording.counts[place]
    if begin < high:
        yield begin, high
