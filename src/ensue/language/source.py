"""The text that is read, and what is wrong with it: places become lines, columns and carets here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from ensue.errors import Diagnostic, PatternError

T = TypeVar("T")


class Place(Protocol):
    """A part of the text. Lark's tokens and the positions of its trees are places."""

    @property
    def line(self) -> int | None: ...
    @property
    def column(self) -> int | None: ...
    @property
    def start_pos(self) -> int | None: ...
    @property
    def end_pos(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Spot:
    """A place by its numbers."""

    line: int | None
    column: int | None
    start_pos: int | None
    end_pos: int | None


def between(first: Place, last: Place) -> Spot:
    """From the first place to the last."""
    return Spot(first.line, first.column, first.start_pos, last.end_pos)


class Source:
    """A text with the problems found in it so far. All of them are reported together, in the order of their places."""

    def __init__(self, text: str, file: str | None = None) -> None:
        self.text = text
        self.file = file
        self.problems: list[Diagnostic] = []

    def report(
        self, code: str, message: str, place: Place | None, *, hint: str | None = None, expected: tuple[str, ...] = ()
    ) -> None:
        """Note a problem; reading goes on."""
        line = place.line if place else None
        if place is None or line is None or place.start_pos is None:
            self.problems.append(Diagnostic(code, message, self.file, hint=hint, expected=expected))
            return
        shown = self._line_at(place.start_pos)
        column = place.column or 1
        reach = (place.end_pos or place.start_pos + 1) - place.start_pos
        width = max(1, min(reach, len(shown) - column + 1))
        self.problems.append(Diagnostic(code, message, self.file, line, column, width, shown, expected, hint))

    def report_again(self, error: PatternError, place: Place) -> None:
        """Note at its place what the algebra refused."""
        for problem in error.diagnostics:
            self.report(problem.code, problem.message, place, hint=problem.hint)

    def end(self) -> Spot:
        """The place behind the last thing that is written."""
        position = len(self.text.rstrip())
        before = self.text[:position]
        return Spot(before.count("\n") + 1, position - before.rfind("\n"), position, position + 1)

    def error(self) -> PatternError:
        """Everything that is wrong, as one error."""
        distinct = dict.fromkeys(self.problems)
        return PatternError(sorted(distinct, key=lambda problem: (problem.line or 0, problem.column or 0)))

    def complete(self, value: T | None) -> T:
        """The value, if nothing is wrong."""
        if self.problems:
            raise self.error()
        if value is None:
            raise AssertionError("what cannot be built has a reported reason")
        return value

    def _line_at(self, position: int) -> str:
        start = self.text.rfind("\n", 0, position) + 1
        end = self.text.find("\n", position)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")
