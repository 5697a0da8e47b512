"""The rules of the language, read from its grammar: the files that the parser itself reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree

import ensue.language

FOLDER = Path(ensue.language.__file__).parent / "grammar"
PARTS = ("patterns", "expressions", "program")
"""The files with rules, as the page shows them; what a text is cut into is in `tokens`."""


@dataclass(frozen=True)
class Rule:
    """`?pattern: …` of a file: its name without marks, what stands behind the colon, as a tree and as it is written."""

    name: str
    part: str
    body: Tree[Token]
    text: str

    @property
    def is_inlined(self) -> bool:
        """A name for something small, such as the spellings of `then`."""
        return self.name.startswith("_")


def rules() -> dict[str, Rule]:
    return {rule.name: rule for part in PARTS for rule in _rules_of(part)}


@cache
def literals() -> dict[str, str]:
    """The terminals that are one sign, and which: `{"PLUS": "+", …}`."""
    found = {}
    for token in _tree("tokens").find_data("token"):
        literal = next(token.find_data("literal"), None)
        if literal is not None and str(literal.children[0]).startswith('"'):
            found[str(token.children[0])] = str(literal.children[0]).strip('"')
    return found


def aliases(body: Tree[Token]) -> set[str]:
    """What the alternatives of a rule are called (`-> within`)."""
    return {str(alias.children[1]) for alias in body.find_data("alias") if alias.children[1] is not None}


def _rules_of(part: str) -> list[Rule]:
    text = (FOLDER / f"{part}.lark").read_text("utf-8")
    trees = [tree for tree in _tree(part).children if isinstance(tree, Tree)]
    return [_rule(tree, part, text) for tree in trees if tree.data == "rule"]


def _rule(tree: Tree[Token], part: str, text: str) -> Rule:
    head, body = tree.children[0], tree.children[-1]
    if not isinstance(head, Token) or not isinstance(body, Tree):
        raise TypeError(f"{part}.lark has a rule of a kind that is not known here: {tree}")
    written = text[head.start_pos :].split("\n\n", maxsplit=1)[0].split("\n")
    last = next((i for i, line in enumerate(written) if i and not line.startswith(" ")), len(written))
    return Rule(head.lstrip("?!"), part, body, "\n".join(_without_alias(line) for line in written[:last]))


def _without_alias(line: str) -> str:
    return line.split("->", maxsplit=1)[0].rstrip()


@cache
def _tree(part: str) -> Tree[Token]:
    parser = Lark.open_from_package("lark", "lark.lark", ("grammars",), parser="lalr")
    tree: Tree[Token] = parser.parse((FOLDER / f"{part}.lark").read_text("utf-8"))
    return tree
