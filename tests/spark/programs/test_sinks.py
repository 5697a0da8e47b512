"""What goes into sinks is what is in the tables, in the form that was asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
from tests.spark.programs.machines import DERIVED, PROGRAM, World, parts

from ensue.language import parse_program
from ensue.spark.programs.running import start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def with_sinks(text: str, **sinks: str) -> str:
    """The program, with a sink for each of some classes; and with resets from CSV files."""
    text = text.replace("FROM parquet OPTIONS (path 'resets', maxFilesPerTrigger 1)", "FROM csv OPTIONS (path 'csv')")
    statements = text.split(";")
    for name, sink in sinks.items():
        place = next(i for i, one in enumerate(statements) if f"COMPLEX EVENT CLASS {name}(" in one)
        statements[place] += f" INTO {sink}"
    return ";".join(statements)


def test_sinks_have_what_the_tables_have(spark: SparkSession, tmp_path: Path):
    world = World(tmp_path)
    files = parts()
    (tmp_path / "csv").mkdir()
    with (tmp_path / "csv" / "1.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "time", "device"])
        for one in (one for _, resets in files for one in resets):
            world.resets.append(one)
            rows.writerow([one["id"], one["time"].isoformat(), one["device"]])
    for readings, _ in files:
        world.put(readings)
    text = with_sinks(
        PROGRAM,
        Hot="parquet OPTIONS (path 'hot')",
        Failing="csv OPTIONS (path 'failing', sep '|')",
        Anywhere="memory OPTIONS (name 'anywhere')",
    )
    start(spark, parse_program(text), world.data, base=tmp_path).query.awaitTermination()
    assert {name: world.ids(name) for name in DERIVED} == world.expected()
    assert all(world.expected().values())

    hot = pq.ParquetDataset(tmp_path / "hot").read().drop_columns(["batch"]).to_pylist()
    tabled = [{name: value for name, value in row.items() if name != "day"} for row in world.rows("Hot")]
    assert sorted(hot, key=lambda row: str(row["id"])) == tabled

    failing = []
    for path in (tmp_path / "failing").glob("batch=*/*.csv"):
        with path.open(newline="") as file:
            failing += list(csv.DictReader(file, delimiter="|", escapechar="\\", doublequote=False))
    found = {row["id"]: [part["id"] for part in json.loads(row["constituents"])] for row in failing}
    assert found == {row["id"]: [part["id"] for part in row["constituents"]] for row in world.rows("Failing")}
    assert {row["d"] for row in failing} == {row["d"] for row in world.rows("Failing")}

    anywhere = spark.table("global_temp.anywhere").collect()
    assert sorted(row["id"] for row in anywhere) == world.ids("Anywhere")
