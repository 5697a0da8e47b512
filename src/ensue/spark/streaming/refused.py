"""Events that were not taken: late, seen before, or unusable. They go out with their reason, and nothing is dropped."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from ensue.embedded.incoming import Incoming, Places, Problem
from ensue.spark.streaming.packing import ECHO

KINDS = {"E407": "late", "E404": "duplicate"}
"""What the reason is called; every other one is a `reject`."""


@dataclass(slots=True)
class Refusals:
    """Collects the rows that a session does not take; a stream goes on whatever is in it."""

    found: list[Problem] = field(default_factory=list)

    def bad(self, problems: list[Problem], _events: Incoming, _places: Places) -> None:
        self.found += problems

    def late(self, problems: list[Problem], _events: Incoming, _places: Places) -> None:
        self.found += problems


@dataclass(frozen=True, slots=True)
class Earlier:
    """Rows of a stream have no numbers that would mean anything to a person."""

    def place(self, _row: int) -> tuple[str | None, int | None]:
        return None, None

    def phrase(self, _row: int) -> str:
        return "another event"


def refused_schema(events: pa.Schema) -> pa.Schema:
    """The columns of refused events: why, and the event with all columns that some pattern needs."""
    event = pa.struct([field.with_nullable(True) for field in events])
    return pa.schema([("kind", pa.string()), ("code", pa.string()), ("reason", pa.string()), ("event", event)])


def refused_table(problems: list[Problem], events: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows with problems. An event that came to several places speaks at the first of them only."""
    echoes = events.column(ECHO).to_pylist() if ECHO in events.schema.names else [False] * events.num_rows
    listed = sorted((p for p in problems if not echoes[p.row]), key=lambda problem: problem.row)
    wanted = schema.field("event").type
    chosen = events.select([field.name for field in wanted]).take(pa.array([p.row for p in listed], pa.int64()))
    columns = [column.combine_chunks().cast(field.type) for column, field in zip(chosen.columns, wanted, strict=True)]
    arrays = [
        pa.array([KINDS.get(problem.code, "reject") for problem in listed], pa.string()),
        pa.array([problem.code for problem in listed], pa.string()),
        pa.array([problem.message for problem in listed], pa.string()),
        pa.StructArray.from_arrays(columns, fields=list(wanted)),
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
