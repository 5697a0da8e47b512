"""Reading a text: scan it, parse it, build what it says, and raise everything that is wrong with it together."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ensue.language.conditions import ConditionBuilder
from ensue.language.declaring import build_program
from ensue.language.environment import Environment
from ensue.language.folding import depth
from ensue.language.grammar import Start, Unexpected, parse
from ensue.language.labels import bind_mentioned
from ensue.language.scanning import (
    LONGEST_PATTERN,
    LONGEST_PROGRAM,
    brackets_match,
    declared_names,
    scan,
    short_enough,
    statements,
)
from ensue.language.source import Source, between
from ensue.language.syntax_errors import report_unexpected
from ensue.language.templates import Template, TemplateBuilder
from ensue.time import BUILT_IN_CALENDARS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark import Token, Tree

    from ensue.algebra.expressions import Expression
    from ensue.algebra.patterns import Pattern
    from ensue.language.program import Program
    from ensue.model import EventClass
    from ensue.time import Calendar

DEEPEST_PATTERN = 200
"""Operators inside each other; a chain of operands is as deep as it is long. Recursion over patterns relies on it."""


def parse_pattern(
    text: str,
    *,
    calendars: Mapping[str, Calendar] | None = None,
    classes: Mapping[str, EventClass] | None = None,
    file: str | None = None,
) -> Pattern:
    """The pattern that a text describes, in any of the spellings of docs/language.md.

    With `classes`, the classes and attributes that the text names have to be declared there. `calendars` are known in
    addition to the built-in ones.

    >>> print(parse_pattern("(Login; Logout) - Buy"))
    Login then Logout without Buy
    """
    if calendars is None and classes is None and file is None:
        return _plain_reader().read(text)
    return PatternReader(calendars=calendars, classes=classes, file=file).read(text)


class PatternReader:
    """Reads patterns, one after another, and remembers their shapes: one that differs from another only in constants
    is read at once.
    """

    MOST_TEMPLATES = 64
    """So many shapes are remembered, those that came last."""

    def __init__(
        self,
        *,
        calendars: Mapping[str, Calendar] | None = None,
        classes: Mapping[str, EventClass] | None = None,
        file: str | None = None,
    ) -> None:
        self._environment = Environment(classes, {**BUILT_IN_CALENDARS, **(calendars or {})})
        self._file = file
        self._templates: tuple[Template, ...] = ()

    def read(self, text: str) -> Pattern:
        """The pattern that a text describes."""
        for known in self._templates if len(text) <= LONGEST_PATTERN else ():
            pattern = known.read(text)
            if pattern is not None:
                self._remember(known)
                return pattern
        source = Source(text, self._file)
        tokens = _without_terminator(source.complete(scan(source)))
        tree = source.complete(syntax_tree(tokens, "pattern", source))
        builder = TemplateBuilder(source, self._environment)
        pattern = source.complete(bind_mentioned(builder.pattern(tree)))
        self._remember(Template(text, pattern, builder.constants.values()))
        return pattern

    def _remember(self, latest: Template) -> None:
        """Put a template before the others. They are replaced as a whole, since threads may read at the same time."""
        if not self._templates or self._templates[0] is not latest:
            others = [one for one in self._templates if one is not latest]
            self._templates = (latest, *others[: self.MOST_TEMPLATES - 1])


@cache
def _plain_reader() -> PatternReader:
    """The reader of patterns that refer to nothing declared, which are the same in every call."""
    return PatternReader()


def parse_expression(text: str) -> Expression:
    """The condition or value that a text describes, over attributes and variables.

    >>> print(parse_expression("price>?a*1.5 && name LIKE 'A%'"))
    price > ?a * 1.5 and name like 'A%'
    """
    source = Source(text)
    tree = source.complete(syntax_tree(source.complete(scan(source)), "condition", source))
    expression: Expression = ConditionBuilder(source, Environment()).build(tree)
    return source.complete(expression)


def parse_program(text: str, *, file: str | None = None) -> Program:
    """The program that a text describes. All its errors are raised together."""
    source = Source(text, file)
    trees, unreadable = [], []
    for tokens in statements(scan(source, LONGEST_PROGRAM, queries=True), source):
        tree = syntax_tree(tokens, "statement", source)
        if tree is None:
            unreadable += declared_names(tokens)
        else:
            trees.append(tree)
    return source.complete(build_program(trees, unreadable, source))


def syntax_tree(tokens: list[Token], start: Start, source: Source) -> Tree[Token] | None:
    """The tree of some tokens, or None if they make none; the reason is reported."""
    if not (short_enough(tokens, source) and brackets_match(tokens, source)):
        return None
    try:
        tree = parse(tokens, start)
    except Unexpected as error:
        report_unexpected(error, tokens, start, source)
        return None
    if (deep := depth(tree)) > DEEPEST_PATTERN:
        message = f"operators lie {deep} deep in each other; {DEEPEST_PATTERN} is the most"
        hint = "a chain is as deep as it is long: define parts of it as event classes of their own"
        source.report("E205", message, between(tokens[0], tokens[-1]), hint=hint)
        return None
    return tree


def _without_terminator(tokens: list[Token]) -> list[Token]:
    return tokens[:-1] if tokens and tokens[-1].type == "SEMICOLON" else tokens
