"""Shards between Spark's state and a worker's memory: each call finds its shard there, and leaves it saved."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from pyspark.sql import Row

from ensue.engine.memory import keep_freed_memory
from ensue.spark.streaming import keeping
from ensue.spark.streaming.keeping import Head, States
from ensue.spark.streaming.output import open_table
from ensue.spark.streaming.packing import read, written
from ensue.spark.streaming.plan import StreamPlan
from ensue.spark.streaming.shard import Shard

FOUND, REFUSED, OPEN = "found", "refused", "open"

_LIVE: OrderedDict[str, Shard] = OrderedDict()
"""The shards that this worker saved last, by the tokens of their saves."""
_MOST_LIVE = 64


def forget_live() -> None:
    """Forget the shards in memory, as a worker that is new does."""
    _LIVE.clear()


class SavedShards:
    """The shards whose state is in reach: that of the group for which Spark calls."""

    def __init__(self, plan: StreamPlan, states: States, *, counting: bool = False) -> None:
        keep_freed_memory()
        self._plan = plan
        self._states = states
        self._counting = counting

    def call(self, group: int, parcels: Iterable[bytes], watermark: int) -> Iterator[Row]:
        """Give a shard what has come for it, and the watermark; rows of parcels with what it says to that."""
        place = self._plan.place(group)
        head = self._saved_head()
        shard = self._shard(place, head)
        outcome = shard.take((read(parcel) for parcel in parcels), watermark)
        self._save(shard, head, watermark)
        parts = {FOUND: outcome.occurrences, REFUSED: outcome.refused}
        if self._counting:
            parts[OPEN] = open_table(place, shard.open)
        return iter([Row(kind=kind, parcel=written(part)) for kind, part in parts.items() if part.num_rows])

    def restored(self, group: int) -> Shard:
        """The shard of the present group, read from what was saved."""
        place = self._plan.place(group)
        head = self._saved_head()
        return Shard(self._plan, place) if head is None else Shard.restored(self._plan, place, self._read(place, head))

    def _saved_head(self) -> Head | None:
        row = self._states.head.get()
        return keeping.head_of(row, self._plan, self._description) if row is not None else None

    def _description(self) -> str:
        return str((self._states.about.get() or ("{}",))[0])

    def _shard(self, place: int, head: Head | None) -> Shard:
        """The shard as it was saved. It leaves the memory, so that a call that fails leaves no half-done one there."""
        if head is None:
            self._states.about.update((json.dumps(self._plan.description),))
            return Shard(self._plan, place)
        live = _LIVE.pop(head.token, None)
        return live or Shard.restored(self._plan, place, self._read(place, head))

    def _read(self, place: int, head: Head) -> bytes:
        found = [self._states.body.getValue((number,)) for number in range(len(head.digests))]
        chunks = [None if value is None else bytes(value[0]) for value in found]
        return keeping.joined(chunks, head.digests, self._plan.where(place))

    def _save(self, shard: Shard, old: Head | None, watermark: int) -> None:
        chunks = keeping.chunks_of(shard.save())
        known = old.digests if old else ()
        digests = tuple(keeping.digest_of(chunk) for chunk in chunks)
        for number, (chunk, digest) in enumerate(zip(chunks, digests, strict=True)):
            if number >= len(known) or known[number] != digest:
                self._states.body.updateValue((number,), (chunk,))
        for number in range(len(chunks), len(known)):
            self._states.body.removeKey((number,))
        head = Head(keeping.new_token(), shard.wakes_at(watermark), digests)
        self._set_timer(old.wake if old else None, head.wake)
        self._states.head.update(keeping.head_row(head, self._plan))
        _LIVE[head.token] = shard
        while len(_LIVE) > _MOST_LIVE:
            _LIVE.popitem(last=False)

    def _set_timer(self, old: int | None, new: int | None) -> None:
        """There is one timer at most. One that has fired is gone by itself, and deleting it once more does no harm."""
        if old == new:
            return
        if old is not None:
            self._states.handle.deleteTimer(old)
        if new is not None:
            self._states.handle.registerTimer(new)
