"""Publications as JSON lines: one object for each, in the order in which they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ensue.spark.corrections.tables import NUMBER, PUBLICATIONS
from ensue.spark.programs.tables import Tables
from ensue.time import format_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENVELOPE = ("publication", "class", "case", "detected", "occurred", "replaces")
"""What is said of a publication besides the attributes of its event."""


def write_publications(spark: SparkSession, data: Path, out: IO[str]) -> int:
    """Write everything that was published so far; says how many there are."""
    place = Tables(data).of(PUBLICATIONS)
    if not place.exists():
        return 0
    rows = spark.read.parquet(str(place)).orderBy("batch", NUMBER)
    told = rows.selectExpr(
        "publication",
        "class",
        "case",
        "unix_micros(detected) AS detected",
        "unix_micros(occurred) AS occurred",
        "attributes",
        "unix_micros(replaces.occurred) AS old_time",
        "replaces.attributes AS old_attributes",
    )
    count = 0
    for count, row in enumerate(told.toLocalIterator(), 1):  # noqa: B007 - it is what is given back
        out.write(json.dumps(_as_object(row.asDict()), ensure_ascii=False) + "\n")
    return count


def _as_object(row: dict[str, Any]) -> dict[str, Any]:
    old = row["old_time"]
    return {
        "publication": row["publication"],
        "class": row["class"],
        "case": row["case"],
        "detected": format_instant(row["detected"]),
        "occurred": format_instant(row["occurred"]),
        **_attributes(row["attributes"]),
        "replaces": None if old is None else {"occurred": format_instant(old), **_attributes(row["old_attributes"])},
    }


def _attributes(text: str) -> dict[str, Any]:
    """An attribute that would be taken for something else has a question mark before it, as in the tables."""
    return {f"?{name}" if name in ENVELOPE else name: value for name, value in json.loads(text).items()}
