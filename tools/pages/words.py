"""What is written for a terminal: a sign, a word, or something of a kind such as a number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tools.pages.rules import FOLDER, literals

SPELLINGS = {
    "OR": ("or", "|", "||", "∨"),
    "AND": ("and", "&", "&&", "∧"),
    "NOT": ("not", "!"),
    "GREATER": (">",),
    "COMPARISON": ("<", "<=", ">=", "<>", "!="),
    "IN_LIST": ("in",),
    "IN_CONTEXT": ("IN",),
}
"""Terminals that the grammar has as regular expressions, or that are told apart by what follows."""


@dataclass(frozen=True)
class Kind:
    shown: str
    meaning: str
    examples: tuple[str, ...]


KINDS = {
    "NAME": Kind("name", "letters, digits and `_`; also with a prefix or dots", ("Login", "xsd:date", "order.total")),
    "QUOTED_NAME": Kind("`name`", "any name at all, in backquotes", ("`last`", "`net-price`")),
    "VARIABLE": Kind("?variable", "a name behind a question mark", ("?u", "?a.user")),
    "NUMBER": Kind("number", "whole, with a fraction or with an exponent", ("3", "1.5", "1e-3")),
    "STRING": Kind("text", "in quotes; a quote inside is doubled", ("'it''s'", '"so"')),
    "DURATION": Kind("duration", "numbers with units", ("2 minutes", "1h 30m", "250 ms")),
    "INSTANT": Kind("time", "ISO 8601; without a zone it is UTC", ("2026-07-10", "2026-07-10T09:20:00Z")),
    "US_DATE": Kind("date", "month, day and year", ("07-10-2026",)),
    "CLOCK": Kind("clock", "a time of day", ("09:00", "17:30:00")),
    "SUBSCRIPT": Kind("_seconds", "right behind a closing bracket", ("_120", "_{120}")),
    "QUERY": Kind("SELECT …", "a query of Spark SQL; [what may stand in it](language.md#corrections)", ()),
}


def spellings(terminal: str) -> tuple[str, ...]:
    """How a terminal is written. A word of patterns is shown small, one of statements in capitals."""
    if terminal in SPELLINGS:
        return SPELLINGS[terminal]
    if terminal in literals():
        return (literals()[terminal],)
    return (terminal if terminal in _declared("program") else terminal.lower(),)


@cache
def _declared(part: str) -> set[str]:
    lines = (FOLDER / f"{part}.lark").read_text("utf-8").splitlines()
    return {word for line in lines if line.startswith("%declare") for word in line.split()[1:]}
