"""The stateful operator as Spark is given it: light, for what it does is in `saved`.

At each start of a query Spark loads the operator in a new process of the driver, only to learn the names of its state.
So the engine is imported with the first call, and the plan, which would bring it along, travels sealed until then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.serializers import CPickleSerializer
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from ensue.spark.streaming import keeping

if TYPE_CHECKING:
    from pyspark.sql import Row

    from ensue.spark.streaming.plan import StreamPlan
    from ensue.spark.streaming.saved import SavedShards

_SEAL: Any = CPickleSerializer()
OUTPUT = "kind STRING, parcel BINARY"


class ShardProcessor(StatefulProcessor):
    """One shard for each group. Every call evaluates up to the watermark; timers see to it that there is a call."""

    def __init__(self, plan: StreamPlan, *, counting: bool = False) -> None:
        self._sealed: bytes = _SEAL.dumps(plan)
        self._counting = counting

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._states = keeping.States(
            handle,
            handle.getValueState("head", keeping.HEAD),
            handle.getValueState("about", keeping.ABOUT),
            handle.getMapState("body", keeping.CHUNK_KEY, keeping.CHUNK),
        )

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: TimerValues) -> Iterator[Row]:  # noqa: N802, N803
        return self.shards.call(key[0], (row["parcel"] for row in rows), timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803 - Spark passes these by name
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
    ) -> Iterator[Row]:
        return self.shards.call(key[0], (), timerValues.getCurrentWatermarkInMs())

    @cached_property
    def shards(self) -> SavedShards:
        from ensue.spark.streaming.saved import SavedShards

        return SavedShards(_SEAL.loads(self._sealed), self._states, counting=self._counting)
