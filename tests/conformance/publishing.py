"""Cases of publications: a program, what is announced and when that was detected, and what is published.

They are written as docs/conformance.md says, in `publications/*.txt`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.cases import Exemption, FormatError
from tests.conformance.files import START, Lines, read_exemption, read_sections
from tests.conformance.histories import TEXT, read_attributes, read_time
from tests.corrections.announcing import announcement

from ensue.language import parse_program
from ensue.language.program import Program
from ensue.model.announcements import Announcement
from ensue.time import format_instant, parse_instant

FOLDER = Path(__file__).parent / "publications"
CASES = ("on time", "late", "change", "revoke")
_ATTRIBUTES = rf"\((?P<attributes>(?:{TEXT}|[^'()])*)\)"
_ANNOUNCED = re.compile(
    rf"(?P<detected>\S+)\s+(?:(?P<op>announce|change|retract)\s+)?(?P<type>\w+)(?::(?P<id>[\w.-]+))?"
    rf"(?:@(?P<time>[\w.:+-]+))?(?:{_ATTRIBUTES})?"
)
_PUBLISHED = re.compile(
    rf"(?P<detected>\S+)\s+(?P<case>{'|'.join(CASES)})\s+(?P<name>\w+)@(?P<time>[\w.:+-]+)(?:{_ATTRIBUTES})?"
    rf"(?:\s+was\s+@(?P<old_time>[\w.:+-]+)(?:\((?P<old>(?:{TEXT}|[^'()])*)\))?)?"
)
_MARK = re.compile(r"-{3,}\s*batch\s*-{3,}")


@dataclass(frozen=True, slots=True)
class Expected:
    """One publication as a case writes it; what it replaces is compared if it is written."""

    detected: str
    case: str
    name: str
    occurred: str
    attributes: tuple[tuple[str, object], ...]
    replaced: tuple[str, tuple[tuple[str, object], ...]] | None = None


@dataclass(frozen=True, slots=True)
class PublicationCase:
    """Programs that mean the same, what is announced in which batches, and what each of them publishes."""

    title: str
    file: str
    line: int
    programs: Mapping[str, str]
    batches: tuple[tuple[Mapping[str, Any], ...], ...]
    until: int
    published: tuple[Expected, ...]
    counted: Mapping[str, int] | None = None
    exemptions: tuple[Exemption, ...] = field(default=())

    def announced(self, program: Program) -> list[list[Announcement]]:
        """The announcements of each batch."""
        return [[announcement(program, one) for one in batch] for batch in self.batches]

    @property
    def in_order(self) -> bool:
        """Whether announcements come as they were detected, which a recording does."""
        detected = [one["detected"] for batch in self.batches for one in batch]
        return detected == sorted(detected)

    def exemption(self, runner: str) -> Exemption | None:
        return next((one for one in self.exemptions if one.runner == runner), None)

    def difference(self, found: Iterable[Mapping[str, Any]]) -> str:
        """What is missing, too much or out of order; empty if all is as expected."""
        actual = [_as_expected(one) for one in found]
        with_old = {_without_replaced(one) for one in self.published if one.replaced}
        compared = [one if _without_replaced(one) in with_old else _without_replaced(one) for one in actual]
        expected, given = Counter(map(_shown, self.published)), Counter(map(_shown, compared))
        lines = [f"missing     {one}" for one in (expected - given).elements()]
        lines += [f"unexpected  {one}" for one in (given - expected).elements()]
        if not lines and list(map(_place, compared)) != list(map(_place, self.published)):
            lines = ["in another order:", *map(_shown, compared)]
        return "\n".join(lines)


@cache
def read_program(text: str) -> Program:
    return parse_program(text)


def all_publication_cases() -> list[PublicationCase]:
    """Every case of every file."""
    return [
        case
        for path in sorted(FOLDER.glob("*.txt"))
        for case in read_publication_cases(path.read_text("utf-8"), path.stem)
    ]


def read_publication_cases(text: str, file: str) -> list[PublicationCase]:
    """The cases of one file; no two have one title. `program: as above` is that of the case before."""
    cases: dict[str, PublicationCase] = {}
    above: dict[str, str] = {}
    for title, line, lines in read_sections(text, file):
        try:
            if title in cases:
                raise FormatError("another case has this title")
            cases[title] = _case(title, file, line, lines, above)
        except ValueError as error:
            raise FormatError(f"{file}.txt, line {line}, {title!r}: {error}") from error
        above = dict(cases[title].programs)
    return list(cases.values())


def _case(title: str, file: str, line: int, lines: Lines, above: dict[str, str]) -> PublicationCase:
    programs: dict[str, str] = {}
    fields: dict[str, list[str]] = {}
    exemptions = []
    for key, value in lines:
        kind, _, name = key.partition(" ")
        if kind == "program":
            programs |= above if value == ["as above"] else {name: "\n".join(value)}
        elif key == "notyet":
            exemptions.append(read_exemption(" ".join(value)))
        elif key in fields:
            raise FormatError(f"`{key}` is given twice")
        elif key in ("announced", "published", "until", "counted", "start"):
            fields[key] = value
        else:
            raise FormatError(f"{key!r} is no field")
    if not programs:
        raise FormatError("there is no program")
    if "published" not in fields:
        raise FormatError("nothing is expected; write `published: none` where nothing is published")
    start = parse_instant(" ".join(fields.get("start", [START])))
    batches = _batches(fields.get("announced", []), start)
    last = max((parse_instant(one["detected"]) for batch in batches for one in batch), default=start)
    until = read_time(" ".join(fields["until"]), start) if "until" in fields else last
    published = () if fields["published"] == ["none"] else tuple(_published(one, start) for one in fields["published"])
    counted = _counted(" ".join(fields["counted"])) if "counted" in fields else None
    return PublicationCase(title, file, line, programs, batches, until, published, counted, tuple(exemptions))


def _batches(lines: list[str], start: int) -> tuple[tuple[dict[str, Any], ...], ...]:
    found: list[list[dict[str, Any]]] = [[]]
    for line in lines:
        if _MARK.fullmatch(line):
            found.append([])
            continue
        match = _ANNOUNCED.fullmatch(line)
        if not match:
            raise FormatError(f"{line!r} announces nothing; write it like 7s change Job@5s(nr=1)")
        record = dict(read_attributes(match["attributes"] or ""))
        named = {"type": match["type"], "op": match["op"] or "announce", "id": match["id"]}
        detected = format_instant(read_time(match["detected"], start))
        time = format_instant(read_time(match["time"], start)) if match["time"] else None
        found[-1].append({**record, **named, "detected": detected, "time": time})
    return tuple(map(tuple, found))


def _published(line: str, start: int) -> Expected:
    match = _PUBLISHED.fullmatch(line)
    if not match:
        raise FormatError(f"{line!r} is no publication; write it like 7s change Name@5s(nr=1) was @4s(nr=1)")
    old = None
    if match["old_time"]:
        old = format_instant(read_time(match["old_time"], start)), _sorted(read_attributes(match["old"] or ""))
    return Expected(
        format_instant(read_time(match["detected"], start)),
        match["case"],
        match["name"],
        format_instant(read_time(match["time"], start)),
        _sorted(read_attributes(match["attributes"] or "")),
        old,
    )


def _counted(text: str) -> dict[str, int]:
    found = {}
    for part in text.split(","):
        number, _, outcome = part.strip().partition(" ")
        found[outcome] = int(number)
    return found


def _as_expected(one: Mapping[str, Any]) -> Expected:
    old = one["replaces"]
    return Expected(
        one["detected"],
        one["case"],
        one["publication"],
        one["occurred"],
        _sorted(one["attributes"]),
        None if old is None else (old["occurred"], _sorted(old["attributes"])),
    )


def _place(one: Expected) -> tuple[str, int, str]:
    """What the order of publications is looked at for; those of one step, kind and time may come as they like."""
    return one.detected, {"revoke": 0, "change": 1}.get(one.case, 2), one.occurred


def _without_replaced(one: Expected) -> Expected:
    return Expected(one.detected, one.case, one.name, one.occurred, one.attributes)


def _sorted(attributes: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    """Attributes by name; a missing one is the same as null."""
    return tuple(sorted((name, value) for name, value in attributes.items() if value is not None))


def _shown(one: Expected) -> str:
    was = f" was @{one.replaced[0]}({_listed(one.replaced[1])})" if one.replaced else ""
    return f"{one.detected} {one.case} {one.name}@{one.occurred}({_listed(one.attributes)}){was}"


def _listed(attributes: tuple[tuple[str, object], ...]) -> str:
    return " ".join(f"{name}={value!r}" for name, value in attributes)
