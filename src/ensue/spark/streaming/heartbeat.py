"""A source that does nothing but move the watermark: on a silent stream time would stand still."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession, functions as f


def heartbeat(spark: SparkSession, every: int) -> DataFrame:
    """A row with the present time, every so many microseconds (whole seconds, at least one).

    Spark's `rate` source gives a row a second; of one that is not wanted, the batch that it makes is left.
    """
    seconds = max(1, round(every / 1_000_000))
    rows = spark.readStream.format("rate").option("rowsPerSecond", 1).option("numPartitions", 1).load()
    beats = rows.where(f.pmod(f.col("value"), f.lit(seconds)) == 0)
    return beats.select(f.col("timestamp").alias("time"))
