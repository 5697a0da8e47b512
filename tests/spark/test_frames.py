"""`ensue.detect` for frames of Spark: what goes in, what comes out, and what is said when something is wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as f, types as t

import ensue
from ensue.spark import register

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 7, 10, 9, tzinfo=UTC)
BRUTE = "3 times Login(user = ?u, ok = false) within 2 minutes"


def logins() -> list[dict[str, Any]]:
    users = ["ann", "bob", "ann", "ann", "bob", "ann", "cy", "bob", "ann"]
    return [
        {"type": "Login", "id": f"e{i}", "time": START + timedelta(seconds=10 * i), "user": user, "ok": i == 4, "n": i}
        for i, user in enumerate(users)
    ]


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    table = pa.Table.from_pylist(logins()).cast(
        pa.schema(
            [
                ("type", pa.string()),
                ("id", pa.string()),
                ("time", pa.timestamp("us", "UTC")),
                ("user", pa.string()),
                ("ok", pa.bool_()),
                ("n", pa.int32()),
            ]
        )
    )
    return spark.createDataFrame(table).cache()


def ids(found: DataFrame) -> set[str]:
    return {row["id"] for row in found.select("id").collect()}


def embedded_ids(pattern: str, context: str = "recent") -> set[str]:
    return {finding.id for finding in ensue.detect(pattern, logins(), context)}


def test_the_columns(frame):
    found = ensue.detect(BRUTE, frame)
    assert found.columns == ["id", "class", "begin", "end", "detected", "u", "constituents"]
    assert found.schema["constituents"].dataType.simpleString() == "array<struct<leaf:string,id:string,time:timestamp>>"
    rows = found.orderBy("end").collect()
    assert {row["id"] for row in rows} == embedded_ids(BRUTE)
    assert {row["class"] for row in rows} == {BRUTE}
    assert [part["id"] for part in rows[0]["constituents"]] == ["e0", "e2", "e3"]
    assert {part["leaf"] for part in rows[0]["constituents"]} == {"Login"}
    assert all(row["detected"] == row["end"] for row in rows)


def test_several_patterns_are_one_frame(frame):
    patterns = {
        "brute": BRUTE,
        "pair": "Login(n = ?n) then Login(ok = true) within 1 minute",
        "three": "3 times Login within 1 minute",
    }
    found = ensue.detect(patterns, frame, "all")
    assert found.columns == ["id", "class", "begin", "end", "detected", "n", "u", "constituents"]
    assert found.schema["n"].dataType == t.IntegerType()
    here = ensue.detect(patterns, logins(), "all")
    rows = found.collect()
    for name in patterns:
        mine = [row for row in rows if row["class"] == name]
        assert {row["id"] for row in mine} == {finding.id for finding in here[name]}
        assert all((row["u"] is None) == (name != "brute") and (row["n"] is None) == (name != "pair") for row in mine)


def test_a_frame_for_each_class(spark, frame):
    plain = frame.drop("type")
    frames = {
        "Login": plain.where("not ok"),
        "Success": plain.where("ok").withColumn("id", f.hash("id")).withColumn("n", f.col("n").cast("double")),
    }
    pattern = "Login(user = ?u, n = ?n) then Success(user = ?u, n = ?m) within 1 minute"
    found = ensue.detect(pattern, frames)
    assert [found.schema[name].dataType.simpleString() for name in "mnu"] == ["double", "int", "string"]
    rows = found.collect()
    assert [(row["u"], row["n"], row["m"]) for row in rows] == [("bob", 1, 4.0)]
    assert [part["leaf"] for part in rows[0]["constituents"]] == ["Login", "Success"]


def test_whole_numbers_as_ids_stand_for_their_digits(frame):
    numbered = frame.withColumn("id", (f.col("n") - f.lit(3)).cast("bigint"))
    here = [{**row, "id": str(row["n"] - 3)} for row in logins()]
    assert ids(ensue.detect(BRUTE, numbered)) == {finding.id for finding in ensue.detect(BRUTE, here)}


@pytest.mark.parametrize(
    "column",
    [
        "date_format(to_utc_timestamp(time, current_timezone()), \"yyyy-MM-dd'T'HH:mm:ss\")",
        "date_format(to_utc_timestamp(time, current_timezone()), \"yyyy-MM-dd HH:mm:ss'Z'\")",
        "unix_micros(time) div 1000",
        "cast(to_utc_timestamp(time, current_timezone()) as timestamp_ntz)",
    ],
)
def test_times_in_other_forms(frame, column):
    assert ids(ensue.detect(BRUTE, frame.withColumn("time", f.expr(column)))) == embedded_ids(BRUTE)


def test_attributes_are_joined_back(frame):
    found = ensue.detect(BRUTE, frame, attributes=["n", "ok"])
    rows = found.collect()
    assert {row["id"] for row in rows} == embedded_ids(BRUTE)
    for row in rows:
        for part in row["constituents"]:
            assert f"e{part['attributes']['n']}" == part["id"]
            assert part["attributes"]["ok"] is False
    everything = ensue.detect(BRUTE, frame, attributes=True).schema["constituents"].dataType.elementType
    assert everything["attributes"].dataType.names == ["user", "ok", "n"]


def test_nothing_at_all(frame):
    assert ensue.detect(BRUTE, frame.where("false")).count() == 0
    absent = "without {Logout} during [2026-07-10 .. 2026-07-11]"
    found = ensue.detect(absent, frame.where("false")).collect()
    assert [row["id"] for row in found] == [finding.id for finding in ensue.detect(absent, [])]
    assert found[0]["constituents"] == []


def test_the_plan_pushes_conditions_and_sends_only_what_is_needed(spark, frame, tmp_path, capsys):
    frame.write.parquet(str(tmp_path / "events"))
    ensue.detect(BRUTE, spark.read.parquet(str(tmp_path / "events")).where("true")).explain()
    plan = capsys.readouterr().out
    assert "EqualTo(type,Login),And(Not(EqualTo(ok,true)),IsNotNull(user))" in plan
    assert "ReadSchema: struct<type:string,id:string,time:timestamp,user:string,ok:boolean>" in plan
    assert plan.count("Exchange") == 1


def test_one_key_with_half_of_all_events(spark):
    rows = spark.range(40_000).selectExpr(
        "id", "'A' type", "timestamp_micros(id * 1000000) time", "if(id % 2 = 0, 0, id) user"
    )
    pattern = "A(user = ?u) then A(user = ?u) within 2 seconds"
    here = [{"id": str(i), "type": "A", "time": i * 1000, "user": 0 if i % 2 == 0 else i} for i in range(40_000)]
    assert ids(ensue.detect(pattern, rows, "chronicle")) == {
        finding.id for finding in ensue.detect(pattern, here, "chronicle")
    }


def test_slices_of_time(spark):
    rows = spark.range(3_000).selectExpr("id", "if(id % 3 = 0, 'A', 'B') type", "timestamp_micros(id * 100000) time")
    pattern = "A then B within 1 second"
    here = [{"id": str(i), "type": "A" if i % 3 == 0 else "B", "time": i * 100} for i in range(3_000)]
    found = ids(ensue.detect(pattern, rows, "all"))
    assert found == {finding.id for finding in ensue.detect(pattern, here, "all")}


def test_a_variable_that_looks_like_a_column(frame):
    found = ensue.detect("Login(user = ?End, n = ?u, n = ?U)", frame)
    assert found.columns == ["id", "class", "begin", "end", "detected", "?End", "U", "?u", "constituents"]
    assert found.count() == 9


@pytest.mark.parametrize(
    ("change", "options", "code", "message"),
    [
        (lambda x: x.drop("id"), {}, "E403", "no column 'id'"),
        (lambda x: x.drop("time"), {}, "E402", "no column 'time'"),
        (lambda x: x, {"type": "kind"}, "E402", "no column 'kind'"),
        (lambda x: x.withColumn("id", f.lit(1.5)), {}, "E403", "is of type double"),
        (lambda x: x.withColumn("time", f.array("time")), {}, "E401", "is of type array"),
        (lambda x: x, {"attributes": ["usr"]}, "E421", "did you mean user"),
    ],
)
def test_columns_that_cannot_be_used(frame, change, options, code, message):
    with pytest.raises(ensue.InputError, match=message) as error:
        ensue.detect(BRUTE, change(frame), **options)
    assert error.value.code == code


def test_values_of_different_kinds_in_one_variable(frame):
    with pytest.raises(ensue.InputError, match=r"\?x is bound to values of different kinds"):
        ensue.detect("Login(user = ?x) then Login(n = ?x) within 1 minute", frame)


def test_classes_defined_by_patterns_are_refused(frame):
    program = ensue.parse_program(
        "CREATE SUBSCRIBED EVENT CLASS Login(user STRING, n INT);"
        "CREATE COMPLEX EVENT CLASS Twice(u STRING) AS DETECT Login(user = ?u) then Login(user = ?u) within 1 minute "
        "IN CONTEXT recent;"
    )
    with pytest.raises(ensue.PatternError, match="E411: Twice is defined by a pattern"):
        ensue.detect("Twice(u = ?x)", frame, program=program)


def test_a_stream_gives_a_stream_and_is_not_mixed_with_a_history(spark):
    stream = spark.readStream.format("rate").load().selectExpr("value id", "timestamp time")
    assert ensue.detect("A", stream, event_type="A").isStreaming
    history = spark.range(1).selectExpr("id", "timestamp_seconds(id) time")
    with pytest.raises(ensue.InputError, match="E422"):
        ensue.detect("A then B within 1 minute", {"A": stream, "B": history})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": None}, "E402: an event has no type"),
        ({"time": None}, "E401: the event with the id e2: time is missing"),
        ({"id": None}, "E403: an event has no id"),
        ({"id": "e0"}, "E404: two events have the id 'e0'"),
    ],
)
def test_rows_that_cannot_be_used(frame, change, message):
    columns = {name: f.when(f.col("n") == 2, f.lit(value)).otherwise(f.col(name)) for name, value in change.items()}
    with pytest.raises(PySparkException) as error:
        ensue.detect(BRUTE, frame.withColumns(columns)).collect()
    assert message in str(error.value)


def test_in_sql(spark, frame):
    register(spark)
    frame.createOrReplaceTempView("logins")
    found = spark.sql("SELECT * FROM ensue_detect(TABLE(logins), :pattern)", {"pattern": BRUTE})
    assert found.columns == ensue.detect(BRUTE, frame).columns
    assert ids(found) == embedded_ids(BRUTE)


def test_in_sql_with_other_columns(spark, frame):
    register(spark, "found_in")
    frame.createOrReplaceTempView("logins")
    pair = "Login then Login(ok = true) within 1 minute"
    query = """
        SELECT id FROM found_in(
            TABLE(SELECT user, ok, id, time AS t FROM logins),
            :pattern, context => 'all', time => 't', event_type => 'Login'
        )
    """
    assert ids(spark.sql(query, {"pattern": pair})) == embedded_ids(pair, "all")
    with pytest.raises(PySparkException, match="E210"):
        spark.sql("SELECT * FROM found_in(TABLE(logins), 'Login tehn Login')")
