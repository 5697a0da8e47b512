"""Shapes: what patterns have in common that differ only in the constants of their atoms.

Rules come by the thousand and of few shapes. What does not depend on constants is worked out once for each shape; to
say of one more pattern that it has a shape, and which constants it has, takes only a comparison with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from operator import attrgetter, is_
from typing import Any, Generic, TypeAlias, TypeVar

from ensue.algebra.expressions import Attribute, Expression, Literal
from ensue.algebra.patterns import Atom, Pattern, PatternInterval
from ensue.algebra.rewriting import map_atoms, map_parts

T = TypeVar("T")
Constants: TypeAlias = tuple[Literal, ...]
Comparison: TypeAlias = Callable[[Any, list[Literal]], bool]
"""Whether another part is like one, constants apart; those that it has are added to the list."""

ANY = Attribute("\0any")
"""Stands where a constant was taken out."""


@dataclass(frozen=True, eq=False)
class Shape:
    """The first pattern of a shape, and what it is without constants."""

    first: Pattern
    opened: Pattern

    def constants(self, pattern: Pattern) -> Constants | None:
        """The constants of a pattern of this shape, from left to right; None if it has another shape."""
        found: list[Literal] = []
        return tuple(found) if self._like(pattern, found) else None

    @cached_property
    def _like(self) -> Comparison:
        return _like(self.first, in_atom=False) or _same(self.first)


class Shapes:
    """The shapes of some patterns."""

    RECENT = 64
    """So many shapes are compared one by one; for further ones, and for new ones, the pattern is taken apart."""

    def __init__(self) -> None:
        self._known: dict[Pattern, Shape] = {}
        self._recent: list[Shape] = []

    def of(self, pattern: Pattern) -> tuple[Shape, Constants]:
        """The shape of a pattern, and its constants."""
        for shape in self._recent:
            constants = shape.constants(pattern)
            if constants is not None:
                self._note(shape)
                return shape, constants
        opened, constants = _opened(pattern)
        shape = self._known.setdefault(opened, Shape(pattern, opened))
        self._note(shape)
        return shape, constants

    def _note(self, latest: Shape) -> None:
        if not self._recent or self._recent[0] is not latest:
            self._recent = [latest, *(shape for shape in self._recent if shape is not latest)][: self.RECENT]


class Same(Generic[T]):
    """Some things, equal only to the very same ones: what is known of thousands of patterns is found again by it.

    To compare the patterns themselves, part by part, would take longer than to find it out anew.
    """

    __slots__ = ("_hash", "things")

    def __init__(self, things: Iterable[T]) -> None:
        self.things = tuple(things)
        self._hash = hash(tuple(map(id, self.things)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Same)
            and len(self.things) == len(other.things)
            and all(map(is_, self.things, other.things))
        )


def shapes_of(patterns: Iterable[Pattern]) -> tuple[tuple[Shape, Constants], ...]:
    """The shape of each of some patterns, and its constants; remembered, for there are several who ask."""
    return _shapes_of(Same(patterns))


def kinds_of(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """Some patterns, but of those that differ only in constants just the first.

    What does not depend on constants is asked of these, so that thousands of rules are as few.
    """
    return tuple({id(shape): shape.first for shape, _ in shapes_of(patterns)}.values())


@lru_cache(maxsize=8)
def _shapes_of(patterns: Same[Pattern]) -> tuple[tuple[Shape, Constants], ...]:
    return tuple(map(Shapes().of, patterns.things))


def _opened(pattern: Pattern) -> tuple[Pattern, Constants]:
    """A pattern without the constants of its atoms, and those."""
    constants: list[Literal] = []
    return map_atoms(pattern, partial(_opened_atom, constants)), tuple(constants)


def _opened_atom(constants: list[Literal], atom: Atom) -> Atom:
    def note(part: Expression) -> Expression:
        if not isinstance(part, Literal):
            return part
        constants.append(part)
        return ANY

    return atom if atom.condition is None else replace(atom, condition=map_parts(atom.condition, note))


def _like(value: Any, *, in_atom: bool) -> Comparison | None:
    """How a part of another pattern is compared with this one; None if there are no constants of atoms in it."""
    match value:
        case Literal():
            return _another_constant if in_atom else None
        case Pattern() | Expression() | PatternInterval():
            return _like_node(value, in_atom=in_atom or isinstance(value, Atom))
        case (Pattern() | Expression(), *_):
            return _like_parts(value, in_atom=in_atom)
        case _:
            return None


def _another_constant(other: Any, found: list[Literal]) -> bool:
    if type(other) is not Literal:
        return False
    found.append(other)
    return True


def _same(value: object) -> Comparison:
    return lambda other, _: bool(other == value)


def _like_node(node: Any, *, in_atom: bool) -> Comparison | None:
    kind = type(node)
    compared = {field.name: _like(getattr(node, field.name), in_atom=in_atom) for field in fields(node)}
    inner = [(name, like) for name, like in compared.items() if like is not None]
    if not inner:
        return None
    plain = [name for name, like in compared.items() if like is None]
    plain_of = attrgetter(*plain) if plain else lambda _: None
    expected = plain_of(node)

    def like_node(other: Any, found: list[Literal]) -> bool:
        if type(other) is not kind or plain_of(other) != expected:
            return False
        for name, like in inner:  # noqa: SIM110  # a generator for each part would take longer than the comparison
            if not like(getattr(other, name), found):
                return False
        return True

    return like_node


def _like_parts(parts: tuple[Any, ...], *, in_atom: bool) -> Comparison | None:
    compared = [_like(part, in_atom=in_atom) for part in parts]
    if not any(compared):
        return None
    each = [like or _same(part) for like, part in zip(compared, parts, strict=True)]

    def like_parts(other: Any, found: list[Literal]) -> bool:
        return len(other) == len(each) and all(like(part, found) for like, part in zip(each, other, strict=True))

    return like_parts
