"""What is asked of every engine in the sweeps: a pattern as a value, from which each side makes its own text.

A shape is a sequence of steps with something in common. It means the same for all, which is what `continuous` makes of
its text: every event of the first step, then for each step the next event of it that has in common with the first one
what the step says, all within some seconds. by_hand.py finds exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Attribute: TypeAlias = Literal["key", "value"]


@dataclass(frozen=True)
class Step:
    types: tuple[str, ...]
    """It is an event of one of these classes."""
    times: int = 1
    """So many of them, one after the other."""
    by: Attribute = "key"
    """What it has in common with the first event."""


@dataclass(frozen=True)
class Shape:
    steps: tuple[Step, ...]
    seconds: int
    key: int | None = None
    """Only for this key: then it is one rule of many."""
    never: str | None = None
    """No event of this class comes within the seconds after the only step; that is told when they are over."""

    @property
    def width(self) -> int:
        """How many events make up a match."""
        return sum(step.times for step in self.steps)

    @property
    def types(self) -> tuple[str, ...]:
        """The classes that it asks for, each once."""
        named = [name for step in self.steps for name in step.types] + ([self.never] if self.never else [])
        return tuple(dict.fromkeys(named))

    @property
    def by_key(self) -> bool:
        """Whether all steps have the key in common, so that keys do not depend on each other."""
        return all(step.by == "key" for step in self.steps)

    @property
    def unrolled(self) -> tuple[Step, ...]:
        """The steps one by one, for languages in which a repetition is easier to say so."""
        return tuple(replace(step, times=1) for step in self.steps for _ in range(step.times))

    @property
    def begun_once(self) -> Shape:
        """The same, for languages in which a repetition cannot come first."""
        return replace(self, steps=self.unrolled) if self.steps[0].times > 1 else self

    def marked(self, mark: str) -> Shape:
        """The same, of classes whose names end with a mark."""
        steps = tuple(replace(step, types=tuple(name + mark for name in step.types)) for step in self.steps)
        return replace(self, steps=steps, never=None if self.never is None else self.never + mark)

    @property
    def text(self) -> str:
        """The pattern in Ensue's language."""
        if self.never:
            first = self._atom(self.steps[0].types[0], "key", "value")
            waited = f"{first} then ({first} + {self.seconds} seconds)"
            return f"{waited} without {self._atom(self.never, 'key')} within {self.seconds} seconds"
        return " then ".join(map(self._step, range(len(self.steps)))) + f" within {self.seconds} seconds"

    def _step(self, place: int) -> str:
        step = self.steps[place]
        shared: tuple[Attribute, ...] = (step.by,)
        if place == 0 and not self.by_key:
            shared = ("key", "value")
        atoms = [self._atom(name, *shared) for name in step.types]
        either = atoms[0] if len(atoms) == 1 else f"({' or '.join(atoms)})"
        return either if step.times == 1 else f"{step.times} times {either}"

    def _atom(self, name: str, *shared: Attribute) -> str:
        said = {"key": "key = ?k" if self.key is None else f"key = {self.key}", "value": "value = ?v"}
        return f"{name}({', '.join(said[one] for one in shared)})"


def sequence(types: str | tuple[str, ...], seconds: int, key: int | None = None) -> Shape:
    """One event of each class, in this order."""
    return Shape(tuple(Step((name,)) for name in types), seconds, key)


def by_shape(rules: Sequence[Shape]) -> dict[Shape, dict[int, int]]:
    """The shapes of rules without their keys, each with the number of the rule that a key has."""
    found: dict[Shape, dict[int, int]] = {}
    for number, rule in enumerate(rules):
        if rule.key is None:
            raise ValueError(f"rule {number} has no key")
        found.setdefault(replace(rule, key=None), {})[rule.key] = number
    return found
