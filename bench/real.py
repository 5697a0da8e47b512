"""Real events for the sweeps, from a folder that is given; README.md says where they come from.

What happened at the same time is set apart by a microsecond each, in the order of the files: engines differ in what
they make of simultaneous events.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from bench.data import Integers
from bench.questions import Question
from bench.shapes import Shape, Step, sequence

DAY = 86_400
SECOND = 1_000_000


@dataclass(frozen=True)
class Source:
    """A file, what is asked of it, and how its events are made."""

    name: str
    file: str
    shape: Shape
    read: Callable[[Path], pa.Table]


def questions(folder: Path) -> list[Question]:
    missing = [one.file for one in SOURCES if not (folder / one.file).exists()]
    if missing:
        raise SystemExit(f"There is no {', no '.join(missing)} in {folder}: bench/README.md says what belongs there.")
    return [Question("real", one.name, (one.shape,), partial(one.read, folder / one.file)) for one in SOURCES]


def _earthquakes(path: Path) -> pa.Table:
    """Every change to a public list of earthquakes, by the time at which the list showed it."""
    table = csv.read_csv(path)
    return _history(_changes(table), pc.multiply(table.column("tx_time_ms"), 1000), table.column("id"))


def _outages(path: Path) -> pa.Table:
    """Every change to a power company's list of outages."""
    table = csv.read_csv(path)
    return _history(_changes(table), pc.multiply(table.column("tx_time"), SECOND), table.column("outageNumber"))


def _changes(table: pa.Table) -> pa.Array:
    named = {"insert": "Listed", "update": "Changed", "delete": "Gone"}
    return pa.array([named[one] for one in table.column("op").to_pylist()])


def _flights(path: Path) -> pa.Table:
    """Departures from New York in 2013, by the time of the timetable; planes without a number are left out."""
    with zipfile.ZipFile(path) as packed:
        table = csv.read_csv(
            io.BytesIO(packed.read("flights.csv")),
            convert_options=csv.ConvertOptions(null_values=["", "NA"], strings_can_be_null=True),
        )
    table = table.filter(pc.is_valid(table.column("tailnum")))
    day = [f"2013-{month:02}-{day:02}" for month, day in zip(*_two(table, "month", "day"), strict=True)]
    minutes = table.column("hour").to_numpy() * 60 + table.column("minute").to_numpy()
    times = np.array(day, "datetime64[us]").astype(np.int64) + minutes * 60 * SECOND
    late = pc.fill_null(pc.greater_equal(table.column("dep_delay"), 60), False)
    return _history(pc.if_else(late, "Late", "Departed"), pa.array(times), table.column("tailnum"))


def _retail(path: Path) -> pa.Table:
    """A shop's invoice lines; the key is the customer and the article. Lines without a customer are left out."""
    table = pq.read_table(path)
    table = table.filter(pc.is_valid(table.column("Customer ID")))
    returned = pc.starts_with(table.column("Invoice"), "C")
    times = table.column("InvoiceDate").to_numpy(zero_copy_only=False).astype("datetime64[us]").astype(np.int64)
    both = pc.binary_join_element_wise(
        pc.cast(table.column("Customer ID"), pa.string()), table.column("StockCode").cast(pa.string()), " "
    )
    return _history(pc.if_else(returned, "Returned", "Bought"), pa.array(times), both)


def _two(table: pa.Table, *names: str) -> list[list[int]]:
    return [table.column(name).to_pylist() for name in names]


def _history(types: pa.Array, times: pa.Array, keys: pa.Array) -> pa.Table:
    """In order of time, each at a time of its own, with a number for each key."""
    micros = np.asarray(times).astype(np.int64)
    order = np.argsort(micros, kind="stable")
    codes = pc.dictionary_encode(_whole(keys)).indices.to_numpy().astype(np.int64)
    table = pa.table(
        {
            "type": pc.dictionary_encode(_whole(types)),
            "time": pa.array(np.zeros(len(order), np.int64)).cast(pa.timestamp("us", tz="UTC")),
            "key": codes,
        }
    ).take(pa.array(order))
    apart = pa.array(_apart(micros[order])).cast(pa.timestamp("us", tz="UTC"))
    return table.set_column(1, "time", apart).combine_chunks()


def _apart(times: Integers) -> Integers:
    """Times in order, each later than the one before, by as little as possible."""
    places = np.arange(len(times))
    found: Integers = np.maximum.accumulate(times - places) + places
    return found


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


SOURCES = (
    Source(
        "earthquakes",
        "earthquakes_changes.csv.gz",
        Shape((Step(("Listed",)), Step(("Changed",), times=2)), 7 * DAY),
        _earthquakes,
    ),
    Source("outages", "outages_changes.csv.gz", sequence(("Listed", "Changed", "Gone"), DAY), _outages),
    Source("flights", "flights.csv.zip", Shape((Step(("Late",), times=3),), DAY), _flights),
    Source("retail", "retail.parquet", sequence(("Bought", "Returned"), 30 * DAY), _retail),
)
