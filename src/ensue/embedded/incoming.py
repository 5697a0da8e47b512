"""Events as they come in: columns by name, whatever they were made from, and the places to name when one is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ensue.engine.arrays import Truths
from ensue.engine.columns import Column
from ensue.errors import Diagnostic, InputError


@dataclass(frozen=True, slots=True)
class Names:
    """Which columns say what happened, when, and which event it was.

    `event_type` is for data that holds events of one type only and has no column for it.
    """

    type: str = "type"
    time: str = "time"
    id: str = "id"
    event_type: str | None = None


class Incoming(Protocol):
    """Some events, in the order in which they came."""

    tabular: bool
    """Whether all rows have the same columns, so that a missing column is one mistake and not one in every row."""

    def __len__(self) -> int: ...

    def names(self) -> Iterable[str]:
        """The columns there are, as far as they are known."""

    def column(self, name: str) -> Column | None:
        """One column by its kinds of values; None if there is no such column."""

    def labels(self, name: str) -> Column | None:
        """The same for types and ids: where a source has only texts, a label is one even if it looks like a number."""

    def absent(self, name: str) -> Truths:
        """The rows with nothing at all in a column: a list there is no value either, but it is not nothing."""

    def row(self, number: int) -> dict[str, object]:
        """One event as it was given."""


class Places(Protocol):
    """Where rows came from, so that an error can point there."""

    def place(self, row: int, /) -> tuple[str | None, int | None]:
        """The file and the line of a row, if it came from one."""

    def phrase(self, row: int) -> str:
        """A row in words, for messages; an earlier batch's rows have negative numbers."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Rows by their position in everything that was fed, counted from 0."""

    first: int = 0

    def place(self, _row: int) -> tuple[str | None, int | None]:
        return None, None

    def phrase(self, row: int) -> str:
        return f"row {self.first + row}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one row cannot be used."""

    row: int
    code: str
    message: str
    hint: str | None = None

    def diagnostic(self, places: Places) -> Diagnostic:
        file, line = places.place(self.row)
        message = self.message if line is not None else f"{places.phrase(self.row)}: {self.message}"
        return Diagnostic(self.code, message, file, line, hint=self.hint)


def refused(problems: list[Problem], places: Places) -> InputError:
    """The error for the first of several problems; how many there are is part of the message."""
    first = min(problems, key=lambda problem: problem.row).diagnostic(places)
    if len(problems) == 1:
        return InputError(first)
    others = f"{len(problems) - 1} more row{'s' if len(problems) > 2 else ''} of this batch cannot be used either"
    return InputError(
        Diagnostic(first.code, first.message, first.file, first.line, hint=f"{first.hint or ''}; {others}".lstrip("; "))
    )


class Policy(Protocol):
    """What to do with rows that cannot be used. Whoever raises an error here stops the whole batch."""

    def bad(self, problems: list[Problem], events: Incoming, places: Places) -> None:
        """Rows that cannot be read."""

    def late(self, problems: list[Problem], events: Incoming, places: Places) -> None:
        """Rows whose time has been evaluated already."""


class Strict:
    """Nothing is let pass."""

    def bad(self, problems: list[Problem], _events: Incoming, places: Places) -> None:
        raise refused(problems, places)

    def late(self, problems: list[Problem], _events: Incoming, places: Places) -> None:
        raise refused(problems, places)
