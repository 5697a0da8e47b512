"""A list from a file: CSV, also compressed, or Parquet, as rows of text."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ensue.demo.lists.records import Row
from ensue.errors import Diagnostic, InputError, near
from ensue.files.opening import reading


def read_list(path: Path, columns: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a list, one after the other; without a column that is needed, an error that names it."""
    with reading(str(path)):
        if path.suffix.lower() in {".parquet", ".pq"}:
            yield from _parquet(path, columns)
            return
        try:
            with _text(path) as text:
                rows = csv.DictReader(text)
                _check(path, columns, tuple(rows.fieldnames or ()))
                for row in rows:
                    yield {name: row[name] or "" for name in columns}
        except (UnicodeDecodeError, csv.Error, zipfile.BadZipFile) as error:
            raise _unreadable(path, error) from None


def _parquet(path: Path, columns: tuple[str, ...]) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _check(path, columns, tuple(file.schema_arrow.names))
            for batch in file.iter_batches(columns=list(columns)):
                for row in batch.to_pylist():
                    yield {name: "" if value is None else str(value) for name, value in row.items()}
    except pa.ArrowException as error:
        raise _unreadable(path, error) from None


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    """The text of a file; of an archive, that of the first file in it."""
    with path.open("rb") as raw:
        head = raw.read(4)
        raw.seek(0)
        if head[:2] == b"\x1f\x8b":
            with gzip.open(raw, "rt", encoding="utf-8-sig", newline="") as text:
                yield text
        elif head == b"PK\x03\x04":
            with zipfile.ZipFile(raw) as archive, archive.open(archive.namelist()[0]) as inside:
                yield io.TextIOWrapper(inside, encoding="utf-8-sig", newline="")
        else:
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")


def _check(path: Path, columns: tuple[str, ...], there: tuple[str, ...]) -> None:
    for name in columns:
        if name not in there:
            message = f"{path} has no column {name}; it has {', '.join(there) or 'none'}"
            guess = near(name, there)
            needed = f"the columns have to be {', '.join(columns)}"
            raise InputError(Diagnostic("E604", message, hint=f"{guess} {needed}" if guess else needed))


def _unreadable(path: Path, error: Exception) -> InputError:
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    hint = "it has to be CSV with a header (also as .gz or .zip), or Parquet"
    return InputError(Diagnostic("E601", f"{path} cannot be read: {said}", hint=hint))
