"""Durations: fixed lengths in microseconds. There are no months and no years in a duration: they have no fixed
length.
"""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

_UNITS = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_SPELLINGS = {
    "w": "week",
    "d": "day",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "m": "minute",
    "min": "minute",
    "mins": "minute",
    "s": "second",
    "sec": "second",
    "secs": "second",
    "ms": "millisecond",
    "msec": "millisecond",
    "us": "microsecond",
    "µs": "microsecond",
    **{name: name for name in _UNITS},
    **{f"{name}s": name for name in _UNITS},
}
DURATION_UNITS = tuple(_SPELLINGS)
"""Every spelling of a unit that is understood."""

_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zµ]*)", re.IGNORECASE)
_LONGEST = 365_250_000 * _UNITS["day"] // 1000


def parse_duration(value: str | float | timedelta) -> int:
    """Microseconds from text (`"2 minutes"`, `"1h 30m"`), a timedelta, or a bare number of seconds.

    >>> parse_duration("1h 30m") == parse_duration("90 minutes") == parse_duration(5400)
    True
    """
    if isinstance(value, timedelta):
        return _checked(Fraction(value // timedelta(microseconds=1)), value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return _checked(Fraction(value) * _UNITS["second"], value)
        except (ValueError, OverflowError):
            raise ValueError(f"{value!r} is not a duration") from None
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a duration")
    total, position = Fraction(0), 0
    text = value.strip()
    while position < len(text):
        match = _PART.match(text, position)
        if not match:
            raise ValueError(f"{value!r} is not a duration; write it like 2 minutes or 1h 30m")
        unit = _SPELLINGS.get(match[2].lower() or "second")
        if unit is None:
            raise ValueError(
                f"{match[2]!r} is not a unit of duration; use days, hours, minutes, seconds or milliseconds"
            )
        total += Fraction(match[1]) * _UNITS[unit]
        position = match.end()
    if not text:
        raise ValueError("an empty text is not a duration")
    return _checked(total, value)


def format_duration(microseconds: int) -> str:
    """The shortest exact text with one unit.

    >>> format_duration(120_000_000), format_duration(1_500_000)
    ('2 minutes', '1500 milliseconds')
    """
    for name, size in _UNITS.items():
        if name != "week" and microseconds % size == 0 and (microseconds or name == "second"):
            count = microseconds // size
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    raise AssertionError("every whole number is a multiple of one microsecond")


def _checked(microseconds: Fraction, value: object) -> int:
    if microseconds < 0:
        raise ValueError(f"{value!r} is negative; a duration is not")
    if microseconds > _LONGEST:
        raise ValueError(f"{value!r} is longer than a thousand years")
    return round(microseconds)
