"""The functions of the expression language, one value at a time.

They live here, beside the expressions, because every way to run needs the same answers: the reference calls them for
each event, the engine for each distinct value. A wrong kind of argument gives None (null), never an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache

from ensue.model.values import Value, kind, value_key
from ensue.time.instants import parse_instant, to_datetime


def call(function: str, arguments: list[Value]) -> Value | None:
    """The value of a function for arguments none of which is missing."""
    try:
        result = _IMPLEMENTATIONS[function](*arguments)
    except (TypeError, ValueError, AttributeError, OverflowError):
        return None
    return None if isinstance(result, float) and math.isnan(result) else result


def arithmetic(operator: str, left: Value, right: Value) -> Value | None:
    """Numbers are added, and so on, in double precision; a time plus seconds is a time; times differ by seconds."""
    kinds = kind(left), kind(right)
    if kinds == ("number", "number"):
        return _number_arithmetic(operator, float(left), float(right))  # type: ignore[arg-type]  # both are numbers
    if isinstance(left, datetime) and isinstance(right, datetime):
        return (instant_of(left) - instant_of(right)) / 1_000_000 if operator == "-" else None
    if kinds == ("time", "number") and operator in "+-":
        seconds = float(right) if operator == "+" else -float(right)  # type: ignore[arg-type]  # a number
        return _shifted(left, seconds)  # type: ignore[arg-type]  # a time
    if kinds == ("number", "time") and operator == "+":
        return _shifted(right, float(left))  # type: ignore[arg-type]  # a time and a number
    return None


def compare(operator: str, left: Value, right: Value) -> bool | None:
    """Equality holds across kinds (and is false there); order is defined for numbers, texts and times."""
    one, two = value_key(left), value_key(right)
    if operator == "=":
        return one == two
    if operator == "!=":
        return one != two
    if one[0] != two[0] or one[0] == "truth":
        return None
    a, b = one[1], two[1]
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]  # type: ignore[operator]  # of one kind


def like(text: str, pattern: str) -> bool:
    """Whether the whole text matches a pattern with `%` and `_`."""
    return like_expression(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def like_expression(pattern: str) -> re.Pattern[str]:
    """A LIKE pattern as a regular expression."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    translated = (".*" if p == "%" else "." if p == "_" else re.escape(p[1:] if len(p) == 2 else p) for p in parts)
    return re.compile("".join(translated), re.DOTALL)


def instant_of(moment: datetime) -> int:
    """A time value in microseconds."""
    return int(value_key(moment)[1])


def _number_arithmetic(operator: str, left: float, right: float) -> float | None:
    if operator in "/%" and right == 0:
        return None
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "/":
            result = left / right
        case _:
            result = math.fmod(left, right) if math.isfinite(left) else math.nan
    return None if math.isnan(result) else result


def _shifted(moment: datetime, seconds: float) -> datetime | None:
    try:
        return to_datetime(instant_of(moment) + round(seconds * 1_000_000))
    except (OverflowError, ValueError):
        return None


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)


def _moment(value: Value) -> datetime:
    if not isinstance(value, datetime):
        raise TypeError
    return value


def _whole(value: Value) -> int:
    number = _number(value)
    if not number.is_integer():
        raise ValueError
    return int(number)


def _substring(text: Value, start: Value, length: Value | None = None) -> str:
    """SQL's rule: positions count from 1, and what lies outside the text is cut off."""
    content, first = _text(text), _whole(start) - 1
    last = len(content) if length is None else first + max(0, _whole(length))
    return content[max(0, first) : max(0, last)]


def _round(value: Value) -> float:
    """Halves are rounded away from zero, as in SQL."""
    number = _number(value)
    size = math.floor(abs(number))
    return math.copysign(size + (abs(number) - size >= 0.5), number)


def _extreme(choose: Callable[[list[float]], float]) -> Callable[..., float]:
    return lambda *values: choose([_number(value) for value in values])


_IMPLEMENTATIONS: dict[str, Callable[..., Value]] = {
    "lower": lambda text: _text(text).lower(),
    "upper": lambda text: _text(text).upper(),
    "trim": lambda text: _text(text).strip(),
    "length": lambda text: len(_text(text)),
    "substring": _substring,
    "concat": lambda *texts: "".join(_text(text) for text in texts),
    "replace": lambda text, old, new: _text(text).replace(_text(old), _text(new)) if old else _text(text),
    "starts_with": lambda text, part: _text(text).startswith(_text(part)),
    "ends_with": lambda text, part: _text(text).endswith(_text(part)),
    "contains": lambda text, part: _text(part) in _text(text),
    "abs": lambda number: abs(_number(number)),
    "round": _round,
    "floor": lambda number: float(math.floor(_number(number))),
    "ceil": lambda number: float(math.ceil(_number(number))),
    "sqrt": lambda number: math.sqrt(_number(number)),
    "least": _extreme(min),
    "greatest": _extreme(max),
    "year": lambda time: _moment(time).year,
    "month": lambda time: _moment(time).month,
    "day": lambda time: _moment(time).day,
    "hour": lambda time: _moment(time).hour,
    "minute": lambda time: _moment(time).minute,
    "second": lambda time: _moment(time).second + _moment(time).microsecond / 1_000_000,
    "weekday": lambda time: _moment(time).isoweekday(),
    "epoch": lambda time: instant_of(_moment(time)) / 1_000_000,
    "time": lambda text: to_datetime(parse_instant(_text(text))),
}
