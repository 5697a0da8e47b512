"""Instants, durations and calendars: UTC, in whole microseconds, with no notion of events."""

from ensue.time.calendars import BUILT_IN_CALENDARS, Calendar
from ensue.time.durations import format_duration, parse_duration
from ensue.time.instants import (
    UNITS,
    format_instant,
    instant_from_fields,
    parse_instant,
    parse_instant_with_unit,
    to_datetime,
    to_instant,
    unit_end,
)

__all__ = [
    "BUILT_IN_CALENDARS",
    "UNITS",
    "Calendar",
    "format_duration",
    "format_instant",
    "instant_from_fields",
    "parse_duration",
    "parse_instant",
    "parse_instant_with_unit",
    "to_datetime",
    "to_instant",
    "unit_end",
]
