"""Of which type each constituent is: the engine keeps times and ids of events, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ensue.embedded.findings import id_texts
from ensue.embedded.session import Session
from ensue.engine.events import EventBatch
from ensue.engine.nodes.latest import Latest

_NO_TEXTS = pa.array([], pa.large_string())


class Leaves:
    """The types of the events that can still become part of an occurrence, by their ids."""

    def __init__(self, ids: pa.Array = _NO_TEXTS, types: pa.Array = _NO_TEXTS) -> None:
        self._ids, self._types = ids, types

    def note(self, events: pa.Table, type_name: str, id_name: str) -> None:
        """Take events in; which of them are let in shows when the rest is forgotten."""
        if events.num_rows:
            ids, types = (_texts(events.column(name)) for name in (id_name, type_name))
            self._ids, self._types = pa.concat_arrays([self._ids, ids]), pa.concat_arrays([self._types, types])

    def note_derived(self, name: str, batches: Sequence[EventBatch]) -> None:
        """Take events in that were derived here, all of one class."""
        ids = [id_texts(batch.ids) for batch in batches]
        self._ids = pa.concat_arrays([self._ids, *ids])
        names = pa.array([name] * sum(map(len, ids)), pa.large_string())
        self._types = pa.concat_arrays([self._types, names])

    def of(self, ids: pa.Array) -> pa.Array:
        """The type of each; temporal events, which a pattern has made, have none."""
        return self._types.take(pc.index_in(ids, self._ids)).cast(pa.string())

    def keep(self, session: Session) -> None:
        """Forget the events that neither wait nor are part of anything that is carried."""
        flow = session.ordered
        engines = flow.levels.engines
        for engine in engines:
            engine.compact()
        remembered = pa.array(
            [
                event.id
                for engine in engines
                for node in engine.plan.nodes
                if isinstance(node, Latest)
                for held in node.machine.held.values()
                for events in held.values()
                for event in events
            ],
            pa.large_string(),
        )
        known = [engine.store.ids for engine in engines]
        waiting = [batch.ids for batch in (flow.buffer.held, *flow.levels.held)]
        live = pa.concat_arrays([*(id_texts(ids) for ids in (*known, *waiting)), remembered])
        if len(live) == 0:
            self._ids, self._types = _NO_TEXTS, _NO_TEXTS
            return
        places = pc.index_in(live, self._ids).drop_null().unique()
        self._ids, self._types = self._ids.take(places), self._types.take(places)

    def table(self) -> pa.Table:
        """As it is saved."""
        return pa.table({"id": self._ids, "type": pc.dictionary_encode(self._types)})

    @classmethod
    def restored(cls, table: pa.Table) -> Leaves:
        return cls(_texts(table.column("id")), _texts(table.column("type")))


def _texts(column: pa.ChunkedArray) -> pa.Array:
    return column.cast(pa.large_string()).combine_chunks()
