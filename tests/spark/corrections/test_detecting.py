"""Pattern classes under correction on Spark: a few windows by hand, and worlds through several windows and states."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from tests.engine.cases import SECOND
from tests.revisions.lives import held_by_definition, steps_of, windows
from tests.revisions.worlds import World
from tests.spark.corrections.shard_runs import Versions

from ensue.algebra.classes import PatternClass
from ensue.language import parse_program
from ensue.language.program import ComplexClass, Program
from ensue.model.announcements import Announcement, Clock, Operation, SubscribedClass
from ensue.model.values import Value
from ensue.revisions.stretches import Step
from ensue.spark.corrections.detecting import derive_detected, shard_key
from ensue.spark.corrections.lifetimes import Lifetimes, Window
from ensue.time import to_datetime, to_instant

CLASSES = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(nr TEXT, k TEXT, n INT) ID (nr);
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(nr TEXT, k TEXT, n INT, moment TIMESTAMP) ID (nr);
CREATE COMPLEX EVENT CLASS X({attributes}){key} AS DETECT {pattern} IN CONTEXT {context};
"""
_EVENT = "__key STRING, __from BIGINT, __to BIGINT, __touched BOOLEAN, occ TIMESTAMP, nr STRING, k STRING, n BIGINT"
_COLUMNS = {"A": _EVENT, "B": f"{_EVENT}, moment TIMESTAMP"}


def program(pattern: str, context: str = "recent", attributes: str = "k TEXT", key: str = "") -> Program:
    return parse_program(CLASSES.format(attributes=attributes, key=key, pattern=pattern, context=context))


def lifetimes(spark: SparkSession, versions: Versions, steps: Sequence[Step]) -> dict[str, Lifetimes]:
    """All versions, as admission gives them: those that nothing happens to are there too."""
    untouched = dict(versions.open)
    rows: dict[str, list[tuple[Any, ...]]] = {"A": [], "B": []}
    told = versions.window(steps)
    for event, _, _ in told:
        untouched.pop((event.type, event.id), None)
    for touched, some in ((True, told), (False, [(*one, None) for one in untouched.values()])):
        for event, since, until in some:
            values: Mapping[str, Value | None] = event.attributes
            names = ("k", "n", "moment") if event.type == "B" else ("k", "n")
            own = [values.get(name) for name in names]
            rows[event.type].append((event.id, since, until, touched, to_datetime(event.time), event.id, *own))
    return {name: Lifetimes(spark.createDataFrame(rows[name], _COLUMNS[name])) for name in rows}


def run(
    spark: SparkSession, text: Program, steps: Sequence[Step], cuts: Sequence[int], last: int, shards: int = 3
) -> list[Row]:
    """Everything that ever held, over several windows; the state goes from each to the next as rows."""
    (item,) = text.complex_classes
    versions, ended, state, before = Versions(), list[Row](), None, None
    for part, end in windows(steps, cuts, last):
        inputs = lifetimes(spark, versions, part)
        times = spark.createDataFrame([(now,) for now, _ in part], "step BIGINT")
        window = Window(part[0][0], end)
        found, after, _ = derive_detected(item, text, inputs, state, before, window, times, shards)
        ended += found.frame.where("__to IS NOT NULL").collect()
        before, state = again(found.open), again(after)
    assert before is not None
    return ended + before.collect()


def again(frame: DataFrame) -> DataFrame:
    """The same rows without what made them, as if they had been written and read."""
    return frame.sparkSession.createDataFrame(frame.collect(), frame.schema)


def at(rows: Sequence[Row], step: int) -> dict[str, tuple[Any, ...]]:
    held = [row for row in rows if row["__from"] <= step and (row["__to"] is None or step < row["__to"])]
    assert len({row["__key"] for row in held}) == len(held)
    return {row["__key"]: (row["__id"], instant(row["__begin"]), instant(row["occ"])) for row in held}


def instant(local: datetime) -> int:
    """Spark hands timestamps to Python in the machine's own time zone."""
    return to_instant(local.astimezone())


def world(item: ComplexClass, count: int, seed: int) -> World:
    """Much is late, changed, moved to another key, or retracted."""
    chance = random.Random(seed)
    told: list[Announcement] = []
    for number in range(count):
        now = number * SECOND
        time = now - chance.choice([0, 0, 0, 2, 5, -3]) * SECOND
        values: dict[str, Value | None] = {"k": chance.choice(["u", "u", "é"]), "n": chance.randrange(3)}
        told.append(Announcement(chance.choice("AB"), f"e{number}", time, now, Operation.ANNOUNCE, values))
        if chance.random() < 0.4:
            old = chance.choice(told)
            operation = chance.choice([Operation.CHANGE, Operation.CHANGE, Operation.RETRACT])
            moved = {"k": values["k"], "n": old.attributes.get("n")} if chance.random() < 0.5 else dict(old.attributes)
            shift = chance.choice([0, 0, 1, -2]) * SECOND
            told.append(Announcement(old.type, old.key, (old.time or 0) + shift, now, operation, moved))
    declared = PatternClass(item.declaration, item.pattern, item.context)
    return World((SubscribedClass("A"), SubscribedClass("B")), (declared,), (*told, Clock((count + 20) * SECOND)))


PATTERNS = {
    "by key": ("A(k = ?k) then B(k = ?k) within 6 seconds", "chronicle", ""),
    "a condition": ("A(k = ?k, n > 0) then B(k = ?k, n < 2) within 9 seconds", "all", ""),
    "a declared key": ("A(k = ?k, n = ?n) then B(k = ?k) within 9 seconds", "all", " ID (k)"),
    "no key": ("A(k = ?k) then B within 3 seconds", "continuous", ""),
    "a timer": ("A(k = ?k) + 3 seconds", "recent", ""),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_windows_on_spark_hold_what_the_definition_derives(spark: SparkSession, name: str) -> None:
    pattern, context, key = PATTERNS[name]
    text = program(pattern, context, key=key)
    (item,) = text.complex_classes
    small = world(item, 40, seed=len(name))
    rows = run(spark, text, steps_of(small), [19], 60 * SECOND)
    assert len(rows) > 10
    for step, held in held_by_definition(small).items():
        assert at(rows, step) == {e.key: (e.id, e.occurrence.begin, e.time) for e in held.values()}


def test_only_a_key_of_all_that_meets_cuts_into_shards() -> None:
    def key(pattern: str, declared: str = "") -> Mapping[str, tuple[str, ...]] | None:
        text = program(pattern, key=declared)
        found = shard_key(text.complex_classes[0], text)
        return found.routes if found else None

    assert key("A(k = ?k) then B(k = ?k) within 5 seconds") == {"A": ("k",), "B": ("k",)}
    assert key("A(k = ?k, n = ?n) then B(k = ?k, n = ?n) within 5 seconds", " ID (k)") == {"A": ("k",), "B": ("k",)}
    assert key("A(k = ?k, n = ?n) then B(n = ?n) within 5 seconds", " ID (k)") is None
    assert key("A(k = ?k) then B within 5 seconds") is None
    assert key("A(k = ?k) + 5 seconds") is None
