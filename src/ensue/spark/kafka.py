"""Events in JSON from Kafka topics, and occurrences into one: what stands between Spark's connector and a detection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, functions as f, types as t

from ensue.errors import Diagnostic, InputError
from ensue.spark.plain_json import PlainJson, readable
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BROKEN = "_broken"
"""The column with the text of a value that is not an event; null if it is one."""

_POSITION = ("topic", "partition", "offset")
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
    position = f.concat_ws("/", "topic", "partition", "offset")
    parts = (_by_arrow if readable(fields) else _by_spark)(records, fields)

    def column(number: int, field: t.StructField) -> Column:
        value = f.col(_name(number))
        return (f.coalesce(value.cast("string"), position) if field.name == id else value).alias(field.name)

    columns = [column(number, field) for number, field in enumerate(fields)]
    if all(field.name != id for field in fields):
        columns.append(position.alias(id))
    return parts.select(*columns, f.col(BROKEN))


def _by_spark(records: DataFrame, fields: Sequence[t.StructField]) -> DataFrame:
    """The fields of the values, by their numbers, and `_broken`, the text of what cannot be read."""
    event, broken = f.col("event"), f.col(f"event.{BROKEN}")
    parts = records.select(_parsed(f.col("value"), fields).alias("event"), *_POSITION)
    columns = [
        f.when(broken.isNull(), event.getField(field.name)).alias(_name(number)) for number, field in enumerate(fields)
    ]
    return parts.select(*columns, broken.alias(BROKEN), *_POSITION)


def _by_arrow(records: DataFrame, fields: Sequence[t.StructField]) -> DataFrame:
    """The same: by Arrow where it reads what Spark would. What is left to Spark is in a column of its own."""
    kinds = [t.StructField(_name(number), field.dataType) for number, field in enumerate(fields)]
    texts = records.select(f.col("value").cast("string").cast("binary").alias("value"), *_POSITION)
    read = texts.mapInArrow(PlainJson.of(fields), t.StructType([*kinds, *texts.schema.fields]))
    event, broken, arrow = f.col("event"), f.col(f"event.{BROKEN}"), f.col("value").isNull()
    parts = read.withColumn("event", _parsed(f.col("value"), fields))

    def column(number: int, field: t.StructField) -> Column:
        by_spark = f.when(broken.isNull(), event.getField(field.name))
        return f.when(arrow, f.col(_name(number))).otherwise(by_spark).alias(_name(number))

    columns = [column(number, field) for number, field in enumerate(fields)]
    return parts.select(*columns, broken.alias(BROKEN), *_POSITION)


def _parsed(value: Column, fields: Sequence[t.StructField]) -> Column:
    """By Spark's own reader: a struct, whose field `_broken` is the text if it cannot be read."""
    known = (t.StructField(field.name, field.dataType) for field in fields)
    whole = t.StructType([*known, t.StructField(BROKEN, t.StringType())])
    return f.from_json(
        value.cast("string"), whole, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BROKEN, **_ZONE}
    )


def _name(number: int) -> str:
    """Of a field, as long as it may be called like a column of Kafka's."""
    return f"__{number}"


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
