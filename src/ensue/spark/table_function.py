"""`ensue_detect` in SQL: detection as a table function of a query.

`SELECT * FROM ensue_detect(TABLE(events), '3 times Login(user = ?u) within 2 minutes')`

Spark asks a table function which columns it gives and how its input is to be partitioned before it runs; that is done
here from the text of the pattern. It hands rows over one by one, so this is the convenient way, and `ensue.detect` with
`createOrReplaceTempView` the fast one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f, types as t
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, PartitioningColumn

from ensue.embedded.incoming import Names, Positions, refused
from ensue.embedded.patterns import Watchlist
from ensue.embedded.reading import read
from ensue.embedded.records import Records
from ensue.errors import Diagnostic, InputError
from ensue.spark.history import Group, as_arrow
from ensue.spark.keys import partition_key
from ensue.spark.sources import attribute_type, check_columns
from ensue.spark.variables import schema, variable_types
from ensue.spark.worker import Layout, Work

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

NAME = "ensue_detect"
SHARDS = 64
"""Keys are spread over so many groups: Spark calls a table function anew for each, so one for each key is too many."""


def register(spark: SparkSession, name: str = NAME) -> None:
    """Make the table function known to a session."""
    function: Any = f.udtf(Detection, useArrow=False)  # by its type it could also be a decorator that waits for a class
    spark.udtf.register(name, function)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of the input, as they are declared."""

    fields: dict[str, t.DataType]
    names: Names

    @property
    def event_class(self) -> str | None:
        return self.names.event_type

    def attribute_type(self, name: str) -> t.DataType | None:
        return attribute_type(self.fields, self.names, name)


@dataclass
class Plan(AnalyzeResult):
    """What Spark is told before the function runs, and what the function remembers of it."""

    names: Names = field(default_factory=Names)
    zoned: tuple[str, ...] = ()
    work: Work | None = None


class Detection:
    """The table function: collects the rows of a group, and gives its occurrences when they are all there."""

    @staticmethod
    def analyze(
        events: AnalyzeArgument,
        pattern: AnalyzeArgument,
        context: AnalyzeArgument | None = None,
        time: AnalyzeArgument | None = None,
        type: AnalyzeArgument | None = None,
        id: AnalyzeArgument | None = None,
        event_type: AnalyzeArgument | None = None,
    ) -> AnalyzeResult:
        """The columns of the result and the partitions of the input, from the constants in the query."""
        if not events.isTable or not isinstance(events.dataType, t.StructType):
            message = "the first argument is no table"
            raise InputError(Diagnostic("E400", message, hint=f"write {NAME}(TABLE(events), '…')"))
        names = Names(
            _text(type, "type", "type"),
            _text(time, "time", "time"),
            _text(id, "id", "id"),
            None if event_type is None else _text(event_type, "event_type", ""),
        )
        watchlist = Watchlist.of(_text(pattern, "pattern", ""), _text(context, "context", "recent"))
        columns = Columns({column.name: column.dataType for column in events.dataType.fields}, names)
        check_columns(columns.fields, names, one_class=names.event_type is not None)
        types = variable_types(watchlist.watched, [columns], watchlist.taxonomy)
        zoned = tuple(name for name, kind in columns.fields.items() if isinstance(kind, t.TimestampType))
        work = Work(watchlist.watched, watchlist.taxonomy, Layout(None, {}, {}, names.time), as_arrow(types))
        shard = _shard(watchlist)
        return Plan(
            schema=schema(types),
            withSinglePartition=shard is None,
            partitionBy=[] if shard is None else [PartitioningColumn(shard)],
            names=names,
            zoned=zoned,
            work=work,
        )

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rows: list[dict[str, Any]] = []

    def eval(self, events: Row, *_constants: object, **_named: object) -> None:
        """Take one event."""
        row = events.asDict()
        for name in self._plan.zoned:
            moment = row[name]
            if isinstance(moment, datetime):  # Spark hands over local times
                row[name] = moment.astimezone(UTC)
        self._rows.append(row)

    def terminate(self) -> Iterator[tuple[Any, ...]]:
        """The occurrences in all events that came."""
        assert self._plan.work is not None  # noqa: S101 - analyze has put it there
        reading = read(Records(self._rows), self._plan.names, 0)
        if reading.problems:
            raise refused(reading.problems, Positions())
        for batch in self._plan.work.occurrences(reading.batch):
            for row in batch.to_pylist():
                *values, constituents = row.values()
                yield (*values, [tuple(part.values()) for part in constituents])


def _shard(watchlist: Watchlist) -> str | None:
    """An expression that sends events to groups, if all types have the key in the same columns."""
    (item,) = watchlist.watched
    key = partition_key(item.pattern, watchlist.taxonomy)
    if not key or len(set(key.routes.values())) > 1 or Group((item,), key).spanned:
        return None
    columns = ", ".join("`" + name.replace("`", "``") + "`" for name in next(iter(key.routes.values())))
    return f"pmod(xxhash64({columns}), {SHARDS})"


def _text(argument: AnalyzeArgument | None, name: str, default: str) -> str:
    if argument is None:
        return default
    if not isinstance(argument.value, str):
        raise InputError(
            Diagnostic("E410", f"{name} is no text that stands in the query itself", hint="write it in quotes")
        )
    return argument.value
