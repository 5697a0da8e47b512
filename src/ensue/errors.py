"""Errors as data: what is wrong, where, and how to put it right.

Every error that a user can cause is one or more `Diagnostic` values inside an `EnsueError`. The command line prints
them and ends with exit code 2; Python users get the same text from `str(error)` and the parts from its fields.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong. `line` and `column` count from 1; `width` is how far the caret reaches."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    width: int = 1
    source_line: str | None = None
    expected: tuple[str, ...] = ()
    hint: str | None = None

    def render(self) -> str:
        """The whole message, as it stands on the screen."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        lines = [f"{place}: {self.code}: {self.message}" if place else f"{self.code}: {self.message}"]
        if self.source_line is not None and self.column is not None:
            lines += _excerpt(self.source_line, self.column, self.width)
        if self.expected:
            lines.append(f"  expected: {_listing(self.expected)}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class EnsueError(Exception):
    """Something in the user's pattern, program or data is wrong."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        self.diagnostics = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        super().__init__("\n".join(diagnostic.render() for diagnostic in self.diagnostics))

    def __reduce__(self) -> tuple[type[EnsueError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)

    @property
    def code(self) -> str:
        return self.diagnostics[0].code


class PatternError(EnsueError):
    """A pattern or a program cannot be read, or means nothing that can be detected."""


class InputError(EnsueError):
    """An event, a file or an option cannot be used."""


class StateError(EnsueError):
    """A saved state cannot be restored here."""


def near(name: str, known: Iterable[str]) -> str | None:
    """A hint that names what was probably meant, if anything known is close to `name`."""
    candidates = list(known)
    folded = {candidate.casefold(): candidate for candidate in candidates}
    matches = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    return f"did you mean {_listing(tuple(folded[match] for match in matches))}?" if matches else None


def _listing(parts: tuple[str, ...]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " or " + parts[-1]


def _excerpt(line: str, column: int, width: int, most: int = 120) -> list[str]:
    """The line with a caret under it; of a very long line, the part around the caret."""
    start = max(0, min(column - 1 - most // 2, len(line) - most))
    shown = line[start : start + most].replace("\t", " ")
    before, after = ("…" if start else ""), ("…" if start + most < len(line) else "")
    caret = len(before) + column - 1 - start
    return [
        f"  {before}{shown}{after}",
        "  " + " " * caret + "^" * max(1, min(width, len(shown) - (column - 1 - start))),
    ]
