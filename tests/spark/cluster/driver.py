"""A program as a user would submit it: a batch or a streaming detection on the cluster that it is told.

    python driver.py MASTER history:FOLDER:NAME stream:FOLDER:NAME …

It reads FOLDER/in/*.json and writes FOLDER/NAME. While it streams, it prints a line after each micro-batch. Settings of
Spark beyond those below come from the environment, as `spark-submit --conf` would give them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import ensue
from ensue.spark import stream

SCHEMA = "type STRING, time TIMESTAMP, id STRING, v BIGINT"
PATTERNS = {
    "pair": "A(v = ?x) then B(v = ?x) within 10 seconds",
    "again": "3 times B(v = ?x) within 30 seconds",
    "silence": "A then (B + 5 seconds) within 1 minute",
}


def session(master: str) -> SparkSession:
    return (
        SparkSession.Builder()
        .master(master)
        .appName("ensue cluster test")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "600m")
        .config("spark.executor.cores", "1")
        .getOrCreate()
    )


def history(spark: SparkSession, folder: Path, name: str) -> None:
    events = spark.read.schema(SCHEMA).json(str(folder / "in"))
    ensue.detect(PATTERNS, events).select("class", "id").write.json(str(folder / name))


def live(spark: SparkSession, folder: Path, name: str) -> None:
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    found = stream(PATTERNS, events, delay="5 seconds", shards=2)

    def write(batch: DataFrame, number: int) -> None:
        batch.select("class", "id").write.mode("overwrite").json(str(folder / name / f"batch={number}"))
        print("done", number, flush=True)  # noqa: T201 - the test waits for it

    (
        found.everything.writeStream.foreachBatch(found.each_batch(write))
        .option("checkpointLocation", str(folder / f"{name}.checkpoint"))
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    )


def main(master: str, *jobs: str) -> None:
    spark = session(master)
    for job in jobs:
        kind, folder, name = job.split(":")
        {"history": history, "stream": live}[kind](spark, Path(folder), name)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
