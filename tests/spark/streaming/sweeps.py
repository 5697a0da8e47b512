"""Random streams for the streaming operator: a pattern, a history, the order of arrival, and how it is cut."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import pyarrow as pa
from hypothesis import assume, strategies as st
from tests.engine.cases import SECOND, histories, patterns

from ensue.algebra import Context, Pattern, patterns as pt, walk
from ensue.algebra.bounds import check_legal
from ensue.algebra.rewriting import map_atoms
from ensue.errors import PatternError
from ensue.model import Event
from ensue.time import to_datetime

COLUMNS = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.timestamp("us", "UTC")),
        ("id", pa.string()),
        ("v", pa.float64()),
        ("w", pa.string()),
    ]
)


@dataclass(frozen=True)
class Stream:
    """Events in the order in which they come, in batches; none comes later than the delay allows."""

    pattern: Pattern
    context: Context
    batches: tuple[tuple[dict[str, object], ...], ...]
    delay: int

    @property
    def events(self) -> list[dict[str, object]]:
        return [event for batch in self.batches for event in batch]


@st.composite
def streams(draw: st.DrawFn, depth: int = 3, keyed: bool = False) -> Stream:
    context = draw(st.sampled_from(list(Context)))
    pattern = draw(patterns(draw(st.integers(1, depth))))
    if keyed:
        assume(spreads(pattern))
        pattern = with_key(pattern)
    assume(is_legal(pattern, context))
    events = [_as_row(event) for event in draw(histories())]
    assume(events)  # without any, a stream has no shard, and so nobody to say that time has passed
    delay = draw(st.integers(0, 4)) * SECOND
    jitter = [draw(st.integers(0, delay)) for _ in events]
    arrival = sorted(range(len(events)), key=lambda i: (_instant(events[i]) + jitter[i], i))
    cuts = sorted(draw(st.lists(st.integers(0, len(events)), max_size=4)))
    bounds = [0, *cuts, len(events)]
    ordered = [events[i] for i in arrival]
    batches = tuple(tuple(ordered[a:b]) for a, b in itertools.pairwise(bounds))
    return Stream(pattern, context, batches, delay)


def with_key(pattern: Pattern) -> Pattern:
    """The same pattern with `v` bound to ?k in every atom, so that it can be spread over shards by `v`."""
    return map_atoms(pattern, lambda atom: replace(atom, bindings=(("k", "v"), *atom.bindings)))


def spreads(pattern: Pattern) -> bool:
    """Whether each substitution of the key stands for itself: nothing looks at all events, or at time alone."""
    return not any(isinstance(part, (pt.ThenBetween, pt.Absence)) for part in walk(pattern))


def is_legal(pattern: Pattern, context: Context) -> bool:
    """Whether the state of a pattern is bounded, so that it may run."""
    try:
        check_legal(pattern, context)
    except PatternError:
        return False
    return True


def _instant(row: dict[str, object]) -> int:
    time = row["time"]
    return int(time.timestamp() * SECOND)  # type: ignore[attr-defined]


def _as_row(event: Event) -> dict[str, object]:
    """The event as a row: a column has one kind of values."""
    v, w = event.attributes.get("v"), event.attributes.get("w")
    return {
        "type": event.type,
        "time": to_datetime(event.time),
        "id": event.id,
        "v": None if v is None else float(v),  # type: ignore[arg-type]
        "w": None if w is None else str(w),
    }
