"""What the benchmarks on Spark share: the session, and the events in files."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from bench import data


def write_events(folder: Path, events: int, at_once: int = 1_000_000, *, tied: bool = True) -> None:
    """The benchmark's events as Parquet files of at most so many, in order of time, with ids."""
    for start in range(0, events, at_once):
        count = min(at_once, events - start)
        table = data.events(count, start, tied=tied)
        ids = pa.array(np.arange(start, start + count, dtype=np.int64))
        table = table.set_column(0, "type", table.column("type").cast(pa.string())).append_column("id", ids)
        pq.write_table(table, folder / f"{start:012}.parquet")


def session() -> SparkSession:
    """Two cores, quiet."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    found = (
        SparkSession.Builder()
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.driver.memory", "3g")
        .config("spark.python.daemon.module", "ensue.spark.daemon")  # Spark ends workers that wait for a minute
        .config("spark.python.unix.domain.socket.enabled", "true")  # over TCP, each task waits for 40 ms
        .config("spark.python.unix.domain.socket.dir", _sockets())
        .getOrCreate()
    )
    found.sparkContext.setLogLevel("ERROR")
    return found


def _sockets() -> str:
    """A folder for the sockets between Java and Python: Spark leaves some of them there when it ends."""
    folder = tempfile.mkdtemp(prefix="ensue-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
