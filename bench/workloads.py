"""The four workloads: each one's pattern, and the hand-written loops that answer the same question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bench import data, loops
from ensue.algebra import Pattern
from ensue.algebra.building import attr, event, var

Name: TypeAlias = Literal["W1", "W2", "W3", "W4"]

CONTEXTS = ("continuous", "chronicle")


@dataclass(frozen=True)
class Workload:
    name: Name
    pattern: Pattern
    loops: Mapping[str, loops.Loop]
    width: int = 3
    """How many events make up an occurrence."""

    def by_hand(self, context: str, columns: data.Columns) -> data.Integers:
        """The rows of the constituents, one line for each occurrence, as the hand-written loop finds them."""
        return loops.run(self.loops[context], columns, self.width)


_a, _b, _c = (event(name, key=var.k) for name in "ABC")
_rising = event("A", key=var.k, value=var.a).then(
    event("B", key=var.k, value=var.b), event("C", key=var.k, value=var.c)
)

WORKLOADS = (
    Workload(
        "W1",
        _a.then(_b, _c).within("1 minute"),
        {"continuous": loops.sequence_continuous, "chronicle": loops.sequence_chronicle},
    ),
    Workload(
        "W2",
        _rising.within("1 minute").where((var.b > var.a * 1.5) & (var.c < var.b)),
        {"continuous": loops.conditions, "chronicle": loops.conditions},
    ),
    Workload(
        "W3",
        _a.then(_c).without(_b).within("1 minute"),
        {"continuous": loops.absence_continuous, "chronicle": loops.absence_chronicle},
        width=2,
    ),
    Workload(
        "W4",
        event("D", attr.value > 0.9, key=var.k).times(3).within("30 seconds"),
        {"continuous": loops.runs_continuous, "chronicle": loops.runs_chronicle},
    ),
)


def named(name: Name) -> Workload:
    return next(workload for workload in WORKLOADS if workload.name == name)
