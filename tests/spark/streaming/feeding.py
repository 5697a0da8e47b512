"""Streams of files for tests: each file is a micro-batch."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensue.spark import Detection, counts
from ensue.time import format_instant, parse_instant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "type STRING, time TIMESTAMP, id STRING, v BIGINT"
START = parse_instant("2026-07-10T09:00:00Z")


def event(kind: str | None, second: float | None, name: str, v: int | None = 1) -> dict[str, Any]:
    time = None if second is None else format_instant(START + round(second * 1_000_000))
    return {"type": kind, "time": time, "id": name, "v": v}


class Files:
    """A folder of events, read as a stream, and a folder of what came out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.given: list[dict[str, Any]] = []
        self.checkpoint = str(folder / "checkpoint")
        (folder / "in").mkdir()

    def put(self, events: Iterable[Mapping[str, Any]]) -> None:
        """One more file; Spark takes files in the order of their times."""
        listed = [dict(one) for one in events]
        number = len(list((self.folder / "in").iterdir()))
        path = self.folder / "in" / f"{number:04}.json"
        hidden = self.folder / f"{number}.tmp"
        hidden.write_text("".join(json.dumps(one) + "\n" for one in listed), encoding="utf-8")
        os.utime(hidden, (1_700_000_000 + number, 1_700_000_000 + number))
        hidden.rename(path)
        self.given += listed

    def stream(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(self.folder / "in"))

    def run(self, detection: Detection) -> dict[str, int]:
        """Handle all that is there; gives the counts of the query's progress."""
        query = (
            detection.everything.writeStream.format("parquet")
            .option("path", str(self.folder / "out"))
            .option("checkpointLocation", self.checkpoint)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return counts(query)

    def found(self, spark: SparkSession) -> list[Any]:
        out = spark.read.parquet(str(self.folder / "out"))
        return list(out.where("kind = 'occurrence'").collect())

    def refused(self, spark: SparkSession) -> dict[str, str]:
        """The kinds of the refused events, by their ids."""
        out = spark.read.parquet(str(self.folder / "out"))
        return {row.event.id: row.kind for row in out.where("kind != 'occurrence'").collect()}
