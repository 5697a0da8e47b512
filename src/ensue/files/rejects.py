"""Rows that cannot be used: the first ends the run, or all of them are kept beside it, with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import IO

from ensue.embedded.incoming import Incoming, Places, Problem
from ensue.errors import Diagnostic, InputError
from ensue.files.chunks import Chunk, Unreadable


class Stop:
    """The first row that cannot be used ends the run."""

    def __init__(self) -> None:
        self.chunk: Chunk | None = None
        self._waiting: list[Unreadable] = []

    def unreadable(self, lines: list[Unreadable]) -> None:
        """The rows around such a line may be wrong too, and stand before it: they are looked at first."""
        self._waiting = lines

    def bad(self, problems: list[Problem], _events: Incoming, places: Places) -> None:
        first = min(problems, key=lambda problem: problem.row).diagnostic(places)
        raise InputError(
            _with_advice(min([first, *(line.problem for line in self._waiting)], key=lambda d: d.line or 0))
        )

    def late(self, problems: list[Problem], events: Incoming, places: Places) -> None:
        self.bad(problems, events, places)

    def checked(self) -> None:
        """The rows were fine; now the lines that are none."""
        if self._waiting:
            raise InputError(_with_advice(self._waiting[0].problem))


class Keep:
    """Writes such rows to a file, as JSON lines with `file`, `line`, `reason` and `raw`, and counts them."""

    def __init__(self, file: IO[str]) -> None:
        self.chunk: Chunk | None = None
        self.count = 0
        self._file = file

    def unreadable(self, lines: list[Unreadable]) -> None:
        for line in lines:
            self._write(line.problem, line.raw)

    def bad(self, problems: list[Problem], _events: Incoming, places: Places) -> None:
        for problem in sorted(problems, key=lambda problem: problem.row):
            raw = self.chunk.raw(problem.row) if self.chunk else ""
            self._write(problem.diagnostic(places), raw)

    def late(self, problems: list[Problem], events: Incoming, places: Places) -> None:
        self.bad(problems, events, places)

    def checked(self) -> None:
        """Nothing more to say."""

    def _write(self, problem: Diagnostic, raw: str) -> None:
        self.count += 1
        reason = f"{problem.code}: {problem.message}"
        row = {"file": problem.file, "line": problem.line, "reason": reason, "raw": raw}
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _with_advice(problem: Diagnostic) -> Diagnostic:
    advice = "with --rejects FILE such rows are set aside and the run goes on"
    return replace(problem, hint=f"{problem.hint}; {advice}" if problem.hint else advice)
