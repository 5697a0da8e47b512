"""Parts of files: some rows as columns, where they stand in the file, and what could not be read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ensue.embedded.incoming import Incoming
from ensue.engine.arrays import Ints
from ensue.errors import Diagnostic

SIZE = 100_000
"""How many rows are read at a time: enough for columns to pay, little enough for memory."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no row at all."""

    problem: Diagnostic
    raw: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of a file, with their lines (of a Parquet file: their numbers, from 1) and their text as it stands there."""

    file: str
    events: Incoming
    lines: Sequence[int]
    raw: Callable[[int], str]
    unreadable: list[Unreadable] = field(default_factory=list)
    done: int = 0
    """How many bytes of the file have been read."""
    left_out: int = 0
    """How many further rows the file has that nobody wants: among positions they count."""


Chunks: TypeAlias = Iterator[Chunk]


Reader: TypeAlias = Callable[[str, Iterable[str] | None], Chunks]
"""Reads a file of one kind, chunk by chunk; of its columns only the named ones are needed, if some are named."""


class Ledger:
    """Where every row came from, over all files, by the position it has among the rows."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._parts: list[tuple[str, _Runs | Rows]] = []

    def at(self, position: int, chunk: Chunk) -> Here:
        """Note a chunk whose first row has this position."""
        self._firsts.append(position)
        lines = chunk.lines
        self._parts.append((chunk.file, lines if isinstance(lines, Rows) else _Runs(lines)))
        return Here(self, position)

    def place(self, position: int) -> tuple[str, int]:
        part = bisect_right(self._firsts, position) - 1
        file, lines = self._parts[part]
        return file, lines[position - self._firsts[part]]


@dataclass(frozen=True, slots=True)
class Here:
    """The places of the rows of one chunk, and of all rows before it."""

    ledger: Ledger
    first: int

    def place(self, row: int) -> tuple[str | None, int | None]:
        return self.ledger.place(self.first + row)

    def phrase(self, row: int) -> str:
        file, line = self.ledger.place(self.first + row)
        return f"{file}:{line}"


class Rows(Sequence[int]):
    """The numbers, from 1, of some rows of a file: their places from a row on before which there are `first`."""

    def __init__(self, places: Ints, first: int = 0) -> None:
        self._places, self._first = places, first

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, row: Any) -> Any:
        return self._first + int(self._places[row]) + 1


class _Runs:
    """Increasing numbers, kept as runs of successive ones: of a file's lines there is usually just one."""

    def __init__(self, numbers: Sequence[int]) -> None:
        breaks = [i for i in range(1, len(numbers)) if numbers[i] != numbers[i - 1] + 1]
        self._rows = [0, *breaks]
        self._firsts = [numbers[row] for row in self._rows if row < len(numbers)]

    def __getitem__(self, row: int) -> int:
        run = bisect_right(self._rows, row) - 1
        return self._firsts[run] + row - self._rows[run]
