"""Reading a text: scan it, parse it, build what it says, and raise everything that is wrong with it together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.language.conditions import ConditionBuilder
from ensue.language.declaring import build_program
from ensue.language.environment import Environment
from ensue.language.folding import depth
from ensue.language.grammar import Start, Unexpected, parse
from ensue.language.labels import bind_mentioned
from ensue.language.patterns import PatternBuilder
from ensue.language.scanning import LONGEST_PROGRAM, brackets_match, declared_names, scan, short_enough, statements
from ensue.language.source import Source, between
from ensue.language.syntax_errors import report_unexpected
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
    source = Source(text, file)
    environment = Environment(classes, {**BUILT_IN_CALENDARS, **(calendars or {})})
    tokens = _without_terminator(source.complete(scan(source)))
    tree = source.complete(syntax_tree(tokens, "pattern", source))
    return source.complete(bind_mentioned(PatternBuilder(source, environment).pattern(tree)))


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
