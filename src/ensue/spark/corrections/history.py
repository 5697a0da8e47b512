"""What is believed of a class now, and what was believed at some time: read from its table of all versions."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession, Window, functions as f, types as t

from ensue.errors import Diagnostic, InputError, near
from ensue.language.program import Program
from ensue.spark.corrections.publishing import CONSTITUENT
from ensue.spark.corrections.tables import NUMBER, PUBLICATIONS, attribute_column
from ensue.spark.programs import kept
from ensue.spark.programs.events import SPARK_TYPES
from ensue.spark.programs.tables import DAY, Tables
from ensue.time import to_instant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_WITHDRAWN = "withdrawn"


def history(
    class_name: str,
    *,
    data: str | Path,
    as_of: str | datetime | int | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """The events of a class as they are believed now, or as they were at a detection time.

    `data` is the folder of a run or a replay. A time is what it is elsewhere: ISO text, a datetime, or milliseconds.
    "publications" is what was published up to then.
    """
    folder = Path(data)
    program = _program(folder)
    if class_name != PUBLICATIONS and class_name not in program.classes:
        hint = near(class_name, program.classes) or f"there are {', '.join(sorted(program.classes))}"
        raise InputError(Diagnostic("E607", f"the program of {folder} has no class {class_name}", hint=hint))
    session = spark or SparkSession.getActiveSession() or SparkSession.Builder().getOrCreate()
    place = Tables(folder).of(class_name)
    if not place.exists():
        return session.createDataFrame([], _columns(program, class_name))
    rows = session.read.parquet(str(place.resolve()))  # Java's working folder is its own
    if as_of is not None:
        rows = rows.where(f.unix_micros("detected") <= f.lit(to_instant(as_of)))
    if class_name == PUBLICATIONS:
        return rows.orderBy("batch", NUMBER).drop("batch", NUMBER)
    if _WITHDRAWN not in rows.columns:  # a program without corrections: what was found stays
        return rows.drop("batch", DAY)
    newest = Window.partitionBy("key").orderBy(f.col("detected").desc(), f.col("batch").desc())
    current = rows.withColumn("__place", f.row_number().over(newest)).where("__place = 1 AND NOT withdrawn")
    return current.drop("__place", _WITHDRAWN, "batch", DAY)


def history_views(
    data: str | Path, *, as_of: str | datetime | int | None = None, spark: SparkSession | None = None
) -> list[str]:
    """Make a temporary view of each class in the session, so that SQL finds them by their names; gives the names."""
    names = [*_program(Path(data)).classes, PUBLICATIONS]
    for name in names:
        history(name, data=data, as_of=as_of, spark=spark).createOrReplaceTempView(f"`{name}`")
    return names


def _program(folder: Path) -> Program:
    known = kept.load(folder)
    if known is None:
        hint = "name the folder that --data names, or ensue-data beside the program"
        raise InputError(Diagnostic("E600", f"{folder} is not the folder of a run", hint=hint))
    return known.program


def _columns(program: Program, name: str) -> t.StructType:
    """The columns of a table that is not there yet."""
    text, time = t.StringType(), t.TimestampType()
    if name == PUBLICATIONS:
        replaces = t.StructType([t.StructField("id", text), t.StructField("occurred", time)]).add("attributes", text)
        fields: list[tuple[str, t.DataType]] = [
            *((one, text) for one in ("publication", "class", "case")),
            *((one, time) for one in ("detected", "occurred")),
            *((one, text) for one in ("attributes", "key", "id")),
            ("revision", t.LongType()),
            ("constituents", CONSTITUENT),
            ("why", CONSTITUENT),
            ("replaces", replaces),
        ]
    else:
        fields = [
            *((one, text) for one in ("id", "class", "key")),
            *((one, time) for one in ("begin", "end", "detected")),
            *((attribute_column(one), SPARK_TYPES[kind]) for one, kind in program.attributes(name).items()),
            ("constituents", CONSTITUENT),
        ]
    return t.StructType([t.StructField(one, kind) for one, kind in fields])
