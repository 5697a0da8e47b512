"""Trees with some of their parts replaced. Parts that do not change stay the same objects."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from ensue.algebra.expressions import Expression
from ensue.algebra.patterns import Atom, Pattern, PatternInterval

if TYPE_CHECKING:
    from collections.abc import Callable


def map_atoms(pattern: Pattern, change: Callable[[Atom], Atom]) -> Pattern:
    """The pattern with every atom replaced."""
    if isinstance(pattern, Atom):
        return change(pattern)
    rebuilt: Pattern = _rebuilt(pattern, lambda part: map_atoms(part, change))
    return rebuilt


def map_parts(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with every part replaced that has no parts itself."""
    if not expression.parts():
        return change(expression)
    rebuilt: Expression = _rebuilt(expression, lambda part: map_parts(part, change))
    return rebuilt


def _rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """A node with its direct parts replaced, wherever in its fields they are."""
    changed = {}
    for field in fields(node):
        before = getattr(node, field.name)
        match before:
            case Pattern() | Expression():
                after: Any = change(before)
            case PatternInterval(inner):
                after = PatternInterval(change(inner))
            case (Pattern() | Expression(), *_):
                after = tuple(change(part) for part in before)
            case _:
                after = before
        if after is not before and after != before:
            changed[field.name] = after
    return replace(node, **changed) if changed else node


def replace_at(pattern: Pattern, path: tuple[int, ...], change: Callable[[Pattern], Pattern]) -> Pattern:
    """The pattern with one part replaced: `path` says which child to take at each step from the root."""
    if not path:
        return change(pattern)
    places = count()

    def step(part: Any) -> Any:
        chosen = isinstance(part, Pattern) and next(places) == path[0]
        return replace_at(part, path[1:], change) if chosen else part

    rebuilt: Pattern = _rebuilt(pattern, step)
    return rebuilt
