"""Events in JSON from Kafka topics, and occurrences into one: what stands between Spark's connector and a detection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, functions as f, types as t

from ensue.errors import Diagnostic, InputError
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BROKEN = "_broken"
"""The column with the text of a value that is not an event; null if it is one."""

_ZONE = {"timeZone": "UTC"}  # a time without a zone is UTC, whatever the session's zone is
_EXACT = {**_ZONE, "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}  # Spark's own format ends at milliseconds


def read_json(
    spark: SparkSession, schema: str | t.StructType, options: Mapping[str, str], *, id: str = "id", live: bool = True
) -> DataFrame:
    """The events of topics whose values are JSON objects, as a frame with the columns of `schema` and `_broken`.

    `options` are those of Spark's connector, as `kafka.bootstrap.servers`, `subscribe` and `startingOffsets`. An event
    without an id gets its position, `topic/partition/offset`, which stays the same however often it is read. If the
    value is no JSON object or does not fit the schema, all columns are null but the id, which is its position, and
    `_broken`, which is its text: a detection refuses such a row as it does any other without a type, and goes on.
    """
    reader = spark.readStream if live else spark.read
    return parsed(reader.format("kafka").options(**options).load(), schema, id=id)


def parsed(records: DataFrame, schema: str | t.StructType, *, id: str = "id") -> DataFrame:
    """The same of records that the caller has read: a frame as Spark's connector gives it."""
    fields = (_parsed_schema(schema) if isinstance(schema, str) else schema).fields
    whole = t.StructType([*fields, t.StructField(BROKEN, t.StringType())])
    reading = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BROKEN, **_ZONE}
    event = f.from_json(f.col("value").cast("string"), whole, reading)
    position = f.concat_ws("/", "topic", "partition", "offset")
    parts = records.select(event.alias("event"), position.alias("position"))

    def column(field: t.StructField) -> Column:
        value = f.when(f.col(f"event.{BROKEN}").isNull(), f.col("event").getField(field.name))
        if field.name == id:
            value = f.coalesce(value.cast("string"), f.col("position"))
        return value.alias(field.name)

    columns = [column(field) for field in fields]
    if all(field.name != id for field in fields):
        columns.append(f.col("position").alias(id))
    return parts.select(*columns, f.col(f"event.{BROKEN}").alias(BROKEN))


def as_records(frame: DataFrame, key: str = "id") -> DataFrame:
    """Rows as Spark's connector writes them: `key`, the occurrence's id, and `value`, the whole row in JSON.

    A micro-batch that is done again after a crash writes its records again, with the same keys: who reads them takes
    one of each key, or lets Kafka compact the topic.
    """
    return frame.select(quoted(key).cast("string").alias("key"), f.to_json(f.struct("*"), _EXACT).alias("value"))


def _parsed_schema(text: str) -> t.StructType:
    schema = t.DataType.fromDDL(text)
    if not isinstance(schema, t.StructType):
        raise InputError(Diagnostic("E410", f"{text!r} is not a list of columns", hint="as in 'type STRING, v BIGINT'"))
    return schema
