"""Building values from syntax trees bottom-up, without recursion: a deep tree must not exhaust the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from lark import Token, Tree

T = TypeVar("T")

_WIDE = frozenset({"one_of", "call", "patterns", "point", "schema", "key", "options", "weekdays", "except"})
"""Rules whose parts lie beside each other in what is built; those of any other rule may come to lie in each other."""

_STACKED = frozenset({"denial", "sign"})
"""Rules in which a word alone makes what is built deeper (`not not x`)."""


def fold(tree: Tree[Token], make: Callable[[Tree[Token], list[Any]], T]) -> T:
    """`make` for every node of the tree, given the values of its children; a token is its own value."""
    waiting, order = [tree], []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(child for child in node.children if not isinstance(child, str))
    values: dict[int, T] = {}
    for node in reversed(order):
        inner = [child if isinstance(child, str) else values.pop(id(child)) for child in node.children]
        values[id(node)] = make(node, inner)
    return values[id(tree)]


def depth(tree: Tree[Token]) -> int:
    """How deep the pattern that a tree stands for can be at most."""

    def deeper(node: Tree[Token], inner: list[Any]) -> int:
        parts = [value for value in inner if isinstance(value, int)]
        count = len(inner) if node.data in _STACKED else 1 if node.data in _WIDE else len(parts)
        return max(parts) + max(1, count - 1) if parts else 0

    return fold(tree, deeper)
