"""Changes to the feed of earthquakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ensue.demo.lists.records import OPERATIONS, Record, Row, number

COLUMNS = ("tx_time_ms", "op", "id", "time_ms", "mag", "place", "longitude", "latitude", "depth_km")
_STATES = {"CA": "California", "NV": "Nevada"}
"""The feed abbreviates these now and then."""


def announcements(rows: Iterable[Row]) -> Iterator[Record]:
    """Each change is an announcement of one quake; `delete` means that it was withdrawn."""
    for row in rows:
        yield {
            "type": "Quake",
            "op": OPERATIONS[row["op"]],
            "time": int(row["time_ms"]),
            "detected": int(row["tx_time_ms"]),
            "id": row["id"],
            "mag": number(row["mag"]),
            "place": row["place"],
            "longitude": number(row["longitude"]),
            "latitude": number(row["latitude"]),
            "depth": number(row["depth_km"]),
        }


def region(place: str) -> str:
    """The country or state: what follows the last comma of a place."""
    found = place.rpartition(",")[2].strip().removesuffix(" region")
    return _STATES.get(found, found)
