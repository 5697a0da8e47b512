"""Reading the events of a case: `a1 b1@5s(x=1)` in a row, or `5s b1 B x=1` alone on a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.conformance.cases import Batch, FormatError

from ensue.model import Event, Value
from ensue.time import parse_duration, parse_instant, to_datetime

SECOND = 1_000_000
TEXT = r"'(?:[^']|'')*'"
_EVENT = re.compile(
    rf"(?:(?P<type>\w+):)?(?P<id>[\w.-]+)(?:@(?P<time>[\w.:+-]+))?(?:\((?P<attributes>(?:{TEXT}|[^'()])*)\))?(?:\s+|$)"
)
_ATTRIBUTE = re.compile(rf"(\w+)\s*=\s*({TEXT}|[^\s,']+)\s*,?\s*")
_MARK = re.compile(r"-{3,}\s*(batch|restart)\s*-{3,}")
_CLOCK = re.compile(r"(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?")


def read_batches(lines: list[str], start: int) -> Iterator[Batch]:
    """The events between one mark (`--- batch ---`, `--- restart ---`) and the next."""
    events: list[Event] = []
    after_restart = False
    time = start
    for line in lines:
        if mark := _MARK.fullmatch(line):
            yield Batch(tuple(events), after_restart)
            events, after_restart = [], mark[1] == "restart"
            continue
        for event in _alone(line, start) if line[0].isdigit() else _row(line, start, time):
            events.append(event)
            time = event.time
    yield Batch(tuple(events), after_restart)


def _alone(line: str, start: int) -> Iterator[Event]:
    time, name, kind, attributes = [*line.split(maxsplit=3), "", ""][:4]
    yield Event(name, kind or _type_of(name), read_time(time, start), read_attributes(attributes))


def _row(line: str, start: int, time: int) -> Iterator[Event]:
    """Events in a row; without a time, each comes a second after the one before it."""
    position = 0
    while position < len(line):
        match = _EVENT.match(line, position)
        if not match:
            raise FormatError(f"{line[position:]!r} is no event; write it like a1, Login:l1 or a1@5s(x=1)")
        time = read_time(match["time"], start) if match["time"] else time + SECOND
        yield Event(
            match["id"], match["type"] or _type_of(match["id"]), time, read_attributes(match["attributes"] or "")
        )
        position = match.end()


def _type_of(name: str) -> str:
    """`a1` is an A, `login2` a Login."""
    letters = re.match(r"[^\W\d_]+", name)
    if not letters:
        raise FormatError(f"the event {name} does not say its class; write Class:{name}")
    return letters[0][0].upper() + letters[0][1:]


def read_attributes(text: str) -> dict[str, Value | None]:
    found: dict[str, Value | None] = {}
    position = 0
    while position < len(text):
        match = _ATTRIBUTE.match(text, position)
        if not match:
            raise FormatError(f"{text[position:]!r} is no attribute; write it like x=1 or name='Ann'")
        found[match[1]] = read_value(match[2])
        position = match.end()
    return found


def read_value(text: str) -> Value | None:
    """A value: 'text', a number, true, false, null, or a time in ISO format."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[text]
    if re.match(r"\d{4}-", text):
        return to_datetime(parse_instant(text))
    return float(text) if re.search(r"[.e]", text) else int(text)


def read_time(text: str, start: int) -> int:
    """An instant: a duration after the start (`5s`, `1m30s`), hours and minutes after it (`09:20`), or ISO text."""
    if re.match(r"\d{4}-", text):
        return parse_instant(text)
    if clock := _CLOCK.fullmatch(text):
        return start + parse_duration(f"{clock[1]}h {clock[2]}m {clock[3] or 0}s")
    return start + parse_duration(text)
