"""Texts that differ only in constants: the first is read in full, and those after it by comparing them with it.

Rules come by the thousand and of few shapes. A *template* is what is left of a text that was read: everything in it but
the numbers and strings that are values in its conditions, and the pattern, into which other values can be put. What
fits no template is read in full; so is whatever is wrong, because what is wrong makes no template.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from ensue.algebra.expressions import Expression, Literal, walk as parts_of
from ensue.algebra.filling import filling
from ensue.algebra.patterns import Atom, Pattern, Where
from ensue.algebra.variables import walk
from ensue.language.expressions import MOST_DIGITS, number_value, unquoted
from ensue.language.patterns import PatternBuilder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lark import Token, Tree

_NUMBER = r"(\d++(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_STRING = r"""('(?:[^']|'')*+'|"(?:[^"]|"")*+")"""
_UNIT = re.compile(r"\s*(?:micros|millis|sec|min|hour|day|week|ms|us|µs|hr|[wdhms](?![^\W\d]))", re.IGNORECASE)
"""What may begin a unit of time, and make a length of time of the number before it."""
_GLUED_BEFORE = re.compile(r"[\w.:,][-+.:]\Z|[\w.]\Z")
_GLUED_BEHIND = re.compile(r"[\w.:-]")


@dataclass(frozen=True, slots=True)
class Constant:
    """A value in a condition, and the token that it was read from; a minus before a number belongs to its value."""

    literal: Literal
    token: Token
    signed: bool = False


class TemplateBuilder(PatternBuilder):
    """Builds a pattern and remembers which of its literals were read from which token."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.constants: dict[int, Constant] = {}

    def make_number(self, tree: Tree[Token], values: list[Any]) -> Expression:
        return self._noted(super().make_number(tree, values), values[0])

    def make_text(self, tree: Tree[Token], values: list[Any]) -> Expression:
        return self._noted(super().make_text(tree, values), values[0])

    def make_sign(self, tree: Tree[Token], values: list[Any]) -> Expression:
        """One minus belongs to the number. What several mean depends on whether the number is 0: so it stays."""
        result = super().make_sign(tree, values)
        inner = self.constants.pop(id(values[-1]), None)
        if inner is None or inner.token.type != "NUMBER" or inner.signed or len(values) > 2:
            return result
        return self._noted(result, inner.token, signed=True)

    def _noted(self, expression: Expression, token: Token, *, signed: bool = False) -> Expression:
        if isinstance(expression, Literal):
            self.constants[id(expression)] = Constant(expression, token, signed)
        return expression


class Template:
    """The text around some constants, and the pattern with places for them."""

    def __init__(self, text: str, pattern: Pattern, constants: Iterable[Constant]) -> None:
        """Of a text from which a pattern was read, with these constants in it."""
        kept = {id(part) for part in _literals(pattern)}
        self._pattern = pattern
        self._constants = sorted(
            (one for one in constants if id(one.literal) in kept and _stays_one_token(text, one.token)), key=_start
        )
        starts, ends = map(_start, self._constants), (one.token.end_pos for one in self._constants)
        self._around = [text[end:start] for end, start in zip((0, *ends), (*starts, None), strict=True)]

    def read(self, text: str) -> Pattern | None:
        """The pattern of a text that differs from the template's only in constants; None if this one does not."""
        if not self._constants:
            return self._pattern if text == self._around[0] else None
        if not (text.startswith(self._around[0]) and text.endswith(self._around[-1])):
            return None
        found = self._expression.fullmatch(text)
        if found is None:
            return None
        parts = found.groups()
        if max(map(len, parts)) > MOST_DIGITS:
            return None  # that may be too long for a number, which is to be said
        return self._fill([read(part) for read, part in zip(self._readers, parts, strict=True)])

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        """Made when a text has come that may be of this shape: most patterns stay alone."""
        values = (_NUMBER if one.token.type == "NUMBER" else _STRING for one in self._constants)
        first, *others = map(re.escape, self._around)
        return re.compile("".join([first, *(part for pair in zip(values, others, strict=True) for part in pair)]))

    @cached_property
    def _readers(self) -> tuple[Callable[[str], Literal], ...]:
        return tuple(map(_reader, self._constants))

    @cached_property
    def _fill(self) -> Callable[[Sequence[Literal]], Pattern]:
        return filling(self._pattern, {id(one.literal): place for place, one in enumerate(self._constants)})


def _stays_one_token(text: str, token: Token) -> bool:
    """Whether another value in the place of this one is cut out of the text as a token of the same kind.

    A number may become part of a time or a length of time by what is written right before or behind it.
    """
    if token.type != "NUMBER":
        return True
    before, behind = text[: token.start_pos], text[token.end_pos or 0 :]
    return not _GLUED_BEFORE.search(before) and not _GLUED_BEHIND.match(behind) and not _UNIT.match(behind)


def _reader(one: Constant) -> Callable[[str], Literal]:
    if one.token.type != "NUMBER":
        return _text
    return _negative_number if one.signed else _number


@lru_cache(maxsize=256)  # a rule says the same constant several times, and what is the same object is compared at once
def _text(part: str) -> Literal:
    return Literal(unquoted(part))


@lru_cache(maxsize=256)
def _number(part: str) -> Literal:
    return Literal(number_value(part))


@lru_cache(maxsize=256)
def _negative_number(part: str) -> Literal:
    return Literal(-number_value(part))


def _start(one: Constant) -> int:
    return one.token.start_pos or 0


def _literals(pattern: Pattern) -> Iterator[Literal]:
    for node in walk(pattern):
        if isinstance(node, (Atom, Where)) and node.condition is not None:
            yield from (part for part in parts_of(node.condition) if isinstance(part, Literal))
