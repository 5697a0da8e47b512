"""Announcements of windows, cut anywhere, are judged on Spark as the reference judges them all at once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from pyspark.sql import functions as f

from ensue.language import parse_program
from ensue.model import Value
from ensue.model.announcements import Announcement, Operation, Outcome
from ensue.reference.versions import admit as judged, current, timeline
from ensue.spark.corrections.admitting import COUNTED, VERSION, admit, known_after
from ensue.spark.corrections.announcing import announced_classes, announcements, columns_read
from ensue.spark.corrections.lifetimes import FROM, TO, TOUCHED
from ensue.spark.programs.events import columns_of
from ensue.spark.programs.sources import Raw

PROGRAM = parse_program(
    """
    CREATE MUTABLE SUBSCRIBED EVENT CLASS A(k TEXT, v INT, w DOUBLE, ID (k)) LIFESPAN 6 seconds;
    CREATE MUTABLE SUBSCRIBED EVENT CLASS B(k TEXT, v INT, b BOOLEAN, ID (k));
    CREATE SUBSCRIBED EVENT CLASS C(k TEXT, t TIMESTAMP, ID (k));
    """
)
CLASSES = announced_classes(PROGRAM)
SECOND = 1_000_000
WORDS = {Operation.ANNOUNCE: "announce", Operation.CHANGE: "update", Operation.RETRACT: "retract"}


@st.composite
def said(draw: st.DrawFn) -> Announcement:
    name = draw(st.sampled_from("ABC"))
    number = draw(st.integers(0, 2))
    every: dict[str, dict[str, Value | None]] = {
        "A": {"v": draw(st.integers(0, 1)), "w": draw(st.sampled_from([0.0, -0.0, 1.5, None]))},
        "B": {"v": number, "b": draw(st.sampled_from([True, False, None]))},
        "C": {"t": datetime(2026, 1, 1, 0, 0, number, tzinfo=UTC)},
    }
    key = draw(st.sampled_from(["x", "x", "y", None]))
    time = draw(st.sampled_from([0, 1, 2, 5, 9, None]))
    return Announcement(
        name,
        key,
        None if time is None else time * SECOND,
        draw(st.integers(0, 12)) * SECOND,
        draw(st.sampled_from([Operation.ANNOUNCE, Operation.CHANGE, Operation.CHANGE, Operation.RETRACT])),
        {"k": key, **every[name]},
    )


def as_row(one: Announcement) -> dict[str, object]:
    shown = {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in one.attributes.items()
    }
    time = None if one.time is None else one.time / 1000
    return {"type": one.type, "op": WORDS[one.operation], "time": time, "detected": one.detected / 1000, **shown}


def announced_frame(spark, found: list[Announcement]):
    columns = columns_read(CLASSES)
    rows = [{name: None if (v := as_row(one).get(name)) is None else _text(v) for name in columns} for one in found]
    frame = spark.createDataFrame(rows, ", ".join(f"`{name}` STRING" for name in columns))
    typed, broken = columns_of(Raw(frame), columns)
    return announcements(typed, broken, CLASSES, CLASSES)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# to shrink what fails would take Spark minutes
@settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.lists(said(), min_size=1, max_size=25), st.integers(0, 12))
def test_windows_are_judged_as_by_the_reference(spark, found, cut):
    found = sorted(found, key=lambda one: one.detected)
    classes = {one.name: one.subscription for one in CLASSES}
    admitted, counts = judged(classes, timeline(found))
    frame = announced_frame(spark, found).withColumn("step", f.col("detected"))
    assert frame.where("__code IS NOT NULL").count() == 0
    known, steps = None, {}
    outcomes: Counter[Outcome] = Counter()
    for first, last in ((0, cut * SECOND), (cut * SECOND + 1, 12 * SECOND)):
        rows = admit(frame.where(f.col("step").between(first, last)), known, CLASSES).localCheckpoint()
        known = known_after(rows)
        for row in rows.where(f.col("kind") == COUNTED).collect():
            outcomes[Outcome(row.outcome)] += row["count"]
        versions = rows.where(f.col("kind") == VERSION).collect()
        touched = {(row["class"], row.key): row[TOUCHED] for row in versions}
        for row in versions:
            inside = [step for step in (row[FROM], row[TO]) if step is not None and first <= step <= last]
            assert touched[row["class"], row.key] or not inside
            steps[row["class"], row.key, row[FROM]] = (row[TO], row.time)
    assert outcomes == counts
    for step in range(13):
        now = step * SECOND
        here = {
            (name, key, time)
            for (name, key, since), (until, time) in steps.items()
            if since <= now and (until is None or now < until)
        }
        assert here == {(event.type, event.id, event.time) for event in current(admitted, now)}
