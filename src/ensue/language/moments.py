"""Points and lengths of time, as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.time import instant_from_fields, parse_duration, parse_instant_with_unit

if TYPE_CHECKING:
    from lark import Token


def read_point(tokens: list[Token]) -> tuple[int, str]:
    """The instant and the unit it is written to, from `2026-07-10T09:20Z`, `07-10-2026` or `2026 07 10 9 20 0`."""
    if tokens[0].type == "INSTANT":
        return parse_instant_with_unit(tokens[0])
    fields = tokens[0].split("-") if tokens[0].type == "US_DATE" else tokens
    if not all(field.isdecimal() for field in fields):
        raise ValueError("the fields of a time are whole numbers: year month day hour minute second")
    return instant_from_fields(tuple(int(field[-9:]) for field in fields))


def read_length(token: Token) -> int:
    """Microseconds from `2 minutes`, `1h 30m`, or a bare number of seconds."""
    return parse_duration(str(token))


def read_subscript(token: Token) -> int:
    """Microseconds from the subscript of a restriction in time, `_120` or `_{120}`: seconds."""
    return parse_duration(token.strip("_{} "))
