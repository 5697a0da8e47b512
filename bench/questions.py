"""The questions of the sweeps: what is asked, over which history, and what is varied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from bench import chains, data, histories
from bench.shapes import Shape, Step, sequence

if TYPE_CHECKING:
    import pyarrow as pa

Name: TypeAlias = Literal["length", "window", "keys", "shapes", "variables", "absence", "rules", "disorder", "real"]

MINUTE = 60
ABC = sequence("ABC", MINUTE)


@dataclass(frozen=True)
class Question:
    """One point of a sweep."""

    sweep: str
    value: str
    shapes: tuple[Shape, ...]
    """One shape; or rules, each with a key."""
    history: Callable[[], pa.Table]
    """The events in the order in which they come: type, time, key, value."""
    delay: int = 0
    """How late an event may be, in microseconds."""

    @property
    def ruled(self) -> bool:
        return self.shapes[0].key is not None

    @property
    def types(self) -> tuple[str, ...]:
        """The classes that are asked for."""
        return tuple(dict.fromkeys(name for shape in self.shapes for name in shape.types))

    @property
    def title(self) -> str:
        """The pattern; of rules the first one, and how many more there are."""
        more = len(self.shapes) - 1
        return self.shapes[0].text + (f" (and {more:,} more)" if more else "")

    @property
    def patterns(self) -> str | Mapping[str, str]:
        """What Ensue is asked: a text, or a text for each rule."""
        if not self.ruled:
            return self.shapes[0].text
        return {str(number): shape.text for number, shape in enumerate(self.shapes)}


def lengths(events: int) -> list[Question]:
    def of(length: int) -> Question:
        shape = sequence(tuple(f"T{number}" for number in range(length)), 10)
        return Question("length", str(length), (shape,), partial(chains.history, events, length, events // 150))

    return [of(length) for length in (3, 6, 9, 12, 24)]


def windows(events: int) -> list[Question]:
    """The same matches, whatever the window."""
    spans = {"10 s": 10, "1 min": 60, "10 min": 600, "1 h": 3600, "1 day": 86_400}
    history = partial(chains.history, events, 3, events // 150)
    types = ("T0", "T1", "T2")
    return [Question("window", value, (sequence(types, seconds),), history) for value, seconds in spans.items()]


def keys(events: int) -> list[Question]:
    def of(count: int, *, skewed: bool) -> Question:
        history = partial(histories.with_keys, events, count, skewed=skewed)
        return Question("skewed keys" if skewed else "keys", f"{count:,}", (ABC,), history)

    return [of(count, skewed=skewed) for skewed in (False, True) for count in (10, 1_000, 100_000, 1_000_000)]


def shapes(events: int) -> list[Question]:
    either = Shape((Step(("A",)), Step(("B", "C")), Step(("D",))), MINUTE)
    repeated = Shape((Step(("A",)), Step(("B",), times=2), Step(("C",))), MINUTE)
    history = partial(data.events, events, tied=False)
    return [
        Question("shapes", "A then (B or C) then D", (either,), history),
        Question("shapes", "A then 2 times B then C", (repeated,), history),
    ]


def variables(events: int) -> list[Question]:
    """Two variables, of which no single one divides the events."""
    shape = Shape((Step(("A",)), Step(("B",)), Step(("C",), by="value")), MINUTE)
    return [Question("variables", "key and value", (shape,), partial(histories.with_values, events))]


def absence(events: int) -> list[Question]:
    shape = Shape((Step(("A",)),), 30, never="B")
    return [Question("absence", "no B within 30 s", (shape,), partial(data.events, events, tied=False))]


def rules(events: int) -> list[Question]:
    """Rules of one shape, each for another key; and rules of several shapes and lengths."""
    history = partial(data.events, events, tied=False)

    def one(count: int) -> Question:
        made = tuple(sequence("ABC", MINUTE, key) for key in range(count))
        return Question("rules", f"{count:,}", made, history)

    def mixed(count: int) -> Question:
        return Question("mixed rules", f"{count:,}", tuple(map(_mixed, range(count))), history)

    counts = (1, 10, 100, 1_000, 10_000)
    return [*map(one, counts), *map(mixed, counts)]


def _mixed(number: int) -> Shape:
    """Five shapes in four lengths, by turns."""
    a, b, c, d = (Step((name,)) for name in "ABCD")
    steps = ((a, b, c), (a, d), (a, Step(("B", "C")), d), (a, Step(("B",), times=2), c), (d, c, b, a))
    return Shape(steps[number % 5], (15, 30, 45, 60)[number // 5 % 4], number)


def disorder(events: int) -> list[Question]:
    def of(share: float) -> Question:
        history = partial(histories.out_of_order, events, share)
        return Question("disorder", f"{share:.0%}", (ABC,), history, histories.LATEST)

    return [of(share) for share in (0.0, 0.01, 0.2)]


SWEEPS: Mapping[Name, Callable[[int], Sequence[Question]]] = {
    "length": lengths,
    "window": windows,
    "keys": keys,
    "shapes": shapes,
    "variables": variables,
    "absence": absence,
    "rules": rules,
    "disorder": disorder,
}
"""Each makes its questions over so many events. `real` has its own: see real.py."""
