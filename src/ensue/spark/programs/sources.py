"""Where the events of a class come from: FROM … OPTIONS (…) as a streaming frame, nothing of it read yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions as f, types as t

from ensue.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from ensue.language.program import Connection

CORRUPT = "__corrupt"
"""The column of a CSV file's row that does not have the columns of its class."""

TEXT = "value"
KAFKA_TIME = "__kafka_time"
"""When Kafka says that a record was made, beside its text."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Rows as they came: texts of JSON objects (one column, `value`), or columns."""

    frame: DataFrame
    texts: bool = False


def resolved(connection: Connection, base: Path) -> dict[str, str]:
    """The options, with a path as it is for everyone: one in a program is meant from where the program lies."""
    found = dict(connection.options)
    for name, value in found.items():
        if name.lower() == "path" and "://" not in value:
            found[name] = str((base / value).resolve())
    return found


def read(spark: SparkSession, name: str, connection: Connection, columns: list[str], base: Path) -> Raw:
    """The stream of a class; `columns` are its attributes, in the order of their declaration."""
    options = resolved(connection, base)
    if connection.format == "kafka":
        return _kafka(spark, name, options)
    path = next(value for key, value in options.items() if key.lower() == "path")
    _check_path(name, path)
    options = {key: value for key, value in options.items() if key.lower() != "path"}
    stream = spark.readStream.options(**options)
    match connection.format:
        case "json":
            return Raw(stream.format("text").load(path), texts=True)
        case "csv":
            header = next((value for key, value in options.items() if key.lower() == "header"), "true")
            strict = {"header": header, "enforceSchema": "false" if header.lower() == "true" else "true"}
            schema = t.StructType([t.StructField(column, t.StringType()) for column in [*columns, CORRUPT]])
            told = stream.options(mode="PERMISSIVE", columnNameOfCorruptRecord=CORRUPT, **strict)
            return Raw(told.format("csv").schema(schema).load(path))
        case _:
            return Raw(stream.format("parquet").schema(_parquet_schema(spark, name, path)).load(path))


def _kafka(spark: SparkSession, name: str, options: dict[str, str]) -> Raw:
    try:
        frame = spark.readStream.format("kafka").options(**options).load()
    except PySparkException as error:
        raise InputError(
            Diagnostic(
                "E432",
                f"{name}: Spark cannot read from Kafka: {first_line(error)}",
                hint="if the connector is missing: docs/kafka.md says which jars it has and how Spark is told,"
                " for instance PYSPARK_SUBMIT_ARGS='--jars … pyspark-shell'",
            )
        ) from None
    text = f.col("value").cast("string").alias(TEXT)
    return Raw(frame.select(text, f.col("timestamp").alias(KAFKA_TIME)), texts=True)


def _parquet_schema(spark: SparkSession, name: str, path: str) -> t.StructType:
    """The columns of the files that are there: which types they have is theirs to say, and we convert."""
    try:
        return spark.read.parquet(path).schema
    except PySparkException as error:
        raise InputError(
            Diagnostic(
                "E432",
                f"{name}: the columns of {path} cannot be read: {first_line(error)}",
                hint="there has to be at least one Parquet file, so that its columns are known",
            )
        ) from None


def _check_path(name: str, path: str) -> None:
    if "://" not in path and not re.search(r"[*?\[{]", path) and not Path(path).exists():
        hint = "a path is meant from the folder of the program; the folder may be empty, but has to be there"
        raise InputError(Diagnostic("E600", f"{name}: there is no {path}", hint=hint))


def first_line(error: BaseException) -> str:
    """What an error of Spark says, without the plan and the stack that follow."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
