"""Reading case files: `== title`, then `field: value` lines, where indented lines go on with a value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.conformance.cases import Case, Exemption, FormatError
from tests.conformance.expectations import context_named, read_outcomes
from tests.conformance.histories import read_batches

from ensue.model import Taxonomy
from ensue.time import parse_duration, parse_instant

FOLDER = Path(__file__).parent / "cases"
START = "2026-01-01"
"""What `0s` is in a case that does not say when it starts: a Thursday."""

FIELDS = ("pattern", "events", "start", "allowed delay", "under", "given")
ELSEWHERE = ("program", "announced", "published")
"""What cases of publications have."""

Lines = list[tuple[str, list[str]]]


def all_cases() -> list[Case]:
    """Every case of every file."""
    return [case for path in sorted(FOLDER.glob("*.txt")) for case in read_cases(path.read_text("utf-8"), path.stem)]


def read_cases(text: str, file: str) -> list[Case]:
    """The cases of one file; no two have one title."""
    cases: dict[str, Case] = {}
    for title, line, lines in read_sections(text, file):
        try:
            if title in cases:
                raise FormatError("another case has this title")
            cases[title] = _case(title, file, line, lines)
        except ValueError as error:
            raise FormatError(f"{file}.txt, line {line}, {title!r}: {error}") from error
    return list(cases.values())


def read_sections(text: str, file: str) -> Iterator[tuple[str, int, Lines]]:
    """Title, line and fields of each case."""
    section: tuple[str, int, Lines] | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.rstrip()
        if not line or line.lstrip().startswith("#"):
            continue
        if line.startswith("== "):
            if section:
                yield section
            section = line[3:].strip(), number, []
        elif section and section[2] and line[0].isspace():
            section[2][-1][1].append(line.strip())
        elif section and ":" in line and not line[0].isspace():
            key, _, value = line.partition(":")
            section[2].append((key.strip(), [value.strip()] if value.strip() else []))
        else:
            raise FormatError(f"{file}.txt, line {number}: expected `== title` or `field: value`")
    if section:
        yield section


def _case(title: str, file: str, line: int, lines: Lines) -> Case:
    fields: dict[str, list[str]] = {}
    exemptions: list[Exemption] = []
    expected: list[tuple[str, str]] = []
    for key, value in lines:
        if key in ELSEWHERE:
            raise FormatError(f"`{key}` is for the cases of publications")
        if key in fields:
            raise FormatError(f"`{key}` is given twice")
        if key in FIELDS:
            fields[key] = value
        elif key == "notyet":
            exemptions.append(read_exemption(" ".join(value)))
        else:
            expected.append((key, " ".join(value)))
    start = parse_instant(" ".join(fields.get("start", [START])))
    case = Case(
        title,
        file,
        line,
        pattern="\n".join(fields.get("pattern", [])),
        given="\n".join(fields.get("given", [])),
        start=start,
        batches=tuple(read_batches(fields.get("events", []), start)),
        allowed_delay=parse_duration(" ".join(fields.get("allowed delay", ["0s"]))),
        taxonomy=_taxonomy(" ".join(fields.get("under", []))),
        exemptions=tuple(exemptions),
    )
    _check(case)
    return replace(case, outcomes=read_outcomes(expected, case))


def _check(case: Case) -> None:
    if not case.pattern:
        raise FormatError("there is no pattern")
    for name, count in Counter(event.id for event in case.events).items():
        if count > 1:
            raise FormatError(f"there are {count} events {name}")
    times = [event.time for event in case.events]
    for place, event in enumerate(case.events):
        if max(times[: place + 1]) - event.time > case.allowed_delay:
            raise FormatError(f"{event.id} comes later than `allowed delay` allows")


def read_exemption(text: str) -> Exemption:
    match = re.fullmatch(r"(\w[\w ]*?)\s*(?:\(([\w, ]+)\))?\s*:\s*(.+)", text)
    if not match:
        raise FormatError("write `notyet: runner: reason` or `notyet: runner (context, …): reason`")
    names = [name.strip() for name in (match[2] or "").split(",") if name.strip()]
    return Exemption(match[1], frozenset(map(context_named, names)), match[3])


def _taxonomy(text: str) -> Taxonomy:
    """`Fire < Alarm, Siren < Fire`: which class lies below which."""
    parents: dict[str, frozenset[str]] = {}
    for part in filter(None, text.split(",")):
        below, _, above = (name.strip() for name in part.partition("<"))
        parents[below] = parents.get(below, frozenset()) | {above}
    return Taxonomy(parents)
