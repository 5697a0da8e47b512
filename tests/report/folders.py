"""Data folders for reports, written as a run writes them, without one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ensue.language import parse_program
from ensue.spark.programs.kept import Kept, save
from ensue.spark.programs.places import table_folder

RECORDED = Path(__file__).parent / "recorded"
"""What `ensue run` left of a replay of announced.jsonl through program.ensue (`quakes`), and of examples/machines."""
START = datetime(2026, 7, 10, 9, tzinfo=UTC)

PARTS = pa.list_(pa.struct([("class", pa.string()), ("key", pa.string())]))
TIME = pa.timestamp("us", "UTC")
PUBLICATION = pa.schema(
    [
        *((name, pa.string()) for name in ("publication", "class", "case")),
        *((name, TIME) for name in ("detected", "occurred")),
        *((name, pa.string()) for name in ("attributes", "key", "id")),
        ("constituents", PARTS),
        ("why", PARTS),
        ("replaces", pa.struct([("id", pa.string()), ("occurred", TIME), ("attributes", pa.string())])),
        ("number", pa.int64()),
    ]
)


def minutes(count: float) -> datetime:
    return START + timedelta(minutes=count)


def recorded(name: str, to: Path) -> Path:
    """A recorded folder, as a copy of one's own."""
    return Path(shutil.copytree(RECORDED / name, to / name))


def folder(place: Path, program: str, tables: Mapping[str, Sequence[pa.Table]]) -> Path:
    """A data folder with these tables, one for each batch."""
    place.mkdir(parents=True, exist_ok=True)
    save(place, Kept(parse_program(program), {}, 1))
    for name, batches in tables.items():
        for number, rows in enumerate(batches):
            target = table_folder(place, name) / f"batch={number}"
            target.mkdir(parents=True)
            pq.write_table(rows, target / "part-0.parquet")
    return place


def versions(name: str, rows: Sequence[tuple[str, float, float, bool, Mapping[str, Any], Any]]) -> pa.Table:
    """Rows of a class: key, minute at which it occurs, minute of detection, withdrawn, attributes, constituents."""
    return pa.table(
        {
            "id": [f"{name}-{row[0]}" for row in rows],
            "class": [name] * len(rows),
            "key": [row[0] for row in rows],
            "begin": pa.array([minutes(row[1]) for row in rows], TIME),
            "end": pa.array([minutes(row[1]) for row in rows], TIME),
            "detected": pa.array([minutes(row[2]) for row in rows], TIME),
            "withdrawn": [row[3] for row in rows],
            **{
                attribute: [row[4].get(attribute) for row in rows]
                for attribute in dict.fromkeys(k for r in rows for k in r[4])
            },
            "constituents": pa.array(
                [None if row[5] is None else [_part(one) for one in row[5]] for row in rows], PARTS
            ),
        }
    )


def publications(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    told = [{**dict.fromkeys(PUBLICATION.names), **row, "number": number} for number, row in enumerate(rows)]
    return pa.Table.from_pylist(told, PUBLICATION)


def _part(pair: tuple[str, str]) -> dict[str, str]:
    return {"class": pair[0], "key": pair[1]}
