"""Instants: microseconds since 1970-01-01T00:00:00Z, as plain integers.

A naive time is UTC. A bare number from the outside is epoch **milliseconds** (the convention of JSON producers); inside
the package an instant is always microseconds.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta

UNITS = ("year", "month", "day", "hour", "minute", "second", "millisecond", "microsecond")
"""What an instant can be written to, coarsest first."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIXED = {
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_ISO = re.compile(
    r"""(?P<year>\d{4})
        (?:-(?P<month>\d{2})
        (?:-(?P<day>\d{2})
        (?:[T ](?P<hour>\d{2})
        (?::(?P<minute>\d{2})
        (?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?)?
        \s*(?P<zone>Z|z|[+-]\d{2}:?(?:\d{2})?)?)?)?)?""",
    re.VERBOSE,
)


def to_instant(value: object) -> int:
    """An instant from whatever users give as a time: ISO text, a datetime or date, or epoch milliseconds.

    >>> to_instant("2026-07-10T09:20:00Z") == to_instant("2026-07-10 09:20") == to_instant(1783675200000)
    True
    """
    match value:
        case bool():
            raise ValueError(f"{value!r} is not a time")
        case str():
            return parse_instant(value)
        case datetime():
            aware = value if value.tzinfo else value.replace(tzinfo=UTC)
            return _microseconds(aware - _EPOCH)
        case date():
            return _microseconds(datetime(value.year, value.month, value.day, tzinfo=UTC) - _EPOCH)
        case int():
            return _in_range(value * 1000)
        case float():
            if not math.isfinite(value):
                raise ValueError(f"{value!r} is not a time")
            return _in_range(round(value * 1000))
        case _:
            raise ValueError(f"{value!r} is not a time")


def parse_instant(text: str) -> int:
    """An instant from ISO 8601 text; what is left out is the start of the unit written."""
    return parse_instant_with_unit(text)[0]


def parse_instant_with_unit(text: str) -> tuple[int, str]:
    """The instant and the finest unit that the text is written to (`2026-07-10` is written to the day)."""
    match = _ISO.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a time; write it like 2026-07-10T09:20:00Z")
    part = match.groupdict()
    unit = next(u for u in reversed(UNITS[:6]) if part[u] is not None)
    fraction = (part["fraction"] or "")[:6]
    if fraction:
        unit = "millisecond" if len(fraction) <= 3 else "microsecond"
    try:
        moment = datetime(
            int(part["year"]),
            int(part["month"] or 1),
            int(part["day"] or 1),
            int(part["hour"] or 0),
            int(part["minute"] or 0),
            int(part["second"] or 0),
            int(fraction.ljust(6, "0")) if fraction else 0,
            tzinfo=UTC,
        )
        return _in_range(_microseconds(moment - _EPOCH) - _zone_offset(part["zone"])), unit
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a time: {error}") from None


def instant_from_fields(fields: tuple[int, ...]) -> tuple[int, str]:
    """An instant from the bracketed fields of the event history processor, and the unit they are written to.

    Both `[1999 06 10 0 0 0]` and `[06 10 1999 0 0 0]` are in use: the four-digit field is the year.

    >>> instant_from_fields((2026, 6, 10, 0, 0, 0)) == instant_from_fields((6, 10, 2026, 0, 0, 0))
    True
    """
    if not 1 <= len(fields) <= 6:
        raise ValueError("a bracketed time has one to six fields: year month day hour minute second")
    if len(fields) >= 3 and fields[0] < 1000 <= fields[2]:
        fields = (fields[2], fields[0], fields[1], *fields[3:])
    if not 1000 <= fields[0] <= 9999:
        raise ValueError("no field of the time is a four-digit year")
    padded = (*fields, *(1, 1, 1, 0, 0, 0)[len(fields) :])
    year, month, day, hour, minute, second = padded
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        raise ValueError(f"[{' '.join(map(str, fields))}] is not a time: {error}") from None
    return _microseconds(moment - _EPOCH), UNITS[len(fields) - 1]


def unit_end(instant: int, unit: str) -> int:
    """The first instant after the unit that begins at `instant`."""
    if unit in _FIXED:
        return instant + _FIXED[unit]
    moment = to_datetime(instant)
    if unit == "month":
        following = datetime(moment.year + moment.month // 12, moment.month % 12 + 1, 1, tzinfo=UTC)
    else:
        following = datetime(moment.year + 1, 1, 1, tzinfo=UTC)
    return _microseconds(following - _EPOCH)


def to_datetime(instant: int) -> datetime:
    """The same instant as a datetime in UTC."""
    return _EPOCH + timedelta(microseconds=instant)


def format_instant(instant: int, unit: str | None = None) -> str:
    """ISO 8601 text in UTC, with no more digits than it needs, or written just to `unit`.

    >>> format_instant(to_instant("2026-07-10"))
    '2026-07-10T00:00:00Z'
    >>> format_instant(to_instant("2026-07-10"), "day")
    '2026-07-10'
    """
    moment = to_datetime(instant)
    match unit:
        case "year":
            return f"{moment.year:04}"
        case "month":
            return f"{moment.year:04}-{moment.month:02}"
        case "day":
            return moment.date().isoformat()
        case "hour":
            return moment.strftime("%Y-%m-%dT%HZ") if moment.year >= 1000 else f"{moment.date()}T{moment.hour:02}Z"
        case "minute":
            return f"{moment.date()}T{moment.hour:02}:{moment.minute:02}Z"
        case "second" | "millisecond" | "microsecond":
            spec = {"second": "seconds", "millisecond": "milliseconds", "microsecond": "microseconds"}[unit]
            return moment.replace(tzinfo=None).isoformat(timespec=spec) + "Z"
        case _:
            fine = (
                "seconds" if not moment.microsecond else "microseconds" if moment.microsecond % 1000 else "milliseconds"
            )
            return moment.replace(tzinfo=None).isoformat(timespec=fine) + "Z"


def _microseconds(delta: timedelta) -> int:
    return delta.days * 86_400_000_000 + delta.seconds * 1_000_000 + delta.microseconds


EARLIEST = _microseconds(datetime(1, 1, 1, tzinfo=UTC) - _EPOCH)
LATEST = _microseconds(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC) - _EPOCH)


def _in_range(instant: int) -> int:
    if not EARLIEST <= instant <= LATEST:
        raise ValueError(f"{instant // 1000} is not a time: epoch milliseconds between the years 1 and 9999 are")
    return instant


def _zone_offset(zone: str | None) -> int:
    if not zone or zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = int(digits[:2]) * 3_600_000_000 + int(digits[2:]) * 60_000_000
    return -offset if zone[0] == "-" else offset
