"""docs/pictures/front.svg: the picture of the README, from the patterns of the program that stands there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tools.pages.timelines import Mark, Span, timeline

import ensue
from ensue.language import Program

README = Path(__file__).parents[2] / "README.md"
_START = datetime(2026, 7, 10, 9, 0, tzinfo=UTC)
_LOGINS = (("ann", False), ("bob", False), ("ann", False), ("ann", False), ("bob", True), ("ann", True))
"""The user, and whether it was the right password: one every fifteen seconds."""


def program() -> Program:
    """What stands in the README."""
    block = re.search(r"```ensue\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    if block is None:
        raise ValueError("there is no program in the README")
    return ensue.parse_program(block[1])


def picture() -> str:
    marks, events = [], []
    for number, (user, ok) in enumerate(_LOGINS, 1):
        label = f"{number} {user} {'✓' if ok else '✗'}"
        mark = Mark(label, "right" if ok else "wrong", _START + timedelta(seconds=15 * number))
        marks.append(mark)
        events.append({"type": "Login", "time": mark.time, "id": mark.id, "user": user, "ok": ok})
    found: dict[str, list[Span]] = {}
    known: dict[str, Span] = {}
    for one in program().complex_classes:
        name = one.declaration.name
        findings = ensue.detect({name: one.pattern}, events, context=one.context, program=program())[name]
        known |= {finding.id: _span(finding, known) for finding in findings}
        found[name] = [known[finding.id] for finding in findings]
    return timeline(marks, found, "Six logins of two users, and what the program of the README finds in them")


def _span(finding: ensue.Finding, known: Mapping[str, Span]) -> Span:
    """With the events from outside, where a part was itself found."""
    parts = [known[id_].constituents if id_ in known else [id_] for id_ in finding.constituents]
    begins = [finding.begin, *(known[id_].begin for id_ in finding.constituents if id_ in known)]
    return Span(min(begins), finding.end, [id_ for part in parts for id_ in part])
