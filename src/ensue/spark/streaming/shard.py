"""One shard of one operator: a session whose time is the stream's watermark. Nothing here knows Spark."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from ensue.embedded.incoming import Problem
from ensue.embedded.saving import restore, save
from ensue.embedded.session import Session
from ensue.embedded.tables import Arrow
from ensue.engine.arrays import FOREVER
from ensue.engine.deadlines import deadline
from ensue.engine.partials import count_partials
from ensue.spark.streaming.leaves import Leaves
from ensue.spark.streaming.occurrences import occurrence_table
from ensue.spark.streaming.packing import read, written
from ensue.spark.streaming.plan import StreamPlan
from ensue.spark.streaming.refused import Earlier, Refusals, refused_schema, refused_table

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call of a shard gives: occurrences, and events that were not taken."""

    occurrences: pa.Table
    refused: pa.Table


class Shard:
    """The patterns of an operator over the events of some keys.

    The watermark comes from outside, in milliseconds, as Spark counts; 0 means that there is none yet. Everything
    before it is evaluated, and what comes with an earlier time is late: a rule that does not depend on which shard
    an event goes to, nor on when that shard was last called.

    With the events of a batch, a shard also knows how far the watermark of the next one will be at least. What lies
    before that is evaluated at once: whatever still comes for it would be late anyway.
    """

    def __init__(
        self,
        plan: StreamPlan,
        place: int,
        session: Session | None = None,
        refused: int = 0,
        leaves: Leaves | None = None,
    ) -> None:
        self._plan = plan
        self._leaves = leaves or Leaves()
        self._session = session or Session(plan.watchlist(place), plan.names, plan.delay, driven=True)
        self._refused = refused
        self._session.ordered.levels.told = self._leaves.note_derived

    @classmethod
    def restored(cls, plan: StreamPlan, place: int, data: bytes) -> Shard:
        """A shard that goes on where it was saved; that the plan is the same has been checked."""
        content, leaves = parted(data)
        session, refused = restore(content, plan.watchlist(place))
        return cls(plan, place, session, refused, Leaves.restored(read(leaves)))

    def save(self) -> bytes:
        """The session, and the types of its events behind it."""
        self._leaves.keep(self._session)
        content = save(self._session, self._refused)
        return _LENGTH.pack(len(content)) + content + written(self._leaves.table())

    def take(self, tables: Iterable[pa.Table], watermark: int) -> Outcome:
        """Evaluate what lies before the watermark, let the new events of a batch in, evaluate what is complete by them.

        All that a batch brings to this shard has to come in one call.
        """
        schema = refused_schema(self._plan.events)
        found = [self._advance_to(watermark)]
        refused = [self._add(table, schema) for table in tables]
        found.append(self._advance_to(self._ahead()))
        return Outcome(pa.concat_tables(found), pa.concat_tables(refused) if refused else schema.empty_table())

    def finish(self, newest: int) -> pa.Table:
        """What the stream would still give if it ended here, its newest event being of that instant."""
        reports = [*self._session.advance_to(newest + 1), *self._session.finish()]
        return occurrence_table(reports, self._session, self._leaves, self._plan.found)

    @property
    def open(self) -> int:
        """How many parts of patterns have occurred and wait for the rest."""
        return sum(count_partials(engine) for engine in self._session.ordered.levels.engines)

    def wakes_at(self, watermark: int) -> int | None:
        """The watermark, later than this one, at which there is something to do even if no event comes; or None."""
        flow = self._session.ordered
        held = int(flow.buffer.held.times.min(initial=FOREVER))
        due = [moment for engine in flow.levels.engines if (moment := deadline(engine)) is not None]
        if any(len(waiting) for waiting in flow.levels.held):
            due.append(watermark * 1000)  # they wait for what is derived below them: look again when time goes on
        first = min([held, *due])
        return None if first >= FOREVER else max(first // 1000 + 1, watermark + 1)

    def _advance_to(self, watermark: int) -> pa.Table:
        """What lies before a watermark; nothing if it is not later than the one before."""
        reports = self._session.advance_to(watermark * 1000) if watermark > 0 else []
        return occurrence_table(reports, self._session, self._leaves, self._plan.found)

    def _ahead(self) -> int:
        """Where the next watermark will be at least, by the newest event that waits; 0 if that cannot be known."""
        if self._plan.lag is None:
            return 0
        newest = int(self._session.ordered.buffer.held.times.max(initial=0))
        return newest // 1000 - self._plan.lag

    def _add(self, table: pa.Table, schema: pa.Schema) -> pa.Table:
        named, nameless = _by_id(table, self._plan.names.id)
        refusals = Refusals()
        self._leaves.note(named, self._plan.names.type, self._plan.names.id)
        self._session.add(Arrow(named), refusals, Earlier(), detach=True)
        parts = [refused_table(refusals.found, named, schema)]
        if nameless.num_rows:
            parts.append(refused_table([_without_id(row) for row in range(nameless.num_rows)], nameless, schema))
        refused = pa.concat_tables(parts)
        self._refused += refused.num_rows
        return refused


def parted(data: bytes) -> tuple[bytes, bytes]:
    """What was saved of the session, and of the types of its events."""
    (length,) = _LENGTH.unpack_from(data)
    return data[_LENGTH.size : _LENGTH.size + length], data[_LENGTH.size + length :]


def _by_id(table: pa.Table, name: str) -> tuple[pa.Table, pa.Table]:
    """The events with ids, and those without: in a stream there are no positions to call them by."""
    column = table.column(name)
    if not column.null_count:
        return table, table.slice(0, 0)
    return table.filter(column.is_valid()), table.filter(column.is_null())


def _without_id(row: int) -> Problem:
    return Problem(row, "E403", "the event has no id", "every event of a stream needs an id of its own")
