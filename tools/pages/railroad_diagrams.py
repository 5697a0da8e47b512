"""A rule of the grammar as a railroad diagram: SVG that stands in the page, so that its parts can be links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lark import Token, Tree
from railroad import (
    Choice,
    Diagram,
    DiagramItem,
    NonTerminal,
    OneOrMore,
    Optional,
    Sequence,
    Stack,
    Terminal,
    ZeroOrMore,
)
from tools.pages.words import KINDS, spellings

if TYPE_CHECKING:
    from tools.pages.rules import Rule

_WIDEST = 900
"""What is wider is broken into lines."""


def diagram(rule: Rule, rules: Mapping[str, Rule]) -> str:
    """One line of SVG."""
    parts: list[str] = []
    Diagram(_item(rule.body, rules)).writeSvg(parts.append)
    svg = re.sub(r"\s*\n\s*", " ", "".join(parts))
    svg = re.sub(r"(<text [^>]*>[^<]*</text>)\1", r"\1", svg)  # the library writes the text of a link twice
    svg = svg.replace("xlink:href", "href")
    return svg.replace("<svg ", f'<svg role="img" aria-label="Railroad diagram of {rule.name}" ', 1)


def _item(node: Tree[Token] | Token | None, rules: Mapping[str, Rule]) -> DiagramItem:
    match node:
        case Tree(data="expansions", children=children):
            return Choice(0, *(_item(child, rules) for child in children))
        case Tree(data="alias", children=[child, _]):
            return _item(child, rules)
        case Tree(data="expansion", children=children):
            return _sequence([child for child in children if isinstance(child, Tree)], rules)
        case Tree(data="expr", children=[child, *repeats]):
            return _repeated(_item(child, rules), next((str(sign) for sign in repeats if sign is not None), ""))
        case Tree(data="name", children=[Token() as name]):
            return _named(str(name), rules)
        case Tree(data="literal", children=[Token() as text]):
            return Terminal(text.strip('"'))
        case _:
            raise TypeError(f"the grammar has something that is not known here: {node}")


def _sequence(parts: list[Tree[Token]], rules: Mapping[str, Rule]) -> DiagramItem:
    """`a (sep a)*` is drawn as a loop through `sep`."""
    items: list[DiagramItem] = []
    index = 0
    while index < len(parts):
        separator = _separator(parts[index], parts[index + 1] if index + 1 < len(parts) else None)
        if separator is not None:
            items.append(OneOrMore(_item(parts[index], rules), _item(separator, rules)))
        else:
            items.append(_item(parts[index], rules))
        index += 1 if separator is None else 2
    whole = Sequence(*items)
    return whole if whole.width <= _WIDEST else _broken(items)


def _separator(part: Tree[Token], following: Tree[Token] | None) -> Tree[Token] | None:
    match following:
        case Tree(
            data="expr",
            children=[Tree(data="alias", children=[Tree(data="expansion", children=[separator, again]), _]), "*", *_],
        ) if again == part and isinstance(separator, Tree):
            return separator
    return None


def _broken(items: list[DiagramItem]) -> DiagramItem:
    lines: list[list[DiagramItem]] = [[]]
    for item in items:
        if lines[-1] and sum(each.width for each in lines[-1]) + item.width > _WIDEST:
            lines.append([])
        lines[-1].append(item)
    return Stack(*(Sequence(*line) for line in lines))


def _repeated(item: DiagramItem, sign: str) -> DiagramItem:
    match sign:
        case "*":
            return ZeroOrMore(item)
        case "+":
            return OneOrMore(item)
        case "?":
            return Optional(item)
    return item


def _named(name: str, rules: Mapping[str, Rule]) -> DiagramItem:
    if name in rules:
        return _item(rules[name].body, rules) if rules[name].is_inlined else NonTerminal(name, href=f"#{name}")
    if name in KINDS:
        return NonTerminal(KINDS[name].shown, href="#words-and-signs", cls="kind")
    choices = [Terminal(spelling) for spelling in spellings(name)]
    return choices[0] if len(choices) == 1 else Choice(0, *choices)
