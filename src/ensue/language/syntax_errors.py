"""What is wrong where the grammar cannot go on, in the words of the person who wrote the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.algebra.printing import RESERVED
from ensue.errors import near
from ensue.language.source import Spot
from ensue.time.durations import DURATION_UNITS

if TYPE_CHECKING:
    from lark import Token

    from ensue.language.grammar import Start, Unexpected
    from ensue.language.source import Place, Source

_NAMES = frozenset({"NAME", "QUOTED_NAME"})
_JOINING = frozenset({"THEN", "SEMICOLON", "GREATER", "OR", "AND"})
_PATTERN_BEGINS = frozenset(
    "NAME QUOTED_NAME LPAR VARIABLE ANDTHEN ANY APERIODIC AT ATLEAST ATMOST BETWEEN BY EVERY EXACTLY LAST NOT NUMBER OR"
    " AND PERIODIC WITHOUT WITHRANK".split()
)
_VALUE_BEGINS = frozenset("NAME QUOTED_NAME LPAR VARIABLE NUMBER DURATION STRING TRUE FALSE NULL MINUS NOT".split())
_FORMS = frozenset("ANDTHEN ANY APERIODIC AT ATLEAST ATMOST BY EVERY EXACTLY LAST PERIODIC WITHRANK".split())
_LATER = {
    "trigger": "triggers",
    "on": "reaction rules (ON … DO … END)",
    "construct": "CONSTRUCT rules",
}
_WORDS = {
    "NAME": "a name",
    "QUOTED_NAME": "",
    "VARIABLE": "a variable",
    "NUMBER": "a number",
    "DURATION": "a duration such as 2 minutes",
    "QUERY": "SELECT",
    "STRING": "a text in quotes",
    "INSTANT": "a time such as 2026-07-10T09:20:00Z",
    "US_DATE": "",
    "CLOCK": "a time of day such as 09:00",
    "SEMICOLON": "",
    "GREATER": "",
    "MINUS": "",
    "SUBSCRIPT": "",
    "COLON": "`:`",
    "COMMA": "`,`",
    "DOTS": "`..`",
    "EQUAL": "`=`",
    "COMPARISON": "a comparison",
    "PLUS": "`+`",
    "STAR": "`*`",
    "SLASH": "",
    "PERCENT": "",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "IN_LIST": "in (…)",
    "IN_CONTEXT": "IN CONTEXT",
    "$END": "the end",
}


def report_unexpected(error: Unexpected, tokens: list[Token], start: Start, source: Source) -> None:
    """Report the place where the grammar cannot go on: what stands there, what could, and what was probably meant."""
    before = tokens[: error.index]
    expected = _expected(error.acceptable)
    if error.index == len(tokens):
        place = _behind(tokens[-1]) if tokens else source.end()
        message = f"the {start} is not complete" if tokens else f"there is no {start} here"
        source.report("E211", message, place, expected=expected, hint=_hint_before(before))
        return
    token = tokens[error.index]
    if _is_term(token, before):
        message = "tree patterns with braces or double brackets are not there yet"
        source.report("E290", message, token, hint=_misspelt(before[-1:]))
    elif start == "statement" and (later := _later([*before[:1], token])):
        source.report("E292", f"{_LATER[later.lower()]} are not there yet", later)
    elif token.type in _JOINING and "WITHIN" in error.acceptable and "THEN" not in error.acceptable:
        message = f"`{token}` cannot follow a test such as `within` or `where`, which holds for everything before it"
        hint = f"put parentheses around the part that is tested: `(… within …) {token} …`"
        source.report("E213", message, token, hint=hint)
    else:
        message = f"`{token}` cannot stand here"
        source.report("E210", message, token, expected=expected, hint=_hint(token, before, error.acceptable))


def _expected(acceptable: frozenset[str]) -> tuple[str, ...]:
    """The terminals that may follow, in words, the general ones first."""
    rest = set(acceptable)
    words: list[str] = []
    if {"NAME", "ANDTHEN"} <= rest:
        words.append("a pattern")
        rest -= _PATTERN_BEGINS
    elif {"NAME", "STRING"} <= rest:
        words.append("a value")
        rest -= _VALUE_BEGINS
    if {"THEN", "WITHIN"} <= rest:
        words.append("an operator such as then, or, and, within, without, where")
        rest -= {"THEN", "OR", "AND", "WITHIN", "WITHOUT", "WHERE", "BEFORE", "IN", "PLUS", "STAR", "LSQB", "LPAR"}
    elif {"AND", "PLUS"} <= rest:
        words.append("an operator such as and, or, +, -, *, /")
        rest -= {"AND", "OR", "PLUS", "STAR"}
    listed = [_WORDS.get(name, name.lower() if name.lower() in RESERVED else name) for name in sorted(rest)]
    return tuple(dict.fromkeys(word for word in words + listed if word))


def _later(tokens: list[Token]) -> Token | None:
    return next((token for token in tokens if token.type == "NAME" and token.lower() in _LATER), None)


def _is_term(token: Token, before: list[Token]) -> bool:
    """Whether a tree pattern begins here: `T {`, `T [[`."""
    types = ["", *(earlier.type for earlier in before[-2:])]
    return (token.type == "LBRACE" and types[-1] in _NAMES) or (
        token.type == types[-1] == "LSQB" and types[-2] in _NAMES
    )


def _hint(token: Token, before: list[Token], acceptable: frozenset[str]) -> str | None:
    """What was probably meant."""
    last = before[-1] if before else None
    kind, previous = token.type, last.type if last else None
    if kind == "NAME" and previous == "NUMBER":
        if token.lower().rstrip("s") in {"month", "year"}:
            return "months and years have no fixed length; give the number of days"
        if unit := near(token, [*DURATION_UNITS, "times", "of"]):
            return unit
    if kind == "NAME" and (word := near(token, _words(acceptable))):
        return word
    if kind in {"NAME", "NUMBER"} and previous in _NAMES and (word := _misspelt(before)):
        return word
    if token.lower() in RESERVED and "NAME" in acceptable:
        return f"`{token}` is a word of the language; as a name, put it in backquotes"
    if kind in {"INSTANT", "US_DATE"} and "STRING" in acceptable:
        return f"in a condition, write time('{token}')"
    if kind == previous == "EQUAL":
        return "write a single ="
    if kind == "GREATER" and previous in {"MINUS", "EQUAL"}:
        return "for one after another write then: `A then B`"
    if kind == "IN" and "IN_LIST" in acceptable:
        return "in a condition, write in (1, 2, 3)"
    return _hint_by_neighbour(kind, previous) or _hint_before(before)


def _misspelt(before: list[Token]) -> str | None:
    """The word that the last of some tokens was meant to be; short ones resemble too many."""
    word = near(before[-1], [*RESERVED, "CREATE"] if len(before) == 1 else RESERVED)
    return f"{word[:-1]} instead of {before[-1]}?" if word and len(before[-1]) > 2 else None


def _hint_by_neighbour(kind: str, previous: str | None) -> str | None:
    match previous, kind:
        case "COLON", "LPAR":
            return "a label names one event, not a group: `?a : Class`"
        case "IN", _:
            return "`in` takes an interval, [start .. end]"
        case "WITHIN", "NAME" | "QUOTED_NAME":
            return (
                "`within` takes a duration such as 2 minutes; calendars go with atleast, atmost, exactly, every, last"
            )
        case "WITHOUT", "LBRACE":
            return "write `A without B`, or `without {B} during {A}`"
        case "LIKE", _:
            return "`like` takes a text in quotes, such as 'A%'"
        case (("NAME" | "QUOTED_NAME" | "RPAR"), ("NAME" | "QUOTED_NAME" | "LPAR" | "VARIABLE" | "NUMBER")):
            return "put an operator between the two, such as then, and, or"
        case _:
            return None


def _hint_before(before: list[Token]) -> str | None:
    """What was probably meant by what stands before the place."""
    if len(before) > 1 and before[-1].type == "NUMBER" and before[-2].type == "GREATER":
        return f"between patterns, > means then; a condition stands in brackets, B(attribute > {before[-1]})"
    if before and before[-1].type in _FORMS:
        return f"if `{before[-1]}` is meant as a name, put it in backquotes"
    return None


def _words(acceptable: frozenset[str]) -> list[str]:
    """The words among some terminals, as they are written."""
    words = [name for name in sorted(acceptable) if name.isalpha() and name not in _WORDS]
    return [word.lower() if word.lower() in RESERVED else word for word in words]


def _behind(token: Token) -> Place:
    end = token.end_pos or 0
    return Spot(token.end_line, token.end_column, end, end + 1)
