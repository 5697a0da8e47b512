"""Recorded announcements from files: JSON lines, CSV or Parquet, with names and units as the user says."""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession, functions as f, types as t

from ensue.errors import Diagnostic, InputError, near
from ensue.files.opening import STDIN, FileKind, check_readable, kind_of, opened
from ensue.files.running import READERS
from ensue.spark.corrections.announcing import TYPE, Announced, announcements, columns_read, union
from ensue.spark.programs.events import RAW, columns_of
from ensue.spark.programs.sources import CORRUPT, TEXT, Raw
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from ensue.language.program import Program

_UNITS = {"s": 1000.0, "ms": 1.0, "us": 0.001}
_NUMBER = r"^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$"


@dataclass(frozen=True, slots=True)
class Names:
    """What the columns of files are called: by the name that is wanted, the column and the unit of its numbers.

    `of_class` is the class of all announcements, if no column says it.
    """

    columns: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    of_class: str | None = None


def parse_names(said: Sequence[str], program: Program) -> Names:
    """`detected=tx_time:s,op=what,type=Outage`: the unit of numbers stands behind the column, the class by its name."""
    columns: dict[str, tuple[str, str | None]] = {}
    of_class = None
    for one in (part.strip() for text in said for part in text.split(",") if part.strip()):
        name, equals, column = one.partition("=")
        column, _, unit = column.partition(":")
        if not equals or not name or not column or unit not in {"", *_UNITS}:
            hint = "write it like --map detected=tx_time:s,time=started:s,type=Outage; units are s, ms and us"
            raise InputError(Diagnostic("E607", f"--map: {one!r} does not say which column is meant", hint=hint))
        if name == TYPE and column in program.classes:
            of_class = column
        else:
            columns[name] = column, unit or None
    return Names(columns, of_class)


def recorded(
    spark: SparkSession,
    files: Sequence[str],
    classes: Sequence[Announced],
    names: Names,
    kind: FileKind | None = None,
) -> DataFrame:
    """What the files announce, usable or not."""
    wanted = columns_read(classes)
    unknown = [name for name in names.columns if name not in wanted]
    if unknown:
        hint = near(unknown[0], wanted) or f"there are {', '.join(wanted)}"
        raise InputError(Diagnostic("E607", f"--map: nothing is called {unknown[0]}", hint=hint))
    parts = []
    for raw in _raws(spark, files, kind):
        columns = list(dict.fromkeys(names.columns.get(name, (name, None))[0] for name in wanted))
        frame, broken = columns_of(raw, columns)
        there = set(frame.columns)
        renamed = frame.select(
            *(
                _in_milliseconds(*names.columns.get(name, (name, None)), there).alias(name)
                for name in wanted
                if name != TYPE or names.of_class is None
            ),
            *([f.lit(names.of_class).alias(TYPE)] if names.of_class is not None else []),
            quoted(RAW),
            broken.alias("__broken"),
        )
        parts.append(announcements(renamed, f.col("__broken"), classes, classes))
    return union(parts)


def _in_milliseconds(column: str, unit: str | None, there: set[str]) -> Column:
    """A column as it is; numbers of another unit than milliseconds are converted, and texts stay what they are."""
    if column not in there:
        return f.lit(None).cast("string")
    if unit is None or unit == "ms":
        return quoted(column)
    text = quoted(column).cast("string")
    count = f.round(text.try_cast("double") * f.lit(_UNITS[unit]), 3).cast("decimal(30,3)").cast("string")
    return f.when(text.rlike(_NUMBER), count).otherwise(text)


def _raws(spark: SparkSession, files: Sequence[str], kind: FileKind | None) -> Iterator[Raw]:
    lines: list[str] = []
    for name in files:
        if name == STDIN:
            raise InputError(Diagnostic("E607", "a replay cannot be read from standard input", hint="name a file"))
        check_readable(name)
        match kind or kind_of(name):
            case FileKind.JSONL:
                lines.append(name)
            case FileKind.CSV:
                yield _separated(spark, name)
            case FileKind.PARQUET:
                frame = spark.read.parquet(name)
                yield Raw(frame.select(*(quoted(one.name) for one in frame.schema.fields)))
    if lines:
        yield Raw(spark.read.text(lines).select(TEXT), texts=True)


def _separated(spark: SparkSession, name: str) -> Raw:
    with opened(name) as file:
        line = file.bytes.readline().decode("utf-8-sig", "replace")
    header = next(csv.reader([line]), [])
    if not header:
        raise InputError(Diagnostic("E604", "the file is empty", name, hint="it needs a header"))
    schema = t.StructType([t.StructField(one, t.StringType()) for one in [*header, CORRUPT]])
    reader = spark.read.schema(schema).options(
        header="true", multiLine="true", escape='"', mode="PERMISSIVE", columnNameOfCorruptRecord=CORRUPT
    )
    return Raw(reader.csv(name))


@contextmanager
def about_files(files: Sequence[str], kind: FileKind | None) -> Iterator[None]:
    """When Spark fails to read a file, let the readers of one process say which one it is, and why."""
    try:
        yield
    except (PySparkException, Py4JError):
        for name in files:
            deque(READERS[kind or kind_of(name)](name, ()), maxlen=0)
        raise


def place_of(raw: str, files: Sequence[str], kind: FileKind | None) -> tuple[str | None, int | None]:
    """The file and the line of a row, by what it says. Only for a row that is wrong: everything is read again."""
    for name in files:
        found = kind or kind_of(name)
        for chunk in READERS[found](name, ()):
            for line in chunk.unreadable:
                if line.raw == raw:
                    return name, line.problem.line
            if found is FileKind.PARQUET:
                continue
            for row, number in enumerate(chunk.lines):
                if chunk.raw(row) == raw or (found is FileKind.CSV and _same(chunk.events.row(row), raw)):
                    return name, number
    return (files[0], None) if len(files) == 1 else (None, None)


def _same(row: Mapping[str, object], raw: str) -> bool:
    try:
        said = json.loads(raw)
    except ValueError:
        return False
    return bool(said == {name: value for name, value in row.items() if value is not None})
