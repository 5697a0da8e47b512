"""From text to tokens: reserved words, limits, and brackets that match.

Limits are checked here, before anything recursive sees the text: a text may be this long, brackets this deep.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ensue.algebra.printing import RESERVED
from ensue.errors import near
from ensue.language.grammar import tokenize

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from lark import Token

    from ensue.language.source import Source

LONGEST_PATTERN = 64 * 1024
"""Characters in one pattern or statement."""

LONGEST_PROGRAM = 4 * 1024 * 1024
MOST_TOKENS = 1_000_000
DEEPEST_BRACKETS = 100

_CLOSING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_CREATED = frozenset({"mutable", "immutable", "subscribed", "complex", "calendar", "event"})
_OTHER_STATEMENTS = frozenset({"trigger", "on", "construct"})
_HINTS = {
    **dict.fromkeys("‘’“”„", "use plain quotes: '…' or \"…\""),
    **dict.fromkeys("¬~", "write ! or not"),
    **dict.fromkeys("≤≥≠→", "write <=, >=, != or then"),
    "$": "a variable is written ?name",
    "@": "a variable is written ?name",
}


def scan(source: Source, longest: int = LONGEST_PATTERN, *, queries: bool = False) -> list[Token]:
    """The tokens of a text, with reserved words recognised. What cannot be read is reported and left out.

    With `queries`, the text of each SELECT behind an AS is one token.
    """
    if len(source.text) > longest:
        message = f"the text has {len(source.text):,} characters; {longest:,} is the most that is read"
        source.report("E200", message, None, hint="split it into several texts")
        raise source.error()
    tokens = tokenize(source.text)
    return _meanings(list(_readable(_with_queries(tokens, source.text) if queries else tokens, source)))


def _readable(tokens: Iterable[Token], source: Source) -> Iterator[Token]:
    unreadable: Token | None = None
    for count, token in enumerate(tokens):
        if count == MOST_TOKENS:
            source.report("E200", f"the text has more than {MOST_TOKENS:,} words and signs", token, hint="split it")
            raise source.error()
        if token.type == "UNCLOSED":
            what = {"/*": "comment", "`": "name in backquotes"}.get(token, "text in quotes")
            message = f"the {what} that begins here has no end"
            source.report("E202", message, token, hint=f"close it with {_closer(token)}")
            return
        if token.type == "UNKNOWN":
            if unreadable is None or unreadable.end_pos != token.start_pos:
                source.report("E201", f"{str(token)!r} means nothing here", token, hint=_HINTS.get(token))
            unreadable = token
        else:
            yield token


def _with_queries(tokens: Iterable[Token], text: str) -> Iterator[Token]:
    """The tokens, those of each SELECT behind an AS made one: what is in there is SQL, whose signs are not ours."""
    found = [*tokens]
    index = 0
    while index < len(found):
        yield found[index]
        index += 1
        if found[index - 1].lower() != "as" or not _spells(found, index, {"select", "with"}):
            continue
        first, end = found[index], _end_of_query(found, index)
        last = found[end - 1]
        query = first.update(type="QUERY", value=text[first.start_pos : last.end_pos])
        query.end_line, query.end_column, query.end_pos = last.end_line, last.end_column, last.end_pos
        yield query
        index = end


def _spells(tokens: list[Token], index: int, words: Collection[str]) -> bool:
    return index < len(tokens) and tokens[index].type == "NAME" and tokens[index].lower() in words


def _end_of_query(tokens: list[Token], start: int) -> int:
    """Where a SELECT ends: what Ensue adds behind it begins, or the statement is over, or the next begins."""
    for index in range(start, len(tokens)):
        if tokens[index].type in {"SEMICOLON", "UNCLOSED"} or (
            (_spells(tokens, index, {"occurring", "checking"}) and _spells(tokens, index + 1, {"at"}))
            or (_spells(tokens, index, {"create"}) and _spells(tokens, index + 1, _CREATED))
        ):
            return index
    return len(tokens)


def _closer(token: Token) -> str:
    return {"/*": "*/", "`": "a backquote"}.get(token, f"{token} (a quote inside is written twice)")


def _meanings(tokens: list[Token]) -> list[Token]:
    """Give reserved words their terminals; an `in` has one of three meanings, by what follows it."""
    words = [token.update(type=token.upper()) if _is_word(token) else token for token in tokens]
    for index, (token, following) in enumerate(pairwise(words)):
        if token.type == "IN" and following.type == "LPAR":
            words[index] = token.update(type="IN_LIST")
        elif token.type == "IN" and following.lower() == "context":
            words[index] = token.update(type="IN_CONTEXT")
    return words


def _is_word(token: Token) -> bool:
    return token.type == "NAME" and token.lower() in RESERVED


def short_enough(tokens: list[Token], source: Source) -> bool:
    """Whether a pattern or statement is no longer than what is read; reports one that is."""
    length = (tokens[-1].end_pos or 0) - (tokens[0].start_pos or 0) if tokens else 0
    if length > LONGEST_PATTERN:
        message = f"this has {length:,} characters; {LONGEST_PATTERN:,} is the most for one pattern or statement"
        source.report("E200", message, tokens[0], hint="define its parts as event classes of their own")
    return length <= LONGEST_PATTERN


def brackets_match(tokens: Iterable[Token], source: Source) -> bool:
    """Whether every bracket is closed by its partner and none lies too deep; reports what is not."""
    open_ones: list[Token] = []
    for token in tokens:
        if token.type in _CLOSING:
            open_ones.append(token)
            if len(open_ones) > DEEPEST_BRACKETS:
                message = f"brackets are nested more than {DEEPEST_BRACKETS} deep"
                source.report("E204", message, token, hint="define the inner parts as event classes of their own")
                return False
        elif token.type in _CLOSING.values():
            if not open_ones:
                source.report("E203", f"{token!s} closes nothing", token, hint="remove it, or open it before")
                return False
            opening = open_ones.pop()
            if _CLOSING[opening.type] != token.type:
                message = f"{token!s} does not close the {opening!s} of line {opening.line}, column {opening.column}"
                source.report("E203", message, token)
                return False
    if open_ones:
        opening = open_ones[-1]
        source.report("E203", f"{opening!s} is not closed", opening, hint="close it, or remove it")
    return not open_ones


def statements(tokens: list[Token], source: Source) -> Iterator[list[Token]]:
    """The statements of a program, without the semicolons that end them.

    A semicolon is also the `then` of a pattern. It ends a statement if nothing follows that a pattern could go on with:
    the end of the text, another semicolon, the beginning of a statement.
    """
    current: list[Token] = []
    depth = 0
    for index, token in enumerate(tokens):
        if current and _begins_statement(tokens, index):
            source.report("E214", "the statement before this one has no end", token, hint="end it with a semicolon")
            yield current
            current, depth = [], 0
        if token.type == "SEMICOLON" and _ends_statement(tokens, index, depth):
            if current:
                yield current
            current, depth = [], 0
            continue
        depth += (token.type in _CLOSING) - (token.type in _CLOSING.values())
        current.append(token)
    if current:
        yield current


def declared_names(tokens: list[Token]) -> list[str]:
    """The names that a statement declares, as far as that can be seen when it cannot be read."""
    behind = [second for first, second in pairwise(tokens) if first.lower() in {"class", "calendar"}]
    defined = tokens[:1] if len(tokens) > 1 and tokens[1].type == "EQUAL" else []
    return [str(token) for token in (*behind[:1], *defined) if token.type == "NAME"]


def _ends_statement(tokens: list[Token], index: int, depth: int) -> bool:
    following = tokens[index + 1 : index + 3]
    if not following or following[0].type == "SEMICOLON" or _begins_statement(tokens, index + 1, misspelt=True):
        return True
    return depth <= 0 and [token.type for token in following] == ["NAME", "EQUAL"]


def _begins_statement(tokens: list[Token], index: int, *, misspelt: bool = False) -> bool:
    """Whether CREATE and what is created stand here, or the words of another statement, perhaps with a slip."""
    words = tokens[index : index + 2]
    if [token.type for token in words] != ["NAME", "NAME"]:
        return False
    first, second = words
    if first.lower() in _OTHER_STATEMENTS:
        return misspelt
    if second.lower() not in _CREATED:
        return False
    return first.lower() == "create" or (misspelt and near(first, ["create"]) is not None)
