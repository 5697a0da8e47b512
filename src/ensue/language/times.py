"""When the events of a SELECT class occur, told by the tables of its SELECT: values, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ensue.algebra.printing import RESERVED
from ensue.time import format_duration

_PLAIN = re.compile(r"[^\W\d]\w*")
_WORDS = RESERVED | {"now", "max", "min"}


@dataclass(frozen=True, slots=True)
class TimeOf:
    """The occurrence time of a table's event, or one of its attributes that is a time."""

    table: str
    attribute: str | None = None

    def __str__(self) -> str:
        if self.attribute is not None:
            return f"{self.table}.{self.attribute}"
        plain = _PLAIN.fullmatch(self.table) and self.table.lower() not in _WORDS
        return self.table if plain else "`" + self.table.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class Now:
    """The step at which a row comes to hold."""

    def __str__(self) -> str:
        return "NOW"


@dataclass(frozen=True, slots=True)
class Shifted:
    """So many microseconds after a time; before it, if the number is negative."""

    time: Time
    by: int

    def __str__(self) -> str:
        return f"{self.time} {'-' if self.by < 0 else '+'} {format_duration(abs(self.by))}"


@dataclass(frozen=True, slots=True)
class Extreme:
    """The latest or the earliest of some times; of one alone, over the rows of a group."""

    latest: bool
    times: tuple[Time, ...]

    def __str__(self) -> str:
        return f"{'MAX' if self.latest else 'MIN'}({', '.join(map(str, self.times))})"


Time: TypeAlias = TimeOf | Now | Shifted | Extreme


@dataclass(frozen=True, slots=True)
class Checks:
    """CHECKING AT: the points `first`, `first + every`, … up to `last` at which the rows of a SELECT are looked at."""

    first: Time
    last: Time
    every: int

    def __str__(self) -> str:
        return f"CHECKING AT ({self.first}, {self.last}, {format_duration(self.every)})"


def parts(time: Time) -> Iterator[Time]:
    """A time and every time inside it."""
    yield time
    match time:
        case Shifted(time=inner):
            yield from parts(inner)
        case Extreme(times=inner_ones):
            for one in inner_ones:
                yield from parts(one)
