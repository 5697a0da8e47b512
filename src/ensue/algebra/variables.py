"""Which variables a pattern binds, which events it looks at, and whether time itself is part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ensue.algebra.patterns import (
    Absence,
    Aperiodic,
    AtLeast,
    AtMost,
    Atom,
    Delay,
    EveryNth,
    Exactly,
    Last,
    Or,
    Pattern,
    Periodic,
    Rank,
    SomeOf,
    Star,
    Without,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables that an occurrence of a pattern binds: always, and at least sometimes."""

    always: frozenset[str]
    sometimes: frozenset[str]

    def joined(self, other: Scope) -> Scope:
        return Scope(self.always | other.always, self.sometimes | other.sometimes)


EMPTY_SCOPE = Scope(frozenset(), frozenset())


def scope(pattern: Pattern) -> Scope:
    """The variables of a pattern. What is only looked at to be excluded or gathered exports none."""
    match pattern:
        case Atom():
            names = frozenset(variable for variable, _ in pattern.bindings)
            return Scope(names, names)
        case Or(left, right):
            one, two = scope(left), scope(right)
            return Scope(one.always & two.always, one.sometimes | two.sometimes)
        case Without(operand, _, _):
            return scope(operand)
        case Absence():
            return EMPTY_SCOPE
        case SomeOf(count, operands, _):
            scopes = [scope(operand) for operand in operands]
            everything = frozenset[str]().union(*(s.sometimes for s in scopes))
            always = frozenset(v for v in everything if sum(v not in s.always for s in scopes) < count)
            return Scope(always, everything)
        case Star(left, _, right):
            return scope(left).joined(scope(right))
        case Aperiodic(start, body, stop, collected):
            return scope(start).joined(scope(stop if collected else body))
        case Periodic(start, _, stop, collected):
            return scope(start).joined(scope(stop)) if collected else scope(start)
        case _:
            result = EMPTY_SCOPE
            for child in pattern.children():
                result = result.joined(scope(child))
            return result


def walk(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern and everything in it, outermost first, from left to right."""
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children()))


def atoms(pattern: Pattern) -> tuple[Atom, ...]:
    """Every distinct atom, from left to right."""
    return tuple(dict.fromkeys(node for node in walk(pattern) if isinstance(node, Atom)))


_TIMED = (Delay, Periodic, Absence, AtLeast, AtMost, Exactly, EveryNth, Rank, Last)


def is_timed(pattern: Pattern) -> bool:
    """Whether the interval of an occurrence says more than its constituents do, and so is part of its id.

    Timers, and what counts, can give occurrences whose interval does not follow from their constituents.
    """
    return any(isinstance(part, _TIMED) for part in walk(pattern))
