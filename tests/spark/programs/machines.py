"""A small world for programs: readings as JSON lines, resets as Parquet, two levels of classes over them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import ensue
from ensue.language import Program, parse_program

PROGRAM = """
CREATE SUBSCRIBED EVENT CLASS Reading(device TEXT, taken TIMESTAMP, celsius DOUBLE, nr INT)
  TIME taken ID (nr) DELAY 10 seconds FROM json OPTIONS (path 'readings', maxFilesPerTrigger 1);
CREATE SUBSCRIBED EVENT CLASS Reset(id TEXT, time TIMESTAMP, device TEXT)
  FROM parquet OPTIONS (path 'resets', maxFilesPerTrigger 1);
CREATE COMPLEX EVENT CLASS Hot(d TEXT, c DOUBLE) AS DETECT
  2 times Reading(device = ?d, celsius > 80, celsius = ?c) within 1 minute without Reset(device = ?d)
  IN CONTEXT chronicle;
CREATE COMPLEX EVENT CLASS Failing(d TEXT) AS DETECT
  Hot(d = ?d) then Hot(d = ?d) within 10 minutes IN CONTEXT chronicle;
CREATE COMPLEX EVENT CLASS Anywhere() AS DETECT
  Hot(d = ?a) then Reset(device = ?b) within 5 minutes where ?a != ?b IN CONTEXT recent;
"""
DERIVED = ("Hot", "Failing", "Anywhere")

PATIENCE = 1800.0
"""So many seconds nothing may happen: a verdict never depends on them, only a test that hangs ends by them."""


def moment(second: float) -> datetime:
    return datetime.fromtimestamp(1_783_674_000 + second, UTC)


def reading(nr: int, second: float, device: str, celsius: float = 81.0) -> dict[str, Any]:
    return {"nr": nr, "taken": moment(second).isoformat(), "device": device, "celsius": celsius}


def reset(name: str, second: float, device: str) -> dict[str, Any]:
    return {"id": name, "time": moment(second), "device": device}


Part = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""A file of readings, and one of resets."""


def part(number: int) -> Part:
    """Forty seconds, a little out of order."""
    first, start = number * 20, number * 40
    readings = [
        reading(first + i, start + (i * 7) % 40, "abc"[(i * i + number) % 3], 81.0 if i % 4 else 20.0)
        for i in range(16)
    ]
    return readings, [reset(f"r{number}", start + 20, "abc"[number % 3])]


def last(number: int) -> Part:
    """What moves the time on, beyond all that is open after so many parts."""
    return [reading(999_999, number * 40 + 5_000, "z", 1.0)], [reset("end", number * 40 + 5_000, "z")]


def parts() -> list[Part]:
    """Three, and the last."""
    return [*map(part, range(3)), last(0)]


class World:
    """A folder with the program's sources, and its data folder."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.data = base / "data"
        (base / "readings").mkdir(parents=True)
        (base / "resets").mkdir()
        self.readings: list[dict[str, Any]] = []
        self.resets: list[dict[str, Any]] = []
        self._files = 0

    def put(self, readings: Iterable[dict[str, Any]], resets: Iterable[dict[str, Any]] = ()) -> None:
        """One file more for each class that has events."""
        self.readings += readings
        self.resets += resets
        if readings:
            self.lines(json.dumps(one) for one in readings)
        if resets:
            self._files += 1
            hidden = self.base / "resets" / f".{self._files}.tmp"
            pq.write_table(_resets(list(resets)), hidden)
            self._show(hidden, f"{self._files}.parquet")

    def lines(self, lines: Iterable[str]) -> None:
        """A file of readings with these lines."""
        self._files += 1
        hidden = self.base / "readings" / f".{self._files}.tmp"
        hidden.write_text("".join(f"{line}\n" for line in lines))
        self._show(hidden, f"{self._files}.json")

    def _show(self, hidden: Path, name: str) -> None:
        """Make a file one of the source's, later than those before it: Spark goes by their times."""
        os.utime(hidden, (1_700_000_000 + self._files,) * 2)
        hidden.rename(hidden.with_name(name))

    @property
    def program(self) -> Program:
        return parse_program(PROGRAM)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """A table as any reader of Parquet sees it, by the ids of its rows."""
        folder = self.data / "tables" / table
        if not folder.exists():
            return []
        found: list[dict[str, Any]] = pq.ParquetDataset(folder).read().drop_columns(["batch"]).to_pylist()
        return sorted(found, key=lambda row: str(row.get("id", row.get("raw"))))

    def ids(self, table: str) -> list[str]:
        return [row["id"] for row in self.rows(table)]

    def expected(self) -> dict[str, list[str]]:
        """The ids that detection in one process finds."""
        events = [{**one, "type": "Reading", "id": str(one["nr"]), "time": one["taken"]} for one in self.readings]
        events += [{**one, "type": "Reset"} for one in self.resets]
        found = {}
        for item in self.program.complex_classes:
            name = item.declaration.name
            listed = ensue.detect({name: item.pattern}, events, item.context, program=self.program)
            found[name] = sorted(one.id for one in listed[name])
        return found


def _resets(rows: list[dict[str, Any]]) -> pa.Table:
    kinds = [("id", pa.string()), ("time", pa.timestamp("us", "UTC")), ("device", pa.string())]
    return pa.Table.from_pylist(rows, schema=pa.schema(kinds))
