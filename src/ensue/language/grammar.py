"""The parser: the files in `grammar/` are one grammar, in four parts, read when the first text is parsed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lark import Lark, Token, Tree
    from lark.parsers.lalr_interactive_parser import InteractiveParser

_PARTS = ("tokens", "expressions", "patterns", "program")

Start: TypeAlias = Literal["pattern", "condition", "statement"]


class Unexpected(Exception):  # noqa: N818  # a signal between two modules, turned into a diagnostic at once
    """The tokens up to `index` can begin a text; the one there cannot go on (at the end: there is none)."""

    def __init__(self, index: int, acceptable: frozenset[str]) -> None:
        super().__init__(index)
        self.index = index
        self.acceptable = acceptable


def tokenize(text: str) -> Iterator[Token]:
    """Cut a text into the terminals of tokens.lark. Nothing fails: what cannot be read is UNKNOWN or UNCLOSED."""
    parser = _parser().parse_interactive(text, start="pattern")  # `Lark.lex` would make a new lexer each time
    tokens: Iterator[Token] = parser.lexer_thread.lex(parser.parser_state)  # type: ignore[no-untyped-call]  # Lark's
    return tokens


def parse(tokens: list[Token], start: Start) -> Tree[Token]:
    """The syntax tree of a list of tokens."""
    from lark import Token, UnexpectedInput

    parser = _parser().parse_interactive(start=start)
    index = 0
    try:
        for index, token in enumerate(tokens):  # noqa: B007  # where it stopped is what the error needs
            parser.feed_token(_as_word(token, parser))
        index = len(tokens)
        tree: Tree[Token] = parser.feed_token(Token("$END", ""))
    except UnexpectedInput:
        raise Unexpected(index, _acceptable(tokens[:index], start)) from None
    return tree


def _as_word(token: Token, parser: InteractiveParser) -> Token:
    """The words of statements are not reserved: a name is one of them where the grammar has a place for it."""
    if token.type == "NAME" and (word := token.upper()) in _choices(parser) and word not in _spelt():
        return token.update(type=word)
    return token


@cache
def _spelt() -> frozenset[str]:
    """The terminals that have a spelling of their own, such as STRING: a word that is called like one is none.

    Nor is one that is called like a terminal which the scanner makes.
    """
    return frozenset(terminal.name for terminal in _parser().terminals) | {"IN_CONTEXT", "IN_LIST", "QUERY"}


def _choices(parser: InteractiveParser) -> dict[str, object]:
    """The terminals that the parser's state has an entry for."""
    choices: dict[str, object] = parser.choices()  # type: ignore[no-untyped-call]  # Lark has no types there
    return choices


def _acceptable(tokens: Iterable[Token], start: Start) -> frozenset[str]:
    """The terminals that may follow. The parser that failed is of no use: it has gone on reducing before it noticed."""
    parser = _parser().parse_interactive(start=start)
    for token in tokens:
        parser.feed_token(_as_word(token, parser))
    return frozenset(parser.accepts())  # type: ignore[no-untyped-call]  # Lark has no types there


class _KeepsUnreadable:
    """Tells Lark to keep the two terminals that no rule uses."""

    always_accept = ("UNKNOWN", "UNCLOSED")

    @staticmethod
    def process(stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def _parser() -> Lark:
    from lark import Lark

    folder = Path(__file__).with_name("grammar")
    return Lark(
        "\n".join((folder / f"{part}.lark").read_text(encoding="utf-8") for part in _PARTS),
        parser="lalr",
        lexer="basic",
        start=["pattern", "condition", "statement"],
        postlex=_KeepsUnreadable(),
        propagate_positions=True,
        maybe_placeholders=False,
    )
