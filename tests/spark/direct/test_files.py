"""Which frames are files that workers read themselves, what they find there, and what they say of bad rows."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as f

import ensue

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame

START = datetime(2026, 7, 10, 9, tzinfo=UTC)
PASSES = "Enter(badge = ?b, speed < 20) then Leave(badge = ?b) within 2 minutes"


def history(count: int = 120) -> list[dict[str, Any]]:
    return [
        {
            "type": ("Enter", "Leave", "Look")[i % 3],
            "time": START + timedelta(seconds=7 * i),
            "id": i,
            "badge": f"b{i % 5}",
            "speed": i % 23,
            "door": None if i % 4 == 0 else i % 3,
        }
        for i in range(count)
    ]


def table(rows: list[dict[str, Any]] | None = None) -> pa.Table:
    kinds = {"type": pa.string(), "time": pa.timestamp("us", "UTC"), "id": pa.int64(), "badge": pa.string()}
    kinds |= {"speed": pa.int32(), "door": pa.float64()}
    return pa.Table.from_pylist(rows or history(), schema=pa.schema(kinds.items()))


def write(folder: Path, whole: pa.Table | None = None, files: int = 3) -> str:
    """Files that are not in the order of time, with several row groups each."""
    whole = table() if whole is None else whole
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        rows = pa.array([row for row in range(len(whole)) if row % files == number], pa.int64())
        pq.write_table(whole.take(rows), folder / f"{files - number}.parquet", row_group_size=11)
    return str(folder)


def ids(frame: DataFrame) -> list[str]:
    return sorted(row["id"] for row in frame.select("id").collect())


def expected(pattern: str, context: str = "recent", rows: list[dict[str, Any]] | None = None) -> list[str]:
    return sorted(finding.id for finding in ensue.detect(pattern, rows or history(), context))


def is_direct(frame: DataFrame, capsys: pytest.CaptureFixture[str]) -> bool:
    capsys.readouterr()
    frame.explain()
    plan = capsys.readouterr().out
    assert ("MapInArrow Reading" in plan) != ("Scan" in plan)
    return "MapInArrow Reading" in plan


@pytest.mark.parametrize(
    "pattern",
    [
        PASSES,
        "Enter(badge = ?b, door = ?d) then Leave(badge = ?b, door = ?d) within 10 minutes",
        "Enter(speed = ?s) then Leave(door = ?s) within 10 minutes",
        "Enter(badge = ?b, speed > 3) then Enter(badge = ?b, speed <= 3) within 5 minutes",
        "2 times Look(badge = ?b, time = ?t) within 2 minutes",
        "Enter(id = ?i) then Leave within 8 seconds",
        "Enter(nothing is null, badge like 'b%') then Leave(nothing = 1) within 1 minute",
        "Leave(badge = ?b) without Enter(badge = ?b) then Leave(badge = ?b) within 1 hour",
    ],
)
@pytest.mark.parametrize("context", ["continuous", "chronicle"])
def test_workers_read_plain_files(spark, tmp_path, capsys, pattern, context):
    found = ensue.detect(pattern, spark.read.parquet(write(tmp_path / "a b%20c")), context)
    assert is_direct(found, capsys)
    assert ids(found) == expected(pattern, context)


def test_what_spark_has_written(spark, tmp_path, capsys):
    spark.createDataFrame(table()).repartition(3).write.parquet(str(tmp_path / "events"))
    found = ensue.detect(PASSES, spark.read.parquet(str(tmp_path / "events")))
    assert is_direct(found, capsys)
    assert ids(found) == expected(PASSES) != []


def test_one_frame_for_each_class(spark, tmp_path, capsys):
    frames = {}
    for name in ("Enter", "Leave"):
        some = table([row for row in history() if row["type"] == name]).drop_columns(["type"])
        some = some if name == "Enter" else some.drop_columns(["speed"])
        frames[name] = spark.read.parquet(write(tmp_path / name, some))
    found = ensue.detect(PASSES, frames, attributes=["speed"])
    assert ids(found) == expected(PASSES)
    assert is_direct(ensue.detect(PASSES, frames), capsys)
    frames["Leave"] = frames["Leave"].withColumn("badge", frames["Leave"].badge)
    assert not is_direct(ensue.detect(PASSES, frames), capsys)
    assert ids(ensue.detect(PASSES, frames)) == expected(PASSES)


@pytest.mark.parametrize("kind", [pa.timestamp("ms", "UTC"), pa.timestamp("us"), pa.int64(), pa.string()])
def test_times_of_every_kind(spark, tmp_path, capsys, kind):
    whole = table()
    times = whole.column("time")
    if kind == pa.int64():
        times = times.cast(pa.timestamp("ms", "UTC"))
    elif kind == pa.string():
        times = pa.array([time.isoformat() for time in times.to_pylist()])
    whole = whole.set_column(1, "time", times.cast(kind))
    found = ensue.detect(PASSES, spark.read.parquet(write(tmp_path / "events", whole)))
    assert is_direct(found, capsys)
    assert ids(found) == expected(PASSES)


def _partitioned(spark, folder):
    spark.createDataFrame(table()).write.partitionBy("badge").parquet(str(folder))
    return spark.read.parquet(str(folder))


def _differing(spark, folder):
    rows = history()
    write(folder / "one", table(rows[:60]))
    write(folder / "two", table(rows[60:]).set_column(4, "speed", pa.array([row["speed"] for row in rows[60:]])))
    return (
        spark.read.option("mergeSchema", "false")
        .schema("type string, time timestamp, id long, badge string, speed int, door double")
        .parquet(str(folder / "one"), str(folder / "two"))
    )


def _nanoseconds(spark, folder):
    pq.write_table(table(), folder.with_suffix(".parquet"), use_deprecated_int96_timestamps=True)
    return spark.read.parquet(str(folder.with_suffix(".parquet")))


def _decimals(spark, folder):
    whole = table()
    whole = whole.set_column(4, "speed", whole.column("speed").cast(pa.decimal128(12, 2)))
    return spark.read.parquet(write(folder, whole))


def _view(spark, folder):
    spark.read.parquet(write(folder)).createOrReplaceTempView("passes")
    return spark.table("passes")


def _as_json(spark, folder):
    spark.createDataFrame(table()).write.json(str(folder))
    return spark.read.schema("type string, time timestamp, id long, badge string, speed int").json(str(folder))


LEFT_TO_SPARK = {
    "partitioned": _partitioned,
    "with a condition": lambda spark, folder: spark.read.parquet(write(folder)).where("id >= 0"),
    "with a column that was made": lambda spark, folder: spark.read.parquet(write(folder)).withColumn("x", f.lit(1)),
    "a view": _view,
    "lenient": lambda spark, folder: spark.read.option("ignoreMissingFiles", "true").parquet(write(folder)),
    "timestamps of unknown origin": _nanoseconds,
    "decimals": _decimals,
    "other files": _as_json,
    "with an option that changes what is read": lambda spark, folder: spark.read.option(
        "datetimeRebaseMode", "LEGACY"
    ).parquet(write(folder)),
}


@pytest.mark.parametrize("name", LEFT_TO_SPARK)
def test_everything_else_is_left_to_spark(spark, tmp_path, capsys, name):
    found = ensue.detect(PASSES, LEFT_TO_SPARK[name](spark, tmp_path / "events"))
    assert not is_direct(found, capsys)
    assert ids(found) == expected(PASSES) != []


def test_files_whose_columns_differ_are_left_to_spark(spark, tmp_path, capsys):
    assert not is_direct(ensue.detect(PASSES, _differing(spark, tmp_path)), capsys)


def test_names_in_another_case_are_left_to_spark(spark, tmp_path, capsys):
    columns = "TYPE string, TIME timestamp, ID long, BADGE string, SPEED int"
    frame = spark.read.schema(columns).parquet(write(tmp_path / "events"))
    pattern = "Enter(BADGE = ?b, SPEED < 20) then Leave(BADGE = ?b) within 2 minutes"
    found = ensue.detect(pattern, frame, type="TYPE", time="TIME", id="ID")
    assert not is_direct(found, capsys)
    assert found.count() == len(expected(PASSES))


def test_another_calendar_is_left_to_spark(spark, tmp_path, capsys):
    frame = spark.read.parquet(write(tmp_path / "events"))
    name = "spark.sql.parquet.datetimeRebaseModeInRead"
    spark.conf.set(name, "LEGACY")
    try:
        assert not is_direct(ensue.detect(PASSES, frame), capsys)
    finally:
        spark.conf.unset(name)
    assert is_direct(ensue.detect(PASSES, frame), capsys)


def test_a_frame_that_is_kept_in_memory_is_not_read_again(spark, tmp_path):
    """Whoever keeps a frame may have written over its files since."""
    folder = tmp_path / "events"
    frame = spark.read.parquet(write(folder)).cache()
    try:
        assert frame.count() == len(history())
        write(folder, table(history(3)))
        assert ids(ensue.detect(PASSES, frame)) == expected(PASSES)
    finally:
        frame.unpersist()


def test_other_times_than_that_of_the_event(spark, tmp_path, capsys):
    """Spark writes timestamps as INT96, which Arrow takes for times without a zone."""
    rows = spark.createDataFrame(table()).selectExpr(
        "*", "time + interval 1 hour due", "date(time) day", "double(id) x"
    )
    rows.write.parquet(str(tmp_path / "events"))
    files = spark.read.parquet(str(tmp_path / "events"))
    pattern = "Enter(badge = ?b, due = ?d, day = ?y, x = ?x) then Leave(badge = ?b, due >= time) within 2 minutes"
    found = [ensue.detect(pattern, frame) for frame in (files, files.where("true"))]
    assert [is_direct(one, capsys) for one in found] == [True, False]
    direct, scanned = ([tuple(row) for row in one.orderBy("id").collect()] for one in found)
    assert found[0].schema == found[1].schema
    assert direct == scanned != []


@pytest.mark.parametrize("damage", ["removed", "replaced", "overwritten in the middle"])
def test_a_file_that_is_not_what_it_was(spark, tmp_path, damage):
    folder = tmp_path / "events"
    found = ensue.detect(PASSES, spark.read.parquet(write(folder)))
    file = folder / "1.parquet"
    if damage == "removed":
        file.unlink()
    elif damage == "replaced":
        pq.write_table(table(history(300)), file, row_group_size=5)
    else:
        status = file.stat()
        content = bytearray(file.read_bytes())
        content[4 : len(content) // 3] = b"\xff" * (len(content) // 3 - 4)
        file.write_bytes(content)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(PySparkException) as caught:
        found.collect()
    assert "E60" in str(caught.value)
    assert str(file) in str(caught.value)
    assert "hint: " in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": None}, "E402: an event has no type"),
        ({"time": None}, "E401: the event with the id 3: time is missing"),
        ({"id": None}, "E403: an event has no id"),
        ({"id": 0}, "E404: two events have the id '0'"),
    ],
)
def test_bad_rows(spark, tmp_path, change, message):
    rows = history()
    rows[3] = {**rows[3], "badge": "b0", **change}
    frame = spark.read.parquet(write(tmp_path / "events", table(rows)))
    with pytest.raises(PySparkException) as caught:
        ensue.detect(PASSES, frame).collect()
    assert message in str(caught.value)


def test_rows_that_no_pattern_wants_are_not_looked_at(spark, tmp_path):
    rows = [{**row, "time": None, "id": None} if row["type"] == "Look" else row for row in history()]
    frame = spark.read.parquet(write(tmp_path / "events", table(rows)))
    assert ids(ensue.detect(PASSES, frame)) == expected(PASSES)


def test_no_rows_at_all(spark, tmp_path):
    frame = spark.read.parquet(write(tmp_path / "events", table().slice(0, 0), files=1))
    found = ensue.detect(PASSES, frame)
    assert ids(found) == []
