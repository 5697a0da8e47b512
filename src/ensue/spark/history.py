"""Detection over a history: from frames of events to a frame of occurrences, as one lazy plan.

Conditions are filters over the scan, each group of patterns has one shuffle by its key, and the engine sees partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame, functions as f, types as t
from pyspark.sql.pandas.types import to_arrow_type

from ensue.algebra import Context, Pattern
from ensue.algebra.families import families
from ensue.algebra.shapes import kinds_of
from ensue.algebra.wants import any_event, whole_span
from ensue.embedded.patterns import Watched, Watchlist
from ensue.engine.memory import nothing_to_collect
from ensue.model import Taxonomy
from ensue.spark.direct.detecting import detect_in_files, files_of_all
from ensue.spark.keys import Key, partition_key
from ensue.spark.slices import overlap
from ensue.spark.sources import Source
from ensue.spark.values import MISSING, Typed
from ensue.spark.variables import kind_of, schema, variable_columns, variable_types
from ensue.spark.wanted import WIDTH, Wanted, bit_name
from ensue.spark.worker import GroupByGroup, Layout, Variable, Work

_VALUES = {
    "number": pa.float64(),
    "text": pa.large_string(),
    "truth": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
}
_SPARK = {"number": "double", "text": "string", "truth": "boolean", "time": "timestamp"}


@dataclass(frozen=True, slots=True)
class Group:
    """Patterns that share a shuffle: by a key, by slices of time that overlap, or all to one place."""

    watched: tuple[Watched, ...]
    key: Key
    overlap: int | None = None

    @property
    def spanned(self) -> bool:
        """Whether the answer depends on when the whole history begins and ends, or there may be one without events."""
        return any(whole_span(kind) for kind in kinds_of(item.pattern for item in self.watched))

    @property
    def shares(self) -> bool:
        """Whether its events may come by the scan and the shuffle of others: it needs no more than those it wants."""
        kinds = kinds_of(item.pattern for item in self.watched)
        return self.overlap is None and not self.spanned and not any(map(any_event, kinds))


@nothing_to_collect()
def detect_history(watchlist: Watchlist, sources: Sequence[Source]) -> DataFrame:
    """The occurrences of patterns in events, as a frame."""
    types = variable_types(watchlist.watched, sources, watchlist.taxonomy)
    columns = schema(types)
    listed = groups(watchlist.watched, watchlist.taxonomy)
    sharing = [group for group in listed if group.shares]
    together = [*([sharing] if sharing else []), *([group] for group in listed if not group.shares)]
    parts = [_found(some, sources, watchlist.taxonomy, types, columns) for some in together]
    return reduce(DataFrame.union, parts)


def _found(
    together: Sequence[Group],
    sources: Sequence[Source],
    taxonomy: Taxonomy,
    types: Mapping[str, t.DataType],
    columns: t.StructType,
) -> DataFrame:
    """The occurrences of some groups: from files that Python reads, if it can; else by way of Spark's own scan."""
    if all(group.shares for group in together):
        files = files_of_all(sources)
        if files is not None:
            found = detect_in_files(together, sources, files, taxonomy, as_arrow(types), columns)
            if found is not None:
                return found
    return _partitions(together, sources, taxonomy).of(types, columns)


def groups(watched: Sequence[Watched], taxonomy: Taxonomy) -> list[Group]:
    """The patterns, those together that can share a shuffle."""
    found: list[Group] = []
    for new in _smallest(watched, taxonomy):
        for place, group in enumerate(found):
            key = group.key.joined(new.key)
            if key is not None and (group.overlap is None) == (new.overlap is None):
                widest = None if new.overlap is None or group.overlap is None else max(group.overlap, new.overlap)
                found[place] = Group((*group.watched, *new.watched), key, widest)
                break
        else:
            found.append(new)
    return found


def _smallest(watched: Sequence[Watched], taxonomy: Taxonomy) -> Iterator[Group]:
    """Each pattern alone; rules of one shape together, which may have a key though none of them has."""
    by_name = {item.name: item for item in watched}
    together = families({name: (item.pattern, item.context) for name, item in by_name.items()})
    for family in together:
        members = tuple(by_name[name] for name in family.numbers)
        yield _group(members, family.covering, family.context, taxonomy)
    members_of_any = {name for family in together for name in family.numbers}
    for item in watched:
        if item.name not in members_of_any:
            yield _group((item,), item.pattern, item.context, taxonomy)


def _group(watched: tuple[Watched, ...], pattern: Pattern, context: Context, taxonomy: Taxonomy) -> Group:
    key = partition_key(pattern, taxonomy)
    return Group(watched, key, None if key else overlap(pattern, context))


@dataclass(frozen=True, slots=True)
class Partitions:
    """The events of some groups, each row where the engine needs it, and what the engine has to do there."""

    frame: DataFrame
    groups: Sequence[Group]
    wanted: Wanted
    layout: Layout
    taxonomy: Taxonomy

    def of(self, types: Mapping[str, t.DataType], columns: t.StructType) -> DataFrame:
        """The occurrences."""
        works = tuple(
            Work(
                tuple(replace(item, pattern=self.wanted.rewritten(item)) for item in group.watched),
                self.taxonomy,
                self.layout,
                as_arrow(types),
            )
            for group in self.groups
        )
        return self.frame.mapInArrow(works[0] if len(works) == 1 else GroupByGroup(works), columns)


def as_arrow(types: Mapping[str, t.DataType]) -> tuple[Variable, ...]:
    """The columns of variables as workers write them."""
    return tuple(
        Variable(name, column, _values(kind), to_arrow_type(kind, timezone="UTC"))
        for (name, kind), column in zip(types.items(), variable_columns(types), strict=True)
    )


def _values(kind: t.DataType) -> pa.DataType:
    """How values are read from the engine before they get their own type."""
    return pa.int64() if isinstance(kind, t.IntegralType) else _VALUES[kind_of(kind)]


def _partitions(together: Sequence[Group], sources: Sequence[Source], taxonomy: Taxonomy) -> Partitions:
    """One scan and one shuffle, for one group or several that share them."""
    wanted = Wanted.of([item for group in together for item in group.watched], sources, taxonomy)
    attributes = _attributes(wanted, sources)
    names = {name: tuple(column for column, _, _ in parts) for name, parts in attributes.items()}
    bits = {bit_name(place): (f"atoms{place // WIDTH}", place % WIDTH) for place in range(len(wanted.bits))}
    layout = Layout(
        None if wanted.everything else wanted.types,
        names,
        bits,
        sources[0].names.time,
        sliced=together[0].overlap is not None,
        spanned=together[0].spanned,
    )
    rows = reduce(DataFrame.union, (_rows(source, sources, together, wanted, attributes) for source in sources))
    placed = _placed(rows, together[0], sources) if len(together) == 1 else _placed_by_group(rows)
    return Partitions(placed, together, wanted, layout, taxonomy)


def _attributes(wanted: Wanted, sources: Sequence[Source]) -> dict[str, list[tuple[str, str, str]]]:
    """For each attribute that the engine needs its columns: name, kind and type, one for each kind that it has."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for number, name in enumerate(wanted.attributes):
        if name == sources[0].names.time:
            continue
        values = [value for source in sources if (value := source.attribute(name)).kind != MISSING]
        kinds = sorted({value.kind for value in values})
        whole = all(value.whole for value in values if value.kind == "number")
        found[name] = [
            (f"a{number}{kind}", kind, "bigint" if kind == "number" and whole else _SPARK[kind]) for kind in kinds
        ]
    return found


def _rows(
    source: Source,
    sources: Sequence[Source],
    together: Sequence[Group],
    wanted: Wanted,
    attributes: Mapping[str, list[tuple[str, str, str]]],
) -> DataFrame:
    """Of one source the rows that some atom wants, and of them what is needed."""
    condition = wanted.rows(source)
    frame = source.frame if condition is None else source.frame.where(condition)
    columns = [
        source.instant.alias("time"),
        source.id(whole=all(other.whole_ids for other in sources)).alias("id"),
    ]
    if wanted.everything:
        columns.append(source.type_text.alias("type"))
    elif len(wanted.types) > 1:
        columns.append(source.type_code(wanted.types).alias("type"))
    columns += [column.alias(f"atoms{place}") for place, column in enumerate(wanted.bit_columns(source))]
    for name, parts in attributes.items():
        value = source.attribute(name)
        columns += [_as(value, kind, type_name).alias(column) for column, kind, type_name in parts]
    if len(together) > 1:
        columns.append(_places(source, sources, together, wanted.taxonomy).alias("places"))
    elif together[0].key:
        columns.append(key_column(source, sources, together[0].key).alias("key"))
    return frame.select(*columns)


def _places(source: Source, sources: Sequence[Source], together: Sequence[Group], taxonomy: Taxonomy) -> Column:
    """The groups that want a row, each with its key there."""
    places = []
    for number, group in enumerate(together):
        key = key_column(source, sources, group.key) if group.key else f.lit(0).cast("bigint")
        place = f.struct(f.lit(number).alias("group"), key.alias("key"))
        condition = Wanted.of(group.watched, sources, taxonomy).rows(source)
        places.append(place if condition is None else f.when(condition, place))
    return f.array_compact(f.array(*places))


def _as(value: Typed, kind: str, type_name: str) -> Column:
    return (value.column if value.kind == kind else f.lit(None)).cast(type_name)


def key_column(source: Source, sources: Sequence[Source], key: Key) -> Column:
    """One number for the values of the key, the same for values that are equal."""
    width = max(len(route) for route in key.routes.values())
    values = []
    for place in range(width):
        kinds = {
            other.attribute(route[place]).kind
            for other in sources
            for name, route in key.routes.items()
            if other.event_class in (None, name)
        } - {MISSING}
        whole = kinds == {"number"} and all(
            other.attribute(route[place]).whole
            for other in sources
            for name, route in key.routes.items()
            if other.event_class in (None, name) and other.attribute(route[place]).kind == "number"
        )
        by_attribute: dict[str, set[str]] = {}
        for name, route in key.routes.items():
            if source.event_class in (None, name):
                by_attribute.setdefault(route[place], set()).add(name)
        values.append(_by_type(source, by_attribute, len(kinds) > 1, whole))
    return f.xxhash64(*values)


def _by_type(source: Source, by_attribute: Mapping[str, set[str]], mixed: bool, whole: bool) -> Column:
    chosen: Column | None = None
    for attribute, names in by_attribute.items():
        value = source.attribute(attribute)
        column = value.column if value.kind != "number" or whole else value.double + f.lit(0.0)
        if mixed:
            column = column.cast("string")
        if len(by_attribute) == 1:
            return column
        of_type = source.of_types(frozenset(names))
        condition = f.lit(of_type) if isinstance(of_type, bool) else of_type
        chosen = f.when(condition, column) if chosen is None else chosen.when(condition, column)
    return f.lit(None) if chosen is None else chosen


def _placed(rows: DataFrame, group: Group, sources: Sequence[Source]) -> DataFrame:
    """The rows where the engine needs them: one shuffle."""
    if group.key:
        placed = rows.repartition("key").drop("key")
        if not group.spanned:
            return placed
        return placed.select("*", _span(sources).alias("span")).select(
            *placed.columns, f.col("span.first").alias("first"), f.col("span.last").alias("last")
        )
    if group.overlap is not None:
        return _sliced(rows, group.overlap, sources)
    if group.spanned:
        rows = rows.select("*", *(f.lit(None).cast("bigint").alias(name) for name in ("first", "last")))
        rows = rows.unionByName(_history(sources), allowMissingColumns=True)
    return rows.repartition(1)


def _placed_by_group(rows: DataFrame) -> DataFrame:
    """The same for several groups: a row goes to each that wants it."""
    spread = rows.withColumn("place", f.explode("places")).drop("places")
    kept = [name for name in spread.columns if name != "place"]
    keyed = spread.select(*kept, f.col("place.group").alias("group"), f.col("place.key").alias("key"))
    return keyed.repartition("group", "key").drop("key")


def _history(sources: Sequence[Source]) -> DataFrame:
    """The first and the last instant of all events, wanted or not; both null if there are none."""
    times = reduce(DataFrame.union, (source.frame.select(source.moment.alias("time")) for source in sources))
    return times.agg(f.min("time").alias("first"), f.max("time").alias("last"))


def _span(sources: Sequence[Source]) -> Column:
    """The same as a value that stands beside every row."""
    return _history(sources).select(f.struct("first", "last").alias("span")).scalar()


def _sliced(rows: DataFrame, reach: int, sources: Sequence[Source]) -> DataFrame:
    """Each row goes to the slice that its time lies in, and to the next one if it can matter there."""
    count = int(rows.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    first, last = f.col("span.first"), f.col("span.last")
    width = f.greatest(f.floor((last - first) / f.lit(count)) + f.lit(1), f.lit(reach + 1)).cast("bigint")
    since = f.col("time") - first
    number = f.floor(since / width).cast("bigint")
    own = number * f.lit(2) + f.lit(1)
    places = f.array(own, f.when(since + f.lit(reach) >= (number + f.lit(1)) * width, own + f.lit(1)))
    spread = rows.select("*", _span(sources).alias("span")).withColumn("slice", f.explode(f.array_compact(places)))
    return spread.drop("span").repartition(f.shiftright(f.col("slice"), 1))
