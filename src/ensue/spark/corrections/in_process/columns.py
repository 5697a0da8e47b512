"""Tables of Arrow as they are kept between windows, and as Spark would write and read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from ensue.errors import Diagnostic, StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

INSTANT = pa.timestamp("us", "UTC")
_FILE = "part-0.parquet"
_PIECES = 16


class Parted(NamedTuple):
    """What a window has of a part of its state: rows that went through as they were, and those of keys that it took up.

    So what is done with the latter need not be done with all.
    """

    rest: pa.Table
    found: pa.Table

    @property
    def whole(self) -> pa.Table:
        return pa.concat_tables([self.rest, self.found])


def plain(kind: pa.DataType) -> pa.DataType:
    """A type as all tables here have it: times in UTC, whatever the session's zone, and anything may be missing."""
    if pa.types.is_timestamp(kind):
        return INSTANT
    if pa.types.is_list(kind):
        return pa.list_(plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(kind.field(place).name, plain(kind.field(place).type)) for place in range(kind.num_fields)])
    return kind


def as_plain(table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([(one.name, plain(one.type)) for one in table.schema]))


def schema_of(schema: StructType) -> pa.Schema:
    return pa.schema([(one.name, plain(one.type)) for one in to_arrow_schema(schema, timezone="UTC")])


def frame_of(spark: SparkSession, table: pa.Table) -> DataFrame:
    """The same rows for Spark, which does not take a table of Arrow that has none."""
    if not table.num_rows:
        return spark.createDataFrame([], from_arrow_schema(table.schema))
    return spark.createDataFrame(table)


def read(folder: Path) -> pa.Table:
    """What was written; whoever wrote it, a file that is not what it was is named."""
    try:
        return as_plain(pq.read_table(folder, partitioning=None).replace_schema_metadata(None))
    except (OSError, pa.ArrowInvalid) as error:
        message = f"{folder} is damaged: {str(error).splitlines()[0]}"
        hint = "restore it from a copy, or give another --data"
        raise StateError(Diagnostic("E502", message, hint=hint)) from None


def write(table: pa.Table, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / _FILE)


def together(tables: list[pa.Table], schema: pa.Schema) -> pa.Table:
    """The rows of all tables, with the columns of a schema by name; a column that is not there is null."""
    return pa.concat_tables([_shaped(one, schema) for one in tables]) if tables else schema.empty_table()


def together_again(rest: pa.Table, found: pa.Table) -> pa.Table:
    """The rows of a state; they are put into one piece now and then, since each window adds some."""
    whole = pa.concat_tables([rest, found])
    return whole.combine_chunks() if whole.num_columns and whole.column(0).num_chunks > _PIECES else whole


def _shaped(table: pa.Table, schema: pa.Schema) -> pa.Table:
    there = set(table.column_names)
    return pa.table(
        [
            table.column(one.name).cast(one.type) if one.name in there else pa.nulls(table.num_rows, one.type)
            for one in schema
        ],
        schema=schema,
    )


def identities(table: pa.Table, *names: str) -> pa.ChunkedArray:
    """What tells the rows of a table apart, as one text."""
    return pc.binary_join_element_wise(*(table.column(name) for name in names), "\0")


def rows_of(table: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row."""
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)


def once(values: pa.ChunkedArray) -> pa.Array:
    """Whether each value is there once; what is missing is not."""
    codes = values.combine_chunks().dictionary_encode()
    places = pc.fill_null(codes.indices, len(codes.dictionary)).to_numpy()
    counted = np.bincount(places, minlength=len(codes.dictionary) + 1)
    return pc.and_(pa.array(counted[places] == 1), codes.is_valid())


def among(values: pa.ChunkedArray, others: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether each value is one of the others; what is missing is none of them."""
    return pc.is_in(values, value_set=others.combine_chunks(), skip_nulls=True)


def between(values: pa.ChunkedArray, first: int, last: int) -> pa.ChunkedArray:
    """Whether each value lies between two others, both inside; what is missing does not."""
    inside = pc.and_(pc.greater_equal(values, first), pc.less_equal(values, last))
    return pc.fill_null(inside, False)


def constant(count: int, value: object, kind: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), count)
