"""JSON lines: one object a line.

The standard library's parser is used: it is fast enough beside the rest (about a million lines in two seconds), tells
the place of an error, and, unlike Arrow's, takes every value as it is written: no text that looks like a date
becomes one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ensue.embedded.records import Records, is_unicode
from ensue.errors import Diagnostic
from ensue.files.chunks import SIZE, Chunk, Chunks, Unreadable
from ensue.files.opening import opened

_HINT = "every line has to be one whole JSON object"
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # what `json.loads` calls, without the rest of it


def read_json_lines(name: str, _columns: Iterable[str] | None) -> Chunks:
    """The objects of a file; empty lines are passed over. What comes from a stream is handed on as it comes."""
    with opened(name) as file:
        number, chunk = 0, _Collected(name)
        for block in file.blocks():
            chunk.extend(block, number + 1)
            number += len(block)
            if file.live or chunk.size >= SIZE:
                yield chunk.chunk(file.done())
                chunk = _Collected(name)
        yield chunk.chunk(file.done())


class _Collected:
    """Objects on their way to a chunk."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows: list[dict[str, Any]] = []
        self._lines: list[int] = []
        self._raws: list[bytes] = []
        self._unreadable: list[Unreadable] = []

    @property
    def size(self) -> int:
        return len(self._rows) + len(self._unreadable)

    def extend(self, block: list[bytes], first: int) -> None:
        """Take lines, of which the first has this number. Almost all of them are fine, so that is tried first."""
        for number, raw in enumerate(block, first):
            found: Any = None
            try:
                text = raw.decode()
                found, end = _scan(text, 0)
                fine = type(found) is dict and (end == len(text) or text[end:].isspace()) and "\\u" not in text
            except (StopIteration, ValueError, RecursionError):
                fine = False
            if not fine:
                if not raw.strip():
                    continue
                found = _parsed(raw, self._name, number)
                if isinstance(found, Unreadable):
                    self._unreadable.append(found)
                    continue
            self._rows.append(found)
            self._lines.append(number)
            self._raws.append(raw)

    def chunk(self, done: int) -> Chunk:
        raws = self._raws
        return Chunk(self._name, Records(self._rows), self._lines, lambda row: _text(raws[row]), self._unreadable, done)


def _parsed(raw: bytes, name: str, number: int) -> dict[str, Any] | Unreadable:
    """The object in a line, or what is wrong with the line."""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        found = json.loads(text)
    except json.JSONDecodeError as error:
        return _broken(raw, name, number, error)
    except UnicodeDecodeError as error:
        message = f"the line is not UTF-8: byte {error.start + 1} is 0x{raw[error.start]:02x}"
        return Unreadable(Diagnostic("E603", message, name, number, hint="write the file anew as UTF-8"), _text(raw))
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return Unreadable(
            Diagnostic("E603", f"the line cannot be read: {reason}", name, number, hint=_HINT), _text(raw)
        )
    if not isinstance(found, dict):
        what = {list: "a list", str: "a text", type(None): "null"}.get(type(found), "a number or truth value")
        hint = f"{_HINT}; a whole list becomes lines with: jq -c '.[]'" if isinstance(found, list) else _HINT
        return Unreadable(
            Diagnostic("E603", f"the line holds {what}, not an object", name, number, hint=hint), _text(raw)
        )
    if not is_unicode(json.dumps(found, ensure_ascii=False)):
        message = "a text in this line holds half of a surrogate pair, which is not Unicode"
        return Unreadable(Diagnostic("E603", message, name, number, hint="mend the text or leave it out"), _text(raw))
    return found


def _broken(raw: bytes, name: str, number: int, error: json.JSONDecodeError) -> Unreadable:
    text = _text(raw)
    ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    message = "the line ends too early: this is not whole JSON" if ended else f"this is not JSON: {error.msg.lower()}"
    hint = "the file was probably cut off here" if ended else _HINT
    return Unreadable(Diagnostic("E603", message, name, number, error.pos + 1, 1, text, hint=hint), text)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").rstrip("\r\n")
