"""From streaming frames of events to a frame of occurrences, as one lazy plan with one stateful operator.

events ─► watermark ─► places ─► parcels ─► shards ─► rows
          sees every    Catalyst  Arrow,     state,    Arrow
          event                   a row a    timers
                                  shard
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, SparkSession, functions as f, types as t
from pyspark.sql.pandas.types import to_arrow_schema

from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watchlist
from ensue.errors import Diagnostic, InputError
from ensue.spark.direct.files import java_plan
from ensue.spark.history import key_column
from ensue.spark.sources import Source
from ensue.spark.streaming.heartbeat import heartbeat
from ensue.spark.streaming.lineages import Operator, derived_fields, operators
from ensue.spark.streaming.output import Detection, Unpacking, observed, output_schema
from ensue.spark.streaming.packing import ECHO, PLACE, pack
from ensue.spark.streaming.plan import StreamPlan
from ensue.spark.streaming.processor import OUTPUT, ShardProcessor
from ensue.spark.values import missing, quoted
from ensue.spark.variables import schema, variable_types
from ensue.spark.wanted import Wanted

if TYPE_CHECKING:
    import pyarrow as pa

_PLACES = "__places"
_PARCELS = "place INT, parcel BINARY"
_SPARK = {"number": "double", "text": "string", "truth": "boolean", "time": "timestamp"}
_WATERMARK = "spark.watermarkDelayMs"
_EARLIEST = "0001-01-01T00:00:00Z"
MOST_SHARDS = 32


@dataclass(frozen=True)
class Clocks:
    """A watermark for each source, in their order: how late its events may come, in microseconds.

    The time of the stream is where the slowest source is; `times` (`class`, `time`) move sources without events.
    """

    delays: Sequence[int]
    times: DataFrame


def detect_stream(
    watchlist: Watchlist,
    sources: Sequence[Source],
    delay: int | None,
    shards: int | None = None,
    beat: int | None = None,
    clocks: Clocks | None = None,
    *,
    counting: bool = False,
) -> Detection:
    """The detection of patterns in streaming frames; `delay` and `beat` in microseconds.

    There is one watermark over all sources, or one for each by `clocks`. With `counting` there are also rows that tell
    how many partial matches are open at each place that was called.
    """
    spark = sources[0].frame.sparkSession
    prepare(spark)
    parts = operators(watchlist)
    types = variable_types(watchlist.watched, [*sources, *derived_fields(watchlist, sources)], watchlist.taxonomy)
    columns = schema(types)
    count = shards or default_shards(spark)
    rows = [_rows(source, sources, parts, watchlist, count) for source in sources]
    events = t.StructType([field for field in rows[0].schema.fields if field.name != _PLACES])
    names = Names(_type_name(sources[0].names), sources[0].names.time, sources[0].names.id)
    plan = StreamPlan(
        tuple(part.watchlist for part in parts),
        count,
        names,
        max(clocks.delays) if clocks else delay or 0,
        to_arrow_schema(events, timezone="UTC"),
        to_arrow_schema(columns, timezone="UTC"),
        _lag(sources, delay, clocks),
    )
    timed = _clocked(rows, sources, names.time, clocks) if clocks else _timed(rows, sources, names.time, delay, beat)
    parcels = _placed(timed, names.time).mapInArrow(pack, _PARCELS)
    groups = f.array(*map(f.lit, plan.groups)).cast("array<bigint>")
    grouped = parcels.select(f.element_at(groups, f.col("place") + 1).alias("group"), "parcel").groupBy("group")
    packed = grouped.transformWithState(
        ShardProcessor(plan, counting=counting), OUTPUT, outputMode="append", timeMode="eventTime"
    )
    output = output_schema(columns, events)
    whole = packed.mapInArrow(Unpacking(_unpacked(output)), output)
    return Detection(observed(whole), tuple(columns.names))


def prepare(spark: SparkSession) -> None:
    """What `transformWithState` asks of a session: RocksDB for the state, and its changes written instead of all of it.

    Both are read when a query is started for the first time; one that goes on has its own in the checkpoint.
    """
    place = "org.apache.spark.sql.execution.streaming.state."
    provider = spark.conf.get("spark.sql.streaming.stateStore.providerClass", "") or ""
    if "RocksDB" not in provider:
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", f"{place}RocksDBStateStoreProvider")
        spark.conf.set("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")


def default_shards(spark: SparkSession) -> int:
    """As many as Spark has tasks for; the number is fixed in the checkpoint, as Spark's own is."""
    return max(1, min(int(spark.conf.get("spark.sql.shuffle.partitions") or 1), MOST_SHARDS))


def _type_name(names: Names) -> str:
    return names.type if names.event_type is None else "__type"


def _rows(
    source: Source, sources: Sequence[Source], parts: Sequence[Operator], watchlist: Watchlist, shards: int
) -> DataFrame:
    """What the shards need of each event, and at which places it is wanted."""
    names = source.names
    kind = f.lit(source.event_class) if source.event_class is not None else source.attribute(names.type).column
    type_name = names.type if source.event_class is None else ("__type" if names.event_type else names.type)
    time = source.attribute(names.time).column
    columns = {type_name: kind, names.time: time, names.id: _id(source)}
    for name in sorted(watchlist.attributes - columns.keys()):
        columns[name] = _attribute(name, source, sources)
    unusable = kind.isNull() | (kind == f.lit("")) | time.isNull() | quoted(names.id).isNull()
    wanted = [_place(number, part, source, sources, watchlist, shards) for number, part in enumerate(parts)]
    places = f.when(unusable, f.array(f.lit(0))).otherwise(f.array_compact(f.array(*wanted)))
    chosen = [column.alias(name) for name, column in columns.items()]
    if _watermark_of(source) is not None:
        chosen[1] = quoted(names.time)  # as it is: it carries the watermark
    return source.frame.select(*chosen, places.alias(_PLACES))


def _place(
    number: int, part: Operator, source: Source, sources: Sequence[Source], watchlist: Watchlist, shards: int
) -> Column:
    """The place of an operator at which a row is wanted; null if it is not."""
    condition = Wanted.of(part.patterns, sources, watchlist.taxonomy).rows(source)
    if not part.key:
        place = f.lit(number * shards)
        # what depends on when the history began has to see every event
        return place if condition is None or part.spanned else f.when(condition, place)
    spread = f.pmod(key_column(source, sources, part.key), f.lit(shards)).cast("int") + f.lit(number * shards)
    return spread if condition is None else f.when(condition, spread)


def _id(source: Source) -> Column:
    column = quoted(source.names.id)
    return column.cast("string") if isinstance(source.fields[source.names.id], t.DecimalType) else column


def _attribute(name: str, source: Source, sources: Sequence[Source]) -> Column:
    """An attribute in a type that all frames have in common."""
    values = [found for other in sources if (found := other.attribute(name)).kind != missing().kind]
    kinds = {value.kind for value in values}
    if len(kinds) > 1:
        listed = " and ".join(sorted(kinds))
        raise InputError(
            Diagnostic("E420", f"{name} is {listed} in different frames of a stream", hint="cast one of the columns")
        )
    if not kinds:
        return f.lit(None).cast("string")
    (kind,) = kinds
    whole = kind == "number" and all(value.whole for value in values)
    value = source.attribute(name)
    column = value.column if value.kind == kind else f.lit(None)
    return column.cast("bigint" if whole else _SPARK[kind])


def _watermark_of(source: Source) -> int | None:
    """The delay of a watermark that the user has defined, in milliseconds."""
    fields = [field for field in source.frame.schema.fields if field.name == source.names.time]
    found = fields[0].metadata.get(_WATERMARK) if fields else None
    return None if found is None else int(found)


def _timed(
    rows: Sequence[DataFrame], sources: Sequence[Source], time: str, delay: int | None, beat: int | None
) -> DataFrame:
    """All events, with a watermark that sees each of them: before anything is filtered, and before packing."""
    own = [found for source in sources if (found := _watermark_of(source)) is not None]
    every = reduce(lambda one, two: one.unionByName(two), rows)
    if own and (delay is not None or len(own) < len(sources)):
        raise InputError(
            Diagnostic(
                "E423",
                "a frame of events has a watermark already, and Spark allows one only",
                hint="leave out delay=…, or the withWatermark before; of several frames all or none may have one",
            )
        )
    if beat is not None:
        beats = heartbeat(every.sparkSession, beat).withColumnRenamed("time", time)
        every = every.unionByName(beats, allowMissingColumns=True)  # without places, so wanted nowhere
    return every if own else every.withWatermark(time, _milliseconds(delay or 0))


def _lag(sources: Sequence[Source], delay: int | None, clocks: Clocks | None) -> int | None:
    """How many milliseconds the watermark is behind the newest event, if it is known that there is one only, ours."""
    if any(_may_have_watermark(source.frame) for source in sources):
        return None
    if clocks:
        return _in_milliseconds(clocks.delays[0]) if len(sources) == 1 else None
    return _in_milliseconds(delay or 0)


def _may_have_watermark(frame: DataFrame) -> bool:
    """On whichever column, also one that is gone: of several watermarks the least holds. Connect shows no plan."""
    plan = java_plan(frame)
    return plan is None or "EventTimeWatermark" in plan.toString()


def _clocked(rows: Sequence[DataFrame], sources: Sequence[Source], time: str, clocks: Clocks) -> DataFrame:
    """All events, with a watermark for each source; Spark's own policy is that the least of them holds."""
    parts = []
    for mine, source, delay in zip(rows, sources, clocks.delays, strict=True):
        moved = clocks.times.where(f.col("class") == f.lit(source.event_class)).select(f.col("time").alias(time))
        told = mine.unionByName(moved, allowMissingColumns=True)  # without places, so wanted nowhere
        parts.append(told.withWatermark(time, _milliseconds(delay)))
    return reduce(lambda one, two: one.unionByName(two), parts)


def _milliseconds(delay: int) -> str:
    return f"{_in_milliseconds(delay)} milliseconds"


def _in_milliseconds(delay: int) -> int:
    """Spark counts in these; a delay is rather longer than shorter."""
    return -(-delay // 1000)


def _placed(timed: DataFrame, time: str) -> DataFrame:
    """A row for each place at which an event is wanted.

    The places seem to depend on the time, which no time does: or Spark would filter the rows before the watermark sees
    them, and events that nobody wants would no longer say how late it is.
    """
    earliest = f.lit(_EARLIEST).cast("timestamp")
    places = f.when(quoted(time) < earliest, f.array(f.lit(0))).otherwise(f.col(_PLACES))
    kept = [quoted(field.name) for field in timed.schema.fields if field.name != _PLACES]
    spread = timed.select(*kept, f.posexplode(places).alias("__copy", PLACE))
    return spread.select(*kept, (f.col("__copy") > 0).alias(ECHO), f.col(PLACE).cast("int").alias(PLACE))


def _unpacked(output: t.StructType) -> pa.Schema:
    return to_arrow_schema(output, timezone="UTC")
