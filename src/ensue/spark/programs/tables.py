"""History tables: a folder for each class, in it a folder for each micro-batch, in that one for each day.

What a reader sees is whole: a micro-batch is written aside and renamed into its place. Once there it stays: a batch
that is run again after a failure reads the same events with the same state, so what it would write is there already.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import Column, functions as f

from ensue.errors import Diagnostic, InputError
from ensue.spark.programs.places import table_folder, tables_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DAY = "day"
ENVELOPE = ("id", "class", "begin", "end", "detected", "version", "constituents", DAY, "batch")
FEW = 1_000_000
"""So many rows of a micro-batch go into one file a day."""

_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a data folder."""

    data: Path

    @property
    def folder(self) -> Path:
        return tables_folder(self.data)

    def of(self, name: str) -> Path:
        return table_folder(self.data, name)

    def published(self, name: str, batch: int) -> bool:
        return (self.of(name) / f"batch={batch}").exists()

    def publish(self, name: str, batch: int, rows: DataFrame, count: int) -> None:
        """Add what a micro-batch has for a table: all of it at once."""
        if not self.published(name, batch):
            publish(rows, self.of(name) / f"batch={batch}", self._aside, count)

    def add(self, name: str, batch: int, rows: pa.Table) -> None:
        """The same for rows that are in this process."""
        if not self.published(name, batch):
            with placing(self.of(name) / f"batch={batch}", self._aside) as folder:
                _write(rows, folder)

    def withdraw(self, name: str, after: int) -> None:
        """Take back what later batches have added to a table."""
        for folder in self.of(name).glob("batch=*"):
            if int(folder.name.removeprefix("batch=")) > after:
                shutil.rmtree(folder)

    def prepare(self) -> None:
        """Make the folders, and remove what an interrupted run has left aside."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(self._aside, ignore_errors=True)
        except OSError as error:
            raise InputError(Diagnostic("E605", f"{self.data} cannot be written: {error.strerror}")) from None

    @property
    def empty(self) -> bool:
        return not self.folder.exists() or not any(self.folder.iterdir())

    @property
    def _aside(self) -> Path:
        return self.data / "aside"


def publish(
    rows: DataFrame,
    target: Path,
    aside: Path,
    count: int,
    form: str = "parquet",
    options: dict[str, str] | None = None,
) -> None:
    """Write rows aside, and rename them to where they belong; `day` becomes folders."""
    placed = rows.coalesce(1) if count < FEW else rows
    writer = placed.write.format(form).options(**(options or {}))
    if DAY in rows.columns:
        writer = writer.partitionBy(DAY)
    with placing(target, aside) as written:
        writer.save(str(written))


@contextmanager
def placing(target: Path, aside: Path) -> Iterator[Path]:
    """A folder to be made and filled, which then gets its place."""
    written = aside / uuid4().hex
    yield written
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(written, target)  # noqa: PTH104  # of the two spellings this one says what is meant


def _write(rows: pa.Table, folder: Path) -> None:
    days = rows.column(DAY).unique().to_pylist() if DAY in rows.column_names else [None]
    for day in days:
        place = folder if day is None else folder / f"{DAY}={day.isoformat()}"
        mine = rows if day is None else rows.filter(pc.equal(rows.column(DAY), day)).drop_columns([DAY])
        place.mkdir(parents=True)
        pq.write_table(mine, place / "part-0.parquet")


def day_of(time: Column) -> Column:
    """The day of a time in UTC, whatever the time zone of the session."""
    instant = f.unix_micros(time)
    return f.date_from_unix_date(((instant - f.pmod(instant, f.lit(_DAY))) / f.lit(_DAY)).cast("int"))


def attribute_column(name: str) -> str:
    """The column of an attribute: one that would be taken for another column has a question mark before it."""
    return f"?{name}" if name.casefold() in ENVELOPE else name
