"""CSV with a header line.

Fields are texts, so what they are is told by each value alone, never by its neighbours: the same field is read the
same way in every file and every batch. An empty field is missing; `true` and `false` are truth values; what is written
like a number in JSON is one (`007` is not); everything else is text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.engine.arrays import Truths
from ensue.engine.columns import Column, Part
from ensue.errors import Diagnostic, InputError
from ensue.files.chunks import SIZE, Chunk, Chunks, Unreadable
from ensue.files.opening import opened

_WHOLE = r"^-?(0|[1-9][0-9]*)$"
_SHORT = r"^-?[0-9]{1,18}$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_LONGEST_FIELD = 1 << 24


def read_csv(name: str, _columns: Iterable[str] | None) -> Chunks:
    """The rows of a file."""
    csv.field_size_limit(_LONGEST_FIELD)
    with opened(name) as file:
        lines = _Lines(file.bytes)
        rows = _rows(lines, name)
        header = next(rows, None)
        if not isinstance(header, list):
            problem = (
                header.problem if header else Diagnostic("E604", "the file is empty", name, hint="it needs a header")
            )
            raise InputError(problem)
        chunk = _Collected(name, header)
        for row in rows:
            chunk.add(row, lines)
            if chunk.full:
                yield chunk.chunk(file.done())
                chunk = _Collected(name, header)
        yield chunk.chunk(file.done())


class _Lines:
    """The lines of a file, of which those of the row that is being read are remembered."""

    def __init__(self, file: Iterable[bytes]) -> None:
        self._file = iter(file)
        self.number = 0
        self.first = 1
        self.text = ""
        self.unicode = True

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        raw = next(self._file)
        encoding = "utf-8" if self.number else "utf-8-sig"
        try:
            line = raw.decode(encoding)
        except UnicodeDecodeError:
            line, self.unicode = raw.decode(encoding, "surrogateescape"), False
        self.number += 1
        self.text += line
        return line

    def begin_row(self) -> None:
        self.first, self.text, self.unicode = self.number + 1, "", True


def _rows(lines: _Lines, name: str) -> Iterator[list[str] | Unreadable]:
    """The rows, each with its lines in `lines`; empty lines are passed over."""
    reader = csv.reader(lines, strict=True)
    while True:
        lines.begin_row()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = "a quotation mark is not closed" if "unexpected end" in str(error) else str(error)
            hint = 'a text with commas, quotation marks or line ends stands in "…", a quotation mark in it is doubled'
            problem = Diagnostic("E604", f"this is not CSV: {reason}", name, lines.first, hint=hint)
            yield Unreadable(problem, _text(lines))
            continue
        if row:
            yield row


class _Collected:
    """Rows on their way to a chunk."""

    def __init__(self, name: str, header: list[str]) -> None:
        self._name, self._header = name, header
        self._rows: list[list[str]] = []
        self._lines: list[int] = []
        self._unreadable: list[Unreadable] = []

    @property
    def full(self) -> bool:
        return len(self._rows) >= SIZE or len(self._unreadable) >= SIZE

    def add(self, row: list[str] | Unreadable, lines: _Lines) -> None:
        if isinstance(row, Unreadable):
            self._unreadable.append(row)
        elif len(row) != len(self._header):
            message = f"the line has {len(row)} fields, and the header has {len(self._header)}"
            self._refuse(message, "a text with commas in it needs quotation marks", lines)
        elif not lines.unicode:
            self._refuse("the line is not UTF-8", "write the file anew as UTF-8", lines)
        else:
            self._rows.append(row)
            self._lines.append(lines.first)

    def chunk(self, done: int) -> Chunk:
        rows = self._rows
        return Chunk(
            self._name, Fields(self._header, rows), self._lines, lambda row: _csv(rows[row]), self._unreadable, done
        )

    def _refuse(self, message: str, hint: str, lines: _Lines) -> None:
        self._unreadable.append(
            Unreadable(Diagnostic("E604", message, self._name, lines.first, hint=hint), _text(lines))
        )


class Fields:
    """Rows of fields under a header."""

    tabular = True

    def __init__(self, header: list[str], rows: list[list[str]]) -> None:
        self._places = {name: header.index(name) for name in header}
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def names(self) -> Iterable[str]:
        return self._places

    def column(self, name: str) -> Column | None:
        texts = self._texts(name)
        return None if texts is None else typed(texts)

    def labels(self, name: str) -> Column | None:
        texts = self._texts(name)
        return None if texts is None else Column(len(texts), {"text": (texts, _filled(texts))})

    def absent(self, name: str) -> Truths:
        return np.fromiter((not row[self._places[name]] for row in self._rows), np.bool_, len(self._rows))

    def row(self, number: int) -> dict[str, object]:
        return {name: self._rows[number][place] or None for name, place in self._places.items()}

    def _texts(self, name: str) -> pa.Array | None:
        place = self._places.get(name)
        return None if place is None else pa.array([row[place] for row in self._rows], pa.large_string())


def typed(texts: pa.Array) -> Column:
    """Texts as what they are written like."""
    number = _match(texts, _NUMBER)
    lower = pc.utf8_lower(texts)
    true, false = (np.asarray(pc.equal(lower, word)) for word in ("true", "false"))
    text = _filled(texts) & ~number & ~true & ~false
    parts: dict[str, Part] = {}
    if number.any():
        parts["number"] = (_numbers(texts, number), number)
    if true.any() or false.any():
        parts["truth"] = (true, true | false)
    if text.any():
        parts["text"] = (texts, text)
    return Column(len(texts), parts)


def _numbers(texts: pa.Array, where: Truths) -> Any:
    """Whole numbers stay exact, whatever stands beside them."""
    whole = where & _match(texts, _WHOLE)
    long = whole & ~_match(texts, _SHORT)
    filled = pc.if_else(pa.array(where), texts, "0")
    if not long.any() and bool((whole == where).all()):
        return np.asarray(filled.cast(pa.int64()))
    doubles = np.asarray(filled.cast(pa.float64()))
    if not bool((whole & (np.abs(doubles) >= 2.0**53)).any()):
        return doubles
    pairs = zip(filled.to_pylist(), (whole | ~where).tolist(), strict=True)
    return np.array([int(text) if is_whole else float(text) for text, is_whole in pairs], np.object_)


def _filled(texts: pa.Array) -> Truths:
    return np.asarray(pc.greater(pc.binary_length(texts), 0))


def _match(texts: pa.Array, expression: str) -> Truths:
    return np.asarray(pc.match_substring_regex(texts, expression))


def _text(lines: _Lines) -> str:
    return lines.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").rstrip("\r\n")


def _csv(row: list[str]) -> str:
    return ",".join(
        json.dumps(field, ensure_ascii=False) if any(c in field for c in ',"\r\n') else field for field in row
    )
