"""Patterns that are fed batch by batch: in one process, and as Spark would run them, without Spark's JVM."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from ensue.algebra import Context
from ensue.algebra.patterns import Length
from ensue.embedded.detector import Detector
from ensue.embedded.findings import Finding
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Patterns, Watchlist
from ensue.embedded.times import instants
from ensue.engine.columns import from_arrow
from ensue.time import parse_duration, to_instant

if TYPE_CHECKING:
    from ensue.language import Program

Events = Sequence[Mapping[str, object]]


class Run(Protocol):
    """What both ways to run have in common, so that one test can hold for both."""

    def feed(self, events: Events) -> list[Finding]:
        """Hand in a batch; gives what is complete now."""

    def advance_to(self, time: str | float | datetime) -> list[Finding]:
        """It is now this time, though nothing happened; gives what that completes."""

    def restart(self) -> None:
        """Save everything, forget everything, and go on from what was saved."""

    def finish(self) -> list[Finding]:
        """Nothing more will come; gives everything that was held back."""


class EmbeddedRun:
    """A `Detector`, fed batch by batch."""

    def __init__(
        self,
        patterns: Patterns,
        context: str | Context = "recent",
        *,
        delay: Length = 0,
        program: Program | None = None,
    ) -> None:
        self._patterns, self._program = patterns, program
        self._detector = Detector(patterns, context, delay=delay, program=program)

    @property
    def late(self) -> list[dict[str, object]]:
        """The events that came too late."""
        return self._detector.late

    def feed(self, events: Events) -> list[Finding]:
        return _flat(self._detector.feed(list(events)))

    def advance_to(self, time: str | float | datetime) -> list[Finding]:
        return _flat(self._detector.advance_to(time))

    def restart(self) -> None:
        late = self._detector.late
        self._detector = Detector.restore(self._detector.save(), self._patterns, program=self._program)
        self._detector.late.extend(late)

    def finish(self) -> list[Finding]:
        return _flat(self._detector.finish())


class StreamRun:
    """The streaming operator of `ensue.spark`, driven by Spark's own `TwsTester`.

    Each batch is a micro-batch: it is evaluated under the watermark that the batches before it left, so that what it
    completes comes out with the next one, with `advance_to` or with `finish`. Events go to `shards` by the attribute
    `key`, as Spark would spread them; without a key there is one shard.

    Columns have one type for the whole stream: that of the first batch, unless `columns` says more.
    """

    def __init__(
        self,
        patterns: Patterns | Watchlist,
        context: str | Context = "recent",
        *,
        delay: Length = 0,
        key: str | None = None,
        shards: int = 1,
        columns: pa.Schema | None = None,
        program: Program | None = None,
    ) -> None:
        self._watchlist = patterns if isinstance(patterns, Watchlist) else Watchlist.of(patterns, context, program)
        self._delay = parse_duration(delay)
        self._key, self._shards = key, shards if key else 1
        self._columns = columns
        self._driver: _Driver | None = None
        self.refused: list[dict[str, Any]] = []
        """The events that were not taken: their kind (late, duplicate, reject), the reason, and the event."""

    @property
    def late(self) -> list[dict[str, object]]:
        """The events that came too late."""
        return [row["event"] for row in self.refused if row["kind"] == "late"]

    def feed(self, events: Events) -> list[Finding]:
        table = self._table(events)
        return self._gathered(self._start(table.schema).batch(table, self._place))

    def advance_to(self, time: str | float | datetime) -> list[Finding]:
        driver = self._start(self._table([]).schema)
        driver.see(to_instant(time))
        return self._gathered(driver.silence())

    def restart(self) -> None:
        if self._driver is not None:
            self._driver.restart()

    def finish(self) -> list[Finding]:
        return self._gathered(self._driver.finish()) if self._driver is not None else []

    def _start(self, columns: pa.Schema) -> _Driver:
        if self._driver is None:
            self._driver = _Driver(self._watchlist, self._shards, self._delay, columns)
        return self._driver

    def _table(self, events: Events) -> pa.Table:
        """The batch in columns, times as times."""
        wanted = dict.fromkeys(
            ["type", "time", "id", *sorted(self._watchlist.attributes), *(self._columns.names if self._columns else ())]
        )
        rows = [{name: event.get(name) for name in wanted} for event in events]
        if self._columns is None:
            found = pa.Table.from_pylist(rows, schema=None) if rows else pa.table({name: [] for name in wanted})
            fixed = {"type": pa.string(), "time": pa.timestamp("us", "UTC"), "id": pa.string()}
            kinds = {name: fixed.get(name, found.schema.field(name).type) for name in wanted}
            columns = pa.schema([(name, pa.float64() if pa.types.is_integer(t) else t) for name, t in kinds.items()])
            if rows:
                self._columns = columns
        else:
            columns = self._columns
        return pa.Table.from_arrays([_column(rows, field) for field in columns], schema=columns)

    def _place(self, row: Mapping[str, object]) -> int:
        return hash(row.get(self._key)) % self._shards if self._key else 0

    def _gathered(self, output: tuple[pa.Table, list[dict[str, Any]]]) -> list[Finding]:
        found, refused = output
        self.refused += refused
        fixed = ("id", "class", "begin", "end", "detected", "constituents")
        return [
            Finding(
                row["class"],
                row["id"],
                row["begin"],
                row["end"],
                tuple(part["id"] for part in row["constituents"]),
                {name: value for name, value in row.items() if name not in fixed and value is not None},
            )
            for row in found.to_pylist()
        ]


class _Driver:
    """A tester with Spark's watermark: what the events of a batch say of the time counts from the next batch on."""

    def __init__(self, watchlist: Watchlist, shards: int, delay: int, columns: pa.Schema) -> None:
        from ensue.algebra import atoms, scope
        from ensue.spark.streaming.occurrences import occurrence_schema
        from ensue.spark.streaming.plan import StreamPlan

        kinds: dict[str, pa.DataType] = {}
        for item in watchlist.watched:
            for atom in atoms(item.pattern):
                for variable, attribute in atom.bindings:
                    kind = columns.field(attribute).type
                    kinds[variable] = _common(kinds.get(variable, kind), kind)
        variables = sorted({name for item in watchlist.watched for name in scope(item.pattern).sometimes})
        found = occurrence_schema([(name, kinds[name]) for name in variables])
        self._delay = -(-delay // 1000)
        self._plan = StreamPlan((watchlist,), shards, Names(), delay, columns, found, lag=self._delay)
        self._newest: int | None = None
        self._watermark = 0
        self._tester = self._started()

    def see(self, instant: int) -> None:
        self._newest = instant if self._newest is None else max(self._newest, instant)

    def batch(
        self, table: pa.Table, place: Callable[[Mapping[str, object]], int]
    ) -> tuple[pa.Table, list[dict[str, Any]]]:
        from pyspark.sql import Row

        from ensue.spark.streaming.packing import PLACE, pack

        rows = self._move()
        places = pa.array([place(row) for row in table.to_pylist()], pa.int32())
        packed = pack(table.append_column(PLACE, places).to_batches())
        for parcels in packed:
            for parcel in parcels.to_pylist():
                rows += self._tester.test(parcel["place"], [Row(**parcel)])
        times, known = instants(from_arrow(table.column("time")))
        for instant in times[known].tolist():
            self.see(instant)
        return self._output(rows)

    def silence(self) -> tuple[pa.Table, list[dict[str, Any]]]:
        """The batch without events that Spark runs when the watermark has moved."""
        return self._output(self._move())

    def restart(self) -> None:
        from ensue.spark.streaming.processor import ShardProcessor
        from ensue.spark.streaming.saved import forget_live

        forget_live()
        processor = ShardProcessor(self._plan)
        processor.init(self._tester.handle)
        self._tester.processor = processor

    def finish(self) -> tuple[pa.Table, list[dict[str, Any]]]:
        found, refused = self.silence()
        newest = self._newest if self._newest is not None else 0
        processor = self._tester.processor
        parts = []
        for place in list(self._tester.handle.value_states["head"].state):
            self._tester.handle.setGroupingKey(place)
            parts.append(processor.shards.restored(place).finish(newest))
        return pa.concat_tables([found, *parts]), refused

    def _started(self) -> Any:
        from pyspark.sql.streaming.tws_tester import TwsTester

        from ensue.spark.streaming.processor import ShardProcessor

        never_late = 1 << 62  # the tester would drop what it takes for late; Spark, after `mapInArrow`, does not
        return TwsTester(ShardProcessor(self._plan), timeMode="EventTime", eventTimeExtractor=lambda _: never_late)

    def _move(self) -> list[Any]:
        """The watermark that the batches so far have left, and what timers give on its way."""
        if self._newest is None:
            return []
        watermark = self._newest // 1000 - self._delay
        if watermark <= self._watermark:
            return []
        self._watermark = watermark
        fired: list[Any] = self._tester.setWatermark(watermark)
        return fired

    def _output(self, rows: list[Any]) -> tuple[pa.Table, list[dict[str, Any]]]:
        from ensue.spark.streaming.packing import read
        from ensue.spark.streaming.saved import FOUND

        found = [read(row["parcel"]) for row in rows if row["kind"] == FOUND]
        refused = [event for row in rows if row["kind"] != FOUND for event in read(row["parcel"]).to_pylist()]
        return pa.concat_tables([self._plan.found.empty_table(), *found]), refused


def _common(one: pa.DataType, two: pa.DataType) -> pa.DataType:
    """A type for values of both: what is not of one kind is written as text."""
    if one == two:
        return one
    numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in (one, two))
    return pa.float64() if numbers else pa.string()


def _column(rows: list[dict[str, object]], field: pa.Field) -> pa.Array:
    values = [row[field.name] for row in rows]
    if pa.types.is_timestamp(field.type):
        return pa.array([None if v is None else to_instant(v) for v in values], pa.int64()).cast(field.type)
    if pa.types.is_string(field.type):
        values = [None if v is None else str(v) for v in values]
    return pa.array(values, field.type)


def _flat(found: list[Finding] | dict[str, list[Finding]]) -> list[Finding]:
    return [one for part in found.values() for one in part] if isinstance(found, dict) else found
