"""Columns of Spark as values of the language: of which kind they are, and missing where they hold no value.

A column of Spark has one type, so the kind of an expression is known before anything runs; what the language decides
row by row (values of different kinds are never equal) is decided here once.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, functions as f, types as t

from ensue.time.instants import EARLIEST, LATEST

DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Typed:
    """A column whose values are all of one kind, null where they are missing. The kind "missing" has none at all.

    A number is a whole one (64 bits, exact) or a double; a time is a timestamp.
    """

    kind: str
    column: Column
    whole: bool = False
    plain: Column | None = None
    """The column as it lies in the source, if comparing it needs no more than a test for not-a-number: a condition on
    it can be pushed into a scan."""

    @property
    def double(self) -> Column:
        return self.column.cast("double") if self.whole else self.column

    @property
    def truth(self) -> Column:
        """As a condition: what is no truth value is unknown."""
        return self.column if self.kind == "truth" else f.lit(None).cast("boolean")


MISSING = "missing"


def missing() -> Typed:
    return Typed(MISSING, f.lit(None))


def quoted(name: str) -> Column:
    """A column by exactly this name: a dot in it is no path."""
    return f.col(in_quotes(name))


def in_quotes(name: str) -> str:
    """The name of a column as it stands in SQL."""
    return "`" + name.replace("`", "``") + "`"


def typed(column: Column, kind: t.DataType) -> Typed:
    """A column of some type as values; what is no value (a list, a tree, bytes) is missing."""
    match kind:
        case t.ByteType() | t.ShortType() | t.IntegerType() | t.LongType():
            return Typed("number", column.cast("bigint"), whole=True, plain=column)
        case t.DoubleType() | t.FloatType():
            return Typed("number", number(column.cast("double")), plain=column)
        case t.DecimalType():
            return Typed("number", column.cast("double"))
        case t.StringType():
            text = column if kind.collation == "UTF8_BINARY" else f.collate(column, "UTF8_BINARY")
            return Typed("text", text, plain=text)
        case t.CharType() | t.VarcharType():
            return Typed("text", column.cast("string"))
        case t.BooleanType():
            return Typed("truth", column, plain=column)
        case t.TimestampType():
            return Typed("time", column, plain=column)
        case t.TimestampNTZType() | t.DateType():
            return Typed("time", f.timestamp_micros(microseconds(column, kind)))
        case _:
            return missing()


def number(column: Column) -> Column:
    """A double that is missing where it is not a number."""
    return f.when(~f.isnan(column), column)


def microseconds(column: Column, kind: t.DataType) -> Column:
    """Times as microseconds since 1970 in UTC, whatever the time zone of the session."""
    match kind:
        case t.TimestampType():
            return f.unix_micros(column)
        case t.TimestampNTZType():
            return f.timestamp_diff("MICROSECOND", f.lit("1970-01-01").cast("timestamp_ntz"), column)
        case _:
            return f.unix_date(column).cast("bigint") * f.lit(DAY)


def in_range(instant: Column) -> Column:
    """Whether there is a date for an instant."""
    return instant.between(f.lit(EARLIEST), f.lit(LATEST))
