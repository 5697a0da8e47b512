"""Occurrences as plain tuples, and substitutions: what every node of the runtime handles.

Tuples, because one is made for every candidate that is reported; they have the fields of `ensue.model.Occurrence`, and
are equal where those are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from ensue.algebra.variables import Scope
from ensue.model.occurrences import Bindings

Members: TypeAlias = tuple[tuple[int, str], ...]
"""Times and ids, in that order."""
Part: TypeAlias = tuple[int, int, Members, Bindings]
"""Begin, end, members, substitution."""
Log: TypeAlias = list[tuple[Any, ...]]
"""How to take back what the newest instant changed: functions and their arguments, in order of the changes."""


class Node:
    """What delivers parts: `out` holds those that end at the instant which is being evaluated."""

    __slots__ = ("inputs", "number", "out", "scope")

    def __init__(self, number: int, scope: Scope, inputs: Sequence[Node] = ()) -> None:
        self.number = number
        self.scope = scope
        self.inputs = tuple(inputs)
        self.out: Sequence[Part] = ()

    def step(self, now: int) -> None:
        """Set `out` from that of the inputs."""

    def save(self) -> Any:
        """What is remembered, as JSON can hold it; None if nothing is."""
        return None

    def restore(self, saved: Any) -> None:
        """Take what `save` gave."""


def order(part: Part) -> tuple[int, int, list[str], Bindings]:
    """The order of §1."""
    return part[1], part[0], [name for _, name in part[2]], part[3]


def later(one: Part, two: Part) -> bool:
    """Whether, of two parts with equal end and substitution, `recent` prefers the first."""
    return one[0] > two[0] or (one[0] == two[0] and [m[1] for m in one[2]] > [m[1] for m in two[2]])


def merged(parts: Sequence[Part], end: int, sigma: Bindings) -> Part:
    """The union of parts, the last of which ends at `end`."""
    return min(part[0] for part in parts), end, tuple(sorted({m for part in parts for m in part[2]})), sigma


def distinct(parts: list[Part]) -> list[Part]:
    """Equal occurrences are one."""
    return parts if len(parts) < 2 else list(dict.fromkeys(parts))


def latest(parts: Iterable[Part]) -> list[Part]:
    """What `recent` selects of parts with the same end: one for each substitution."""
    best: dict[Bindings, Part] = {}
    for part in parts:
        champion = best.get(part[3])
        if champion is None or later(part, champion):
            best[part[3]] = part
    return list(best.values())


def join(left: Bindings, right: Bindings) -> Bindings | None:
    """σa⋈σb; None if they disagree."""
    if left == right or not right:
        return left
    values = dict(left)
    for name, value in right:
        if values.setdefault(name, value) != value:
            return None
    return tuple(sorted(values.items()))


def is_fixed(scope: Scope) -> bool:
    """Whether every occurrence binds the same variables, so that each has its place in a substitution."""
    return scope.always == scope.sometimes


def projection(scope: Scope, names: frozenset[str]) -> Callable[[Bindings], Bindings]:
    """From a substitution to the part of it that binds some variables."""
    if not names:
        return lambda _: ()
    if not is_fixed(scope):
        return lambda sigma: tuple(pair for pair in sigma if pair[0] in names)
    bound = sorted(scope.always)
    places = [place for place, name in enumerate(bound) if name in names]
    if len(places) == len(bound):
        return lambda sigma: sigma
    if len(places) == 1:
        (only,) = places
        return lambda sigma: (sigma[only],)
    return lambda sigma: tuple([sigma[place] for place in places])


def part_of(saved: Sequence[Any]) -> Part:
    """A part that went through JSON."""
    return saved[0], saved[1], tuple((time, name) for time, name in saved[2]), sigma_of(saved[3])


def sigma_of(saved: Iterable[Any]) -> Bindings:
    """A substitution that went through JSON."""
    return tuple((name, (kind, content)) for name, (kind, content) in saved)
