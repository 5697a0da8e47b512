"""Make the data that demos have in the package, from the lists that src/ensue/demo/ORIGIN.md names.

.venv/bin/python tools/make_demo_data.py earthquakes earthquakes_changes.csv.gz
.venv/bin/python tools/make_demo_data.py flights flights.csv.zip flights_weather.csv.gz
.venv/bin/python tools/make_demo_data.py shop retail.parquet

The same lists give the same bytes.
"""

import gzip
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path

from ensue.demo.lists import earthquakes, flights, shop
from ensue.demo.lists.records import Record, Row
from ensue.demo.reading import read_list

DATA = Path(__file__).resolve().parent.parent / "src" / "ensue" / "demo" / "data"


def quakes(source: Path) -> Iterator[Record]:
    """A week: as long as a quake stays in the feed, so that whatever leaves it has been withdrawn."""
    first = datetime(2025, 5, 17, 18, tzinfo=UTC)
    begin, end = (round(time.timestamp() * 1000) for time in (first, first + timedelta(days=7)))
    for one in earthquakes.announcements(read_list(source, earthquakes.COLUMNS)):
        if begin <= one["time"] and one["detected"] < end:
            rounded = {name: _rounded(one[name], 3) for name in ("longitude", "latitude")}
            yield {**_without(one, "depth"), "region": earthquakes.region(one["place"]), **rounded}


def departures(source: Path, weather: Path) -> Iterator[Record]:
    """The days of a snow storm."""
    days = {("2", str(day)) for day in (7, 8, 9)}
    listed = read_list(source, flights.COLUMNS)
    chosen = (row for row in listed if (row["month"], row["day"]) in days)
    yield from flights.announcements(chosen)
    measured = read_list(weather, flights.WEATHER_COLUMNS)
    hours = ("2013-02-07T05", "2013-02-10T05")
    yield from flights.weather(row for row in measured if hours[0] <= row["time_hour"] < hours[1])


def orders(source: Path) -> Iterator[Record]:
    """The first eight days of the list."""

    def early(row: Row) -> bool:
        return row["InvoiceDate"] < "2009-12-09"

    yield from shop.announcements(takewhile(early, read_list(source, shop.COLUMNS)))


STRETCHES: dict[str, Callable[..., Iterable[Record]]] = {"earthquakes": quakes, "flights": departures, "shop": orders}


def main(name: str, *sources: str) -> None:
    records = sorted(STRETCHES[name](*map(Path, sources)), key=lambda one: one["detected"])
    target = DATA / f"{name}.jsonl.gz"
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for one in records:
            packed.write(json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    print(f"{target}: {len(records):,} announcements, {target.stat().st_size:,} bytes")


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _without(record: Record, name: str) -> Record:
    return {key: value for key, value in record.items() if key != name}


if __name__ == "__main__":
    main(*sys.argv[1:])
