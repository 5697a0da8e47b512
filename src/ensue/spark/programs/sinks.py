"""Where the occurrences of a class go besides their history table: INTO … OPTIONS (…), one micro-batch at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import functions as f

from ensue.errors import Diagnostic, InputError
from ensue.spark.kafka import as_records
from ensue.spark.programs.sources import resolved
from ensue.spark.programs.tables import DAY, Tables, publish

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.language.program import Connection

Sink: TypeAlias = "Callable[[DataFrame, int, int], None]"
"""Takes the rows of a micro-batch, its number, and how many rows there are."""


def sink_of(name: str, connection: Connection, base: Path, tables: Tables, key: str = "id") -> Sink:
    """What to do with the occurrences of a class; `key` is the column that keeps messages of one thing together."""
    options = resolved(connection, base)
    match connection.format:
        case "console":
            return _console
        case "kafka":
            return _kafka(options, key)
        case "memory":
            return _view(options["name"], name, tables)
        case form:
            return _files(form, options)


def _files(form: str, options: dict[str, str]) -> Sink:
    """A folder for each micro-batch, as in a history table; a batch that is there is not written again."""
    told = {key: value for key, value in options.items() if key.lower() != "path"}
    path = next(value for key, value in options.items() if key.lower() == "path")
    if "://" in path:
        message = f"{path} is not on a file system of this machine: files are renamed into place there"
        raise InputError(Diagnostic("E605", message, hint="give a folder that is mounted"))
    folder = Path(path)
    if form == "csv":
        told = {"header": "true", **told}

    def write(rows: DataFrame, batch: int, count: int) -> None:
        target = folder / f"batch={batch}"
        if not target.exists():
            flat = rows.withColumn("constituents", f.to_json("constituents")) if form == "csv" else rows
            publish(flat.drop(DAY), target, folder.parent / f".{folder.name}.aside", count, form, told)

    return write


def _console(rows: DataFrame, _batch: int, _count: int) -> None:
    for row in as_records(rows.drop(DAY)).toLocalIterator():
        sys.stdout.write(f"{row.value}\n")
    sys.stdout.flush()


def _kafka(options: dict[str, str], key: str) -> Sink:
    """With the occurrence's id as the key: after a failure a message may come twice, and its key tells."""

    def write(rows: DataFrame, _batch: int, _count: int) -> None:
        as_records(rows.drop(DAY), key).write.format("kafka").options(**options).save()

    return write


def _view(view: str, name: str, tables: Tables) -> Sink:
    """A view of the history table in the session: it is as new as the last micro-batch."""

    def refresh(rows: DataFrame, _batch: int, _count: int) -> None:
        rows.sparkSession.read.parquet(str(tables.of(name))).createOrReplaceGlobalTempView(view)

    return refresh
