"""The plain SQL of SELECT classes is SQL that Spark runs, and gives the times that were meant."""

from datetime import UTC, datetime, timedelta

from ensue.language import parse_program
from ensue.language.queries.rewriting import plain_sql

NOON = datetime(2026, 7, 10, 12, tzinfo=UTC)
PROGRAM = parse_program(
    """
    CREATE MUTABLE SUBSCRIBED EVENT CLASS Job(nr INT, host TEXT, due TIMESTAMP, ID (nr));
    CREATE SUBSCRIBED EVENT CLASS Done(nr INT) ID (nr);
    CREATE COMPLEX EVENT CLASS Slow(nr INT, host TEXT, ID (nr)) AS
      SELECT j.nr, j.host FROM Job j, Done d WHERE d.nr = j.nr AND d > j + 90 minutes AND d - j < 1 day
      OCCURRING AT MAX(j.due, d) - 250 ms;
    CREATE COMPLEX EVENT CLASS Open(host TEXT, n INT, ID (host)) AS
      SELECT j.host, COUNT(*) FROM Job j
      WHERE NOT EXISTS (SELECT 1 FROM Done d WHERE d.nr = j.nr AND d <= j + 4h) AND j.host <> 'it''s' GROUP BY 1
      OCCURRING AT MAX(j) + 4h;
    CREATE COMPLEX EVENT CLASS Checked(nr INT, ID (nr)) AS
      SELECT nr FROM Job j OCCURRING AT NOW CHECKING AT (j, j.due, 30m);
    """
)


def rows(spark, name, now=NOON):
    item = next(one for one in PROGRAM.selected_classes if one.declaration.name == name)
    found = spark.sql(plain_sql(item, PROGRAM), args={"now": now} if item.checks else {})
    assert found.columns == ["occ", *item.declaration.attributes]
    given = {tuple(row) for row in found.selectExpr("unix_micros(occ) AS occ", *item.declaration.attributes).collect()}
    return {(_since_noon(occ), *rest) for occ, *rest in given}


def _since_noon(micros):
    return timedelta(microseconds=micros - int(NOON.timestamp() * 1_000_000))


def test_spark_runs_them(spark):
    hours = timedelta(hours=1)
    jobs = [(1, "a", NOON + 3 * hours, NOON), (2, "a", NOON + hours, NOON + hours), (3, "b", NOON, NOON)]
    spark.createDataFrame(jobs, "nr BIGINT, host STRING, due TIMESTAMP, occ TIMESTAMP").createOrReplaceTempView("Job")
    done = [(1, NOON + 2 * hours), (3, NOON + hours)]
    spark.createDataFrame(done, "nr BIGINT, occ TIMESTAMP").createOrReplaceTempView("Done")
    assert rows(spark, "Slow") == {(3 * hours - timedelta(milliseconds=250), 1, "a")}
    assert rows(spark, "Open") == {(5 * hours, "a", 1)}
    assert rows(spark, "Checked") == {(0 * hours, 1), (hours, 2), (0 * hours, 3)}
    assert rows(spark, "Checked", NOON + timedelta(microseconds=1)) == {(hours / 2, 1), (hours, 2)}
    assert rows(spark, "Checked", NOON + 3 * hours) == {(3 * hours, 1)}
