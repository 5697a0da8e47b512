"""Where the tables of a data folder are. It stands apart from them because a reader of Parquet needs no Spark."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote


def tables_folder(data: Path) -> Path:
    return data / "tables"


def table_folder(data: Path, name: str) -> Path:
    """The folder of a table. Names of classes may have signs that a file system does not take."""
    return tables_folder(data) / quote(name, safe=" +@,=()")
