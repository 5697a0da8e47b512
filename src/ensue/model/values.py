"""Attribute values and when two of them are the same.

There are four kinds: numbers, texts, truth values and times. Values of different kinds are never equal (1 equals 1.0
but not "1", and true is not 1). A missing value, null or not-a-number fails every condition and binds nothing.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypeAlias

from ensue.time import to_instant

Value: TypeAlias = bool | int | float | str | datetime
"""A value as users see it; `None` stands for a missing one."""

ValueKey: TypeAlias = tuple[str, bool | int | float | str]


_LARGEST = 10**308
"""Beyond the range of doubles a number is no value: nothing could be computed with it."""


def normal(value: object) -> Value | None:
    """The value as the package keeps it, or None if it is missing.

    Trees (dicts and lists) are not values: a condition on one fails, like a condition on a missing attribute.
    """
    match value:
        case bool() | str():
            return value
        case int():
            return value if abs(value) < _LARGEST else None
        case float():
            return None if math.isnan(value) else value
        case Decimal():
            return None if value.is_nan() else float(value)
        case datetime():
            return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        case _:
            return None


def kind(value: Value) -> str:
    """Which of the four kinds a value is of."""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, (int, float)):
        return "number"
    return "text" if isinstance(value, str) else "time"


def value_key(value: Value) -> ValueKey:
    """A key that is equal just for values that are the same; it also orders values of one kind."""
    if isinstance(value, datetime):
        return "time", to_instant(value)
    if isinstance(value, float) and value.is_integer():
        return "number", int(value)
    return kind(value), value


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal in the sense of the language."""
    return value_key(left) == value_key(right)
