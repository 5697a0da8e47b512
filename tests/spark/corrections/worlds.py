"""Replays on Spark, as the command makes them, without its process."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensue.language.program import Program
from ensue.model.announcements import Announcement
from ensue.spark.corrections import replaying
from ensue.spark.corrections.publications import ENVELOPE, write_publications
from ensue.spark.corrections.recording import Names
from ensue.spark.corrections.running import SMALL, Course
from ensue.time import format_instant, to_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def as_line(one: Announcement) -> str:
    """An announcement as a line of a recording."""
    values = {name: value for name, value in one.attributes.items() if value is not None}
    row = {"type": one.type, "op": one.operation.value, "detected": format_instant(one.detected)}
    if one.time is not None:
        row["time"] = format_instant(one.time)
    return json.dumps({**row, **values}, default=lambda time: format_instant(to_instant(time)))


HERE, SPARK = SMALL, 0
"""Up to which size windows are made in this process: all that occur in tests, or none."""
IN_TURN = (HERE, SPARK), (SPARK, HERE)


def replayed(
    spark: SparkSession,
    base: Path,
    program: Program,
    said: Sequence[Announcement],
    until: int,
    size: int,
    small: tuple[int, int] = (HERE, HERE),
) -> list[dict[str, Any]]:
    """What a replay publishes, in windows of so many announcements, if it is interrupted in the middle.

    `small` says where windows are made before that, and where after it: each goes on with what the other has left.
    """
    file = base / "announced.jsonl"
    file.write_text("".join(f"{as_line(one)}\n" for one in said))
    course = Course(spark, program, base / "data", small=small[0])
    recording = replaying.record(spark, course, [str(file)], Names())
    before, replaying.SIZE = replaying.SIZE, size
    try:
        middle = recording.times[len(recording.times) // 2]
        replaying.replay(course, recording, until=middle)
        course = Course(spark, program, base / "data", small=small[1])  # as after a restart
        replaying.replay(course, recording, until=until)
    finally:
        replaying.SIZE = before
    return published(spark, base / "data")


def published(spark: SparkSession, data: Path) -> list[dict[str, Any]]:
    out = io.StringIO()
    write_publications(spark, data, out)
    return [as_judged(json.loads(line)) for line in out.getvalue().splitlines()]


def as_judged(one: dict[str, Any]) -> dict[str, Any]:
    """A written publication as the judge has it, with the attributes apart."""
    known = {name: one[name] for name in ENVELOPE if name in one}
    known["attributes"] = {name.removeprefix("?"): value for name, value in one.items() if name not in ENVELOPE}
    if one.get("replaces"):
        known["replaces"] = as_judged(one["replaces"])
    return known


def comparable(found: Sequence[dict[str, Any]]) -> list[str]:
    """By step, and in it revokes, changes and the rest; what comes first among those is not looked at."""
    places = {"revoke": 0, "change": 1}
    return sorted(f"{one['detected']} {places.get(one['case'], 2)} {json.dumps(one, sort_keys=True)}" for one in found)
