"""A pattern with other constants in some places, made again and again: where they go is worked out once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from operator import itemgetter
from typing import Any, TypeAlias

from ensue.algebra.expressions import Expression, Literal
from ensue.algebra.patterns import Pattern, PatternInterval

Filling: TypeAlias = Callable[[Sequence[Literal]], Any]


def filling(pattern: Pattern, places: Mapping[int, int]) -> Callable[[Sequence[Literal]], Pattern]:
    """A function from constants to the pattern with those in place of some of its own.

    `places` says by the identity of a literal which constant goes where it stands.
    """
    found = _filling(pattern, places)
    return found if found is not None else lambda _: pattern


def _filling(value: Any, places: Mapping[int, int]) -> Filling | None:
    """How a part is made from the constants; None if it has none of them, and so stays as it is."""
    match value:
        case Literal():
            return itemgetter(places[id(value)]) if id(value) in places else None
        case Pattern() | Expression() | PatternInterval():
            node: Any = value  # every pattern is a dataclass, which their common class does not say
            return _made(type(node), [getattr(node, field.name) for field in fields(node)], places)
        case (Pattern() | Expression(), *_):
            return _made(lambda *parts: parts, value, places)
        case _:
            return None


def _made(kind: Callable[..., Any], parts: Sequence[Any], places: Mapping[int, int]) -> Filling | None:
    inner = [(place, made) for place, part in enumerate(parts) if (made := _filling(part, places)) is not None]
    if not inner:
        return None
    kept = list(parts)

    def make(constants: Sequence[Literal]) -> Any:
        arguments = kept.copy()
        for place, made in inner:
            arguments[place] = made(constants)
        return kind(*arguments)

    return make
