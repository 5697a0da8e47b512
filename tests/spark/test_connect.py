"""Spark Connect: the same answers, with nothing but what its client offers. It needs a process of its own."""

import os
import subprocess
import sys

PROGRAM = """
import sys
import warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession, functions as f
import ensue
from ensue.spark import register

spark = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
rows = [(i, "Login", 1000 * i, "ann" if i % 3 else "bob", False) for i in range(12)]
frame = spark.createDataFrame(rows, "id bigint, type string, time bigint, user string, ok boolean")
assert type(frame).__module__ == "pyspark.sql.connect.dataframe"
here = [dict(zip(("id", "type", "time", "user", "ok"), row)) for row in rows]

def same(pattern, context):
    found = ensue.detect(pattern, frame, context).collect()
    assert {row["id"] for row in found} == {finding.id for finding in ensue.detect(pattern, here, context)}
    assert found

same("3 times Login(user = ?u, ok = false) within 1 minute", "chronicle")
same("Login then Login within 3 s", "all")
same("without {Logout} during [1970-01-01 .. 1970-01-02]", "recent")
same("periodic(Login(user = ?u), 5 s, Logout(user = ?u)) within 1 minute", "recent")
pattern = "3 times Login(user = ?u, ok = false) within 1 minute"
joined = ensue.detect(pattern, frame, attributes=["ok"]).collect()
assert joined[0]["constituents"][0]["attributes"]["ok"] is False
register(spark)
frame.createOrReplaceTempView("logins")
assert spark.sql(f"SELECT * FROM ensue_detect(TABLE(logins), '{pattern}')").count() == len(joined)

folder = sys.argv[1]
later = spark.createDataFrame([(99, "Clock", 100_000, None, None)], frame.schema)
timed = frame.union(later).withColumn("time", f.timestamp_millis("time"))
for part in ("id < 6", "id between 6 and 11", "id > 11"):
    timed.where(part).write.mode("append").parquet(f"{folder}/in")
stream = spark.readStream.schema(timed.schema).option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
patterns = {"thrice": pattern, "silent": "Login(user = ?u) then (Login(user = ?u) + 4 s) within 20 s"}
flowing = ensue.detect(patterns, stream, "chronicle", delay="20 seconds")
assert flowing.isStreaming
query = (
    flowing.writeStream.format("parquet")
    .option("path", f"{folder}/out")
    .option("checkpointLocation", f"{folder}/checkpoint")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
assert query.exception() is None
whole = {finding.id for found in ensue.detect(patterns, here, "chronicle").values() for finding in found}
ids = {row["id"] for row in spark.read.parquet(f"{folder}/out").collect()}
assert ids == whole, (ids, whole)
assert len(whole) > 4
print("the same")
spark.stop()
"""


def test_the_same_answers(tmp_path):
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False, env=environment
    )
    assert run.stdout.endswith("the same\n"), run.stderr[-3000:]
