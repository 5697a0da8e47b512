"""Which frames are nothing but Parquet files, and what lies in those.

Only what Arrow reads to exactly the values that Spark would read is taken. Everything else (partitioned folders, views,
columns that were made, old kinds of timestamps, files that differ, other file systems) is left to Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.sql import types as t

from ensue.errors import Diagnostic, InputError
from ensue.files.opening import reading
from ensue.files.parquet import unreadable

if TYPE_CHECKING:
    import pyarrow.parquet as pq
    from pyspark.sql import DataFrame

MOST_FILES = 1000
"""The footers of more files than these are not looked at before anything runs."""

_FORMAT = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_PLAIN: Mapping[type[t.DataType], tuple[pa.DataType, ...]] = {
    t.ByteType: (pa.int8(),),
    t.ShortType: (pa.int16(),),
    t.IntegerType: (pa.int32(),),
    t.LongType: (pa.int64(),),
    t.FloatType: (pa.float32(),),
    t.DoubleType: (pa.float64(),),
    t.BooleanType: (pa.bool_(),),
    t.DateType: (pa.date32(),),
    t.TimestampNTZType: (pa.timestamp("us"), pa.timestamp("ms")),
}
_OTHER_CALENDAR = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")
"""What Spark writes into files whose days are those of the Julian calendar."""
_HARMLESS = frozenset({"path", "paths", "mergeschema", "recursivefilelookup", "pathglobfilter"})
"""Options that say which files there are, not what is in them."""
_OTHERWISE = {
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "legacy",
    "spark.sql.parquet.int96RebaseModeInRead": "legacy",
}
"""Settings with which Spark reads other values than Arrow, or fewer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A row group of a file."""

    path: str
    group: int
    rows: int
    stamp: tuple[int, int]
    """The size of the file, and when it was last changed."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind: their row groups, and the columns that Arrow reads as Spark does."""

    pieces: tuple[Piece, ...]
    columns: frozenset[str]


def files_of(frame: DataFrame) -> Files | None:
    """The files that a frame consists of; None if it is anything else, or if that cannot be known."""
    paths = _paths(frame)
    if not paths or len(paths) > MOST_FILES:
        return None
    pieces: list[Piece] = []
    columns: frozenset[str] | None = None
    for path in paths:
        looked = _look(path, frame.schema)
        if looked is None:
            return None
        found, readable = looked
        pieces += found
        columns = readable if columns is None else columns & readable
    return Files(tuple(pieces), columns or frozenset())


def _paths(frame: DataFrame) -> list[str] | None:
    plan = java_plan(frame)
    if plan is None or not _is_plain(plan):
        return None
    found = []
    for name in frame.inputFiles():
        parts = urlsplit(name)
        if parts.scheme != "file" or parts.netloc:
            return None
        found.append(unquote(parts.path))
    return found


def java_plan(frame: DataFrame) -> Any:
    """The plan as it was written down; Spark Connect has none here, and some platforms do not show it."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - there is no other way to know
        while plan.getClass().getSimpleName() == "SubqueryAlias":
            plan = plan.child()
    except (AttributeError, Py4JError, PySparkException):
        return None
    return plan


def _is_plain(plan: Any) -> bool:
    if plan.getClass().getSimpleName() != "LogicalRelation" or plan.isStreaming():
        return False
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        return False
    return (
        relation.fileFormat().getClass().getName() == _FORMAT
        and relation.partitionSchema().isEmpty()
        and relation.bucketSpec().isEmpty()
        and not _is_read_otherwise(relation)
    )


def _is_read_otherwise(relation: Any) -> bool:
    """Whether it was said, for these files or for all, that something is to be passed over or read in another way."""
    options = relation.options().keysIterator()
    while options.hasNext():
        if options.next().lower() not in _HARMLESS:
            return True
    conf = relation.sparkSession().conf()
    return any(str(conf.get(name)).lower() == value for name, value in _OTHERWISE.items())


def opened(path: str, texts: Sequence[str] = ()) -> pq.ParquetFile:
    """A file, with the timestamps of Spark's own kind (INT96) to the microsecond, and some texts in dictionaries."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, coerce_int96_timestamp_unit="us", read_dictionary=list(texts))


def rows_of(piece: Piece, columns: Sequence[str], texts: Sequence[str]) -> pa.Table:
    """The rows of a piece; an error that names the file if it is not what it was when it was looked at."""
    with reading(piece.path), unreadable(piece.path):
        if _stamp(piece.path) != piece.stamp:
            message = f"{piece.path} has been written anew since the history was looked at"
            raise InputError(Diagnostic("E601", message, hint="read the folder again, and detect in that"))
        with opened(piece.path, texts) as file:
            return file.read_row_group(piece.group, columns=list(columns), use_threads=False)


def _stamp(path: str) -> tuple[int, int]:
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns


def _look(path: str, schema: t.StructType) -> tuple[list[Piece], frozenset[str]] | None:
    """The row groups of a file and its columns that are as Spark says; None if Arrow cannot read it at all."""
    try:
        stamp = _stamp(path)
        with opened(path) as file:
            metadata, arrow = file.metadata, file.schema_arrow
    except (OSError, pa.ArrowException):
        return None
    told = metadata.metadata or {}
    version = told.get(b"org.apache.spark.version", b"")
    if any(word in told for word in _OTHER_CALENDAR) or version.startswith(b"2."):
        return None
    columns = (metadata.schema.column(place) for place in range(metadata.num_columns))
    old = frozenset(column.path for column in columns if column.physical_type == "INT96")
    if old and not version:
        return None
    rows = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    pieces = [Piece(path, group, count, stamp) for group, count in enumerate(rows) if count]
    return pieces, frozenset(_same(schema, arrow, old))


def _same(schema: t.StructType, arrow: pa.Schema, old: frozenset[str]) -> Iterator[str]:
    lowered = [name.casefold() for name in arrow.names]
    for field in schema.fields:
        alone = lowered.count(field.name.casefold()) == 1 and field.name in arrow.names and "." not in field.name
        if alone and _is_same(field.dataType, arrow.field(field.name).type, old=field.name in old):
            yield field.name


def _is_same(spark: t.DataType, arrow: pa.DataType, *, old: bool) -> bool:
    if isinstance(spark, t.StringType):
        return spark == t.StringType() and _is_text(arrow)
    if isinstance(spark, t.TimestampType):
        fine = pa.types.is_timestamp(arrow) and arrow.unit in ("us", "ms")
        return fine and (old or arrow.tz is not None)
    return arrow in _PLAIN.get(type(spark), ())


@cache
def _is_text(arrow: pa.DataType) -> bool:
    if pa.types.is_dictionary(arrow):
        return _is_text(arrow.value_type)
    return arrow in (pa.string(), pa.large_string())
