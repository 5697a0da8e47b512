"""Small worlds for comparing the engine with the reference: few classes, few values, times close together.

Patterns over a small alphabet meet the same events again and again, simultaneous ones included; that is where
mistakes show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from ensue.algebra import Context, Pattern, expressions as ex, patterns as pt
from ensue.engine.columns import from_values
from ensue.engine.engine import Engine
from ensue.engine.events import EventBatch, encode_types
from ensue.engine.store import Ids
from ensue.model import Event, Occurrence, Value
from ensue.time import Calendar

SECOND = 1_000_000
TYPES = ("A", "B", "C")
VARIABLES = ("x", "y")
SHIFT = pt.CalendarInterval(Calendar("shift", period=4 * SECOND, length=3 * SECOND))


@dataclass(frozen=True)
class Case:
    """A pattern, a history, and the instants after which the history is cut into batches."""

    pattern: Pattern
    events: tuple[Event, ...]
    cuts: tuple[int, ...]


def values() -> st.SearchStrategy[Value | None]:
    choices: list[Value | None] = [1, 1, 1, 1, 1.0, 2, 2, "1", True, None]
    return st.sampled_from(choices)


@st.composite
def histories(draw: st.DrawFn, most: int = 11) -> tuple[Event, ...]:
    """Events over a few seconds; ids are shuffled, so that their order is not the order of time."""
    times = draw(st.lists(st.integers(0, 9), min_size=draw(st.integers(0, 5)), max_size=most))
    names = draw(st.permutations([f"e{i}" for i in range(len(times))]))
    return tuple(
        Event(name, draw(st.sampled_from(TYPES)), time * SECOND, {"v": draw(values()), "w": draw(values())})
        for name, time in zip(names, sorted(times), strict=True)
    )


def literals() -> st.SearchStrategy[ex.Literal]:
    return st.sampled_from([ex.Literal(1), ex.Literal(2), ex.Literal("1")])


@st.composite
def atoms(draw: st.DrawFn) -> Pattern:
    condition: ex.Expression | None = None
    if draw(st.integers(0, 7)) == 0:
        operator = draw(st.sampled_from(["=", "!=", "<", ">="]))
        condition = ex.Compare(operator, ex.Attribute(draw(st.sampled_from("vw"))), draw(literals()))
    bindings = draw(
        st.lists(st.tuples(st.sampled_from(VARIABLES), st.sampled_from("vw")), max_size=2, unique=True)
        if draw(st.integers(0, 2)) == 0
        else st.just([])
    )
    return pt.Atom(draw(st.sampled_from(TYPES)), condition, tuple(bindings))


def durations() -> st.SearchStrategy[int]:
    return st.integers(0, 9).map(lambda n: n * SECOND)


def fixed_intervals() -> st.SearchStrategy[pt.FixedInterval]:
    return st.tuples(st.integers(0, 5), st.integers(0, 12)).map(
        lambda pair: pt.FixedInterval(min(pair) * SECOND, max(pair) * SECOND)
    )


def conditions() -> st.SearchStrategy[ex.Expression]:
    variable = st.sampled_from(VARIABLES).map(ex.Variable)
    operators = st.sampled_from(["=", "!=", "<", ">"])
    return st.builds(ex.Compare, operators, variable, st.one_of(variable, literals()))


def patterns(depth: int) -> st.SearchStrategy[Pattern]:
    """Patterns of every operator, down to a depth."""
    if depth == 0:
        return atoms()
    inner = st.deferred(lambda: patterns(depth - 1))
    intervals = st.one_of(fixed_intervals(), st.just(SHIFT), st.builds(pt.PatternInterval, inner))
    counts = st.integers(1, 3)
    binary = [st.builds(node, inner, inner) for node in (pt.Or, pt.And, pt.Then, pt.Then, pt.ThenBetween, pt.Without)]
    binary.append(st.builds(pt.Without, inner, inner, st.just(True)))
    counting = [st.builds(node, counts, inner, intervals) for node in (pt.AtLeast, pt.EveryNth, pt.Rank)]
    return st.one_of(
        atoms(),
        *binary,
        st.builds(pt.Within, inner, durations()),
        st.builds(pt.Inside, inner, fixed_intervals()),
        st.builds(pt.Before, inner, durations()),
        st.builds(pt.At, inner, st.integers(0, 9).map(lambda n: n * SECOND), st.sampled_from(["second", "minute"])),
        st.builds(pt.Delay, inner, durations()),
        st.builds(_some_of, st.lists(inner, min_size=2, max_size=3), counts, st.booleans()),
        st.builds(pt.Times, counts, inner),
        *counting,
        *(st.builds(node, st.integers(0, 2), inner, intervals) for node in (pt.AtMost, pt.Exactly)),
        st.builds(pt.Last, inner, intervals),
        st.builds(pt.Absence, inner, st.one_of(fixed_intervals(), st.just(SHIFT))),
        st.builds(pt.Star, inner, inner, inner),
        st.builds(pt.Aperiodic, inner, inner, inner, st.booleans()),
        st.builds(pt.Periodic, inner, st.integers(1, 3).map(lambda n: n * SECOND), inner, st.booleans()),
        st.builds(pt.Where, inner, conditions()),
    )


def _some_of(operands: list[Pattern], count: int, exactly: bool) -> Pattern:
    return pt.SomeOf(min(count, len(operands)), tuple(operands), exactly)


@st.composite
def cases(draw: st.DrawFn, depth: int = 3) -> Case:
    pattern = draw(patterns(draw(st.integers(1, depth))))
    events = draw(histories())
    cuts = draw(st.lists(st.integers(-1, 10), max_size=3, unique=True).map(sorted))
    return Case(pattern, events, tuple(cut * SECOND for cut in cuts))


def batch(events: tuple[Event, ...]) -> EventBatch:
    """Events as the engine takes them."""
    types, names = encode_types(pa.array([event.type for event in events], pa.string()))
    times = np.array([event.time for event in events], np.int64)
    ids = Ids.from_texts([event.id for event in events])
    return EventBatch(times, ids, types, names, lambda name: from_values([e.attributes.get(name) for e in events]))


def run_engine(case: Case, context: Context, restarts: bool = False) -> list[Occurrence]:
    """What the engine reports, fed in batches; with `restarts`, each batch goes to an engine restored from saved
    bytes.
    """
    engine = Engine({"q": (case.pattern, context)})
    found: list[Occurrence] = []
    last = -(2**60)
    for cut in case.cuts:
        events = tuple(event for event in case.events if last < event.time <= cut)
        found += engine.advance(batch(events), cut)["q"].occurrences()
        last = cut
        engine.compact()
        if restarts:
            saved = engine.save()
            engine = Engine({"q": (case.pattern, context)})
            engine.restore(saved)
    rest = tuple(event for event in case.events if event.time > last)
    if rest:
        found += engine.advance(batch(rest), max(event.time for event in rest))["q"].occurrences()
    return found + engine.finish()["q"].occurrences()
