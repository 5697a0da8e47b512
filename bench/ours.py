"""Our side of every comparison: the only place in `bench` that calls the engine and its public face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ensue import Context, Detector, Pattern
from ensue.engine.columns import from_arrow, instants
from ensue.engine.engine import Engine
from ensue.engine.events import EventBatch, encode_types
from ensue.engine.found import Found
from ensue.engine.store import Ids

if TYPE_CHECKING:
    import pyarrow as pa


def engine(pattern: Pattern, context: str, table: pa.Table) -> list[Found]:
    """What the engine finds in a table: rows of constituents and bindings, without ids and without an output table."""
    machine = Engine({"": (pattern, Context(context))})
    batch = _batch(table)
    return [machine.advance(batch, int(batch.times[-1]))[""], machine.finish()[""]]


def detect(pattern: Pattern, context: str, tables: Iterable[pa.Table]) -> int:
    """Takes the tables through a detector, one after another, to the end; returns how many occurrences it reports."""
    detector = Detector(pattern, context)
    return sum(len(detector.feed(table)) for table in tables) + len(detector.finish())


def immediate(patterns: Sequence[Pattern], context: str) -> Callable[[Mapping[str, object]], int]:
    """A function that takes one event as it comes, for all the patterns, and says how many occurrences that led to."""
    detector = Detector(patterns, context, immediate=True)
    return lambda event: sum(map(len, detector.feed(event).values()))


def _batch(table: pa.Table) -> EventBatch:
    """The table's columns as the engine takes them."""
    types, type_names = encode_types(table.column("type").chunk(0))
    return EventBatch(
        instants(table.column("time").chunk(0)),
        Ids.from_positions(0, len(table)),
        types,
        type_names,
        lambda name: from_arrow(table.column(name)),
    )
