"""Patterns on their way to another process: thousands of rules of few shapes go as these shapes and their constants.

A process that gets the same ones again, as Spark's workers do with every task, has them at once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count

from ensue.algebra.expressions import Expression, Literal
from ensue.algebra.filling import filling
from ensue.algebra.patterns import Atom, Pattern
from ensue.algebra.rewriting import map_atoms, map_parts
from ensue.algebra.shapes import ANY, shapes_of
from ensue.embedded.patterns import Watched
from ensue.engine.memory import nothing_to_collect


@nothing_to_collect()
def packed(watched: Sequence[Watched]) -> bytes:
    """Patterns with their names and contexts, as few bytes as possible."""
    shapes: dict[int, int] = {}
    opened: list[Pattern] = []
    rules = []
    for item, (shape, constants) in zip(watched, shapes_of(item.pattern for item in watched), strict=True):
        if id(shape) not in shapes:
            shapes[id(shape)] = len(opened)
            opened.append(shape.opened)
        values = tuple(constant.value for constant in constants)
        rules.append((item.name, item.context, shapes[id(shape)], values))
    return pickle.dumps((opened, rules))


@lru_cache(maxsize=4)
@nothing_to_collect()
def unpacked(data: bytes) -> tuple[Watched, ...]:
    """What was packed."""
    opened, rules = pickle.loads(data)  # noqa: S301  # it is what `packed` gave, on its way within one application
    fill = list(map(_closing, opened))
    return tuple(
        Watched(name, fill[shape](tuple(map(Literal, values))), context) for name, context, shape, values in rules
    )


def _closing(opened: Pattern) -> Callable[[Sequence[Literal]], Pattern]:
    """A function from constants to the pattern with them where they were taken out."""
    places: dict[int, int] = {}
    kept: list[Literal] = []
    numbers = count()

    def note(part: Expression) -> Expression:
        if part != ANY:
            return part
        kept.append(Literal(next(numbers)))
        places[id(kept[-1])] = len(kept) - 1
        return kept[-1]

    def change(atom: Atom) -> Atom:
        condition = None if atom.condition is None else map_parts(atom.condition, note)
        return Atom(atom.type, condition, atom.bindings, atom.label)

    return filling(map_atoms(opened, change), places)
