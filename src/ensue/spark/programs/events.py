"""From rows as they came to events: an id, a time, attributes of their declared types, or a reason why not.

Every row comes out, usable or not. What Spark's own readers would make null without a word (a number that is none, a
line that is no JSON) is compared with what stood there, and becomes a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, functions as f, types as t

from ensue.embedded.incoming import Names
from ensue.model import AttributeType
from ensue.spark.programs.sources import CORRUPT, TEXT, Raw
from ensue.spark.sources import Source
from ensue.spark.values import in_range, quoted

ID, TIME, CODE, REASON, RAW = "__id", "__time", "__code", "__reason", "__raw"

SPARK_TYPES: Mapping[AttributeType, t.DataType] = {
    AttributeType.INTEGER: t.LongType(),
    AttributeType.NUMBER: t.DoubleType(),
    AttributeType.TEXT: t.StringType(),
    AttributeType.TRUTH: t.BooleanType(),
    AttributeType.TIME: t.TimestampType(),
}
_WORDS = {
    AttributeType.INTEGER: "a whole number",
    AttributeType.NUMBER: "a number",
    AttributeType.TEXT: "a text",
    AttributeType.TRUTH: "true or false",
    AttributeType.TIME: "a time",
}
_DIGITS = r"^\s*[+-]?\d+\s*$"
_NUMBER = r"^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$"
_MILLISECONDS = 2.0**52


@dataclass(frozen=True, slots=True)
class Shape:
    """The attributes of a class with their types, which of them is the time, and which make up the id.

    What is not declared comes from columns called `time` and `id`.
    """

    attributes: Mapping[str, AttributeType]
    time: str
    key: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys([*self.attributes, self.time, *self.key]))


def events_of(raw: Raw, shape: Shape) -> DataFrame:
    """For each row its id, time and attributes, and why it cannot be used: code and reason are null if it can."""
    frame, broken = columns_of(raw, shape.columns)
    values = {name: converted(frame, name, kind) for name, kind in shape.attributes.items()}
    time = f.timestamp_micros(moment(frame, shape.time))
    problems = [broken, _no_time(shape.time, time)]
    problems += [wrong(name, kind, values[name]) for name, kind in shape.attributes.items() if name != shape.time]
    id_text = id_of(shape, values)
    problems.append(f.when(id_text.isNull(), problem("E403", f"the event has no {' or no '.join(shape.key)}")))
    told = f.coalesce(*(found for found in problems if found is not None))
    typed = frame.select(
        id_text.alias(ID),
        time.alias(TIME),
        *(values[name].alias(name) for name in shape.attributes),
        told.alias("__problem"),
        quoted(RAW),
    )
    kept = [quoted(name) for name in (ID, TIME, *shape.attributes)]
    return typed.select(*kept, f.col("__problem.code").alias(CODE), f.col("__problem.reason").alias(REASON), RAW)


def columns_of(raw: Raw, columns: list[str]) -> tuple[DataFrame, Column]:
    """The columns of a class as they came, the whole row as text, and the rows that cannot be taken apart.

    Spark reads the first of two JSON objects in a line and says nothing of the other: as a list, the line shows both.
    """
    if raw.texts:
        schema = t.StructType([t.StructField(name, t.StringType()) for name in [*columns, CORRUPT]])
        text, also = f.col(TEXT), [name for name in raw.frame.columns if name != TEXT]
        lines = raw.frame.where(text.isNull() | (f.trim(text) != "")).select(
            text.alias(RAW),
            f.from_json(text, schema, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}).alias("__row"),
            f.coalesce(f.json_array_length(f.concat(f.lit("["), text, f.lit("]"))) != 1, f.lit(True)).alias("__torn"),
            *also,
        )
        row = f.col("__row")
        frame = lines.select(
            RAW, *(row[name].alias(name) for name in columns), row[CORRUPT].alias(CORRUPT), f.col("__torn"), *also
        )
        plain = f.col(RAW)
        broken = (
            f.when(plain.isNull(), problem("E603", "there is no value"))
            .when(~f.is_valid_utf8(plain), problem("E405", "this is not UTF-8 text"))
            .when(
                f.col(CORRUPT).isNotNull() | f.col("__torn") | ~f.ltrim(plain).startswith("{"),
                problem("E603", "this is not a JSON object"),
            )
        )
        return frame, broken
    there = {field.name for field in raw.frame.schema.fields}
    whole = f.to_json(f.struct(*(quoted(name) for name in raw.frame.columns if name != CORRUPT)))
    if CORRUPT not in there:
        missing = [f.lit(None).cast("string").alias(name) for name in columns if name not in there]
        return raw.frame.select("*", *missing, whole.alias(RAW)), f.lit(None).cast(PROBLEM)
    broken = f.when(f.col(CORRUPT).isNotNull(), problem("E604", "this row has too few or too many fields"))
    return raw.frame.select("*", f.coalesce(f.col(CORRUPT), whole).alias(RAW)), broken


PROBLEM = t.StructType([t.StructField("code", t.StringType()), t.StructField("reason", t.StringType())])


def problem(code: str, *reason: str | Column) -> Column:
    parts = [f.lit(part) if isinstance(part, str) else part for part in reason]
    return f.struct(f.lit(code).alias("code"), f.concat(*parts).alias("reason"))


def shown(name: str) -> Column:
    """What stood there, not more of it than one wants to read."""
    return f.substring(quoted(name).cast("string"), 1, 200)


def _no_time(name: str, time: Column) -> Column:
    missing = f.when(quoted(name).isNull(), problem("E401", f"the event has no {name}, which is its time"))
    return missing.when(time.isNull(), problem("E401", f"{name} is ", shown(name), ", which is not a time"))


def wrong(name: str, kind: AttributeType, value: Column) -> Column:
    said = f", which is not {_WORDS[kind]}"
    return f.when(quoted(name).isNotNull() & value.isNull(), problem("E409", f"{name} is ", shown(name), said))


def id_of(shape: Shape, values: Mapping[str, Column]) -> Column:
    """One attribute is the id as it is; several are written as a list, so that no two lists look the same."""
    parts = [_as_id(shape.attributes.get(name), values.get(name, quoted(name))) for name in shape.key]
    if len(parts) == 1:
        return f.when(parts[0] != "", parts[0])
    complete = reduce(lambda one, two: one & two, (part.isNotNull() for part in parts))
    return f.when(complete, f.to_json(f.array(*parts)))


def _as_id(kind: AttributeType | None, value: Column) -> Column:
    return (f.unix_micros(value) if kind is AttributeType.TIME else value).cast("string")


def converted(frame: DataFrame, name: str, kind: AttributeType) -> Column:
    """A column in its declared type, null where that is not possible."""
    column, found = quoted(name), frame.schema[name].dataType
    text = isinstance(found, t.StringType)
    match kind:
        case AttributeType.TEXT:
            return column.cast("string")
        case AttributeType.TIME:
            return f.timestamp_micros(moment(frame, name))
        case AttributeType.INTEGER if text:
            return f.when(column.rlike(_DIGITS), column.try_cast("bigint"))
        case AttributeType.INTEGER if isinstance(found, t.IntegralType):
            return column.cast("bigint")
        case AttributeType.INTEGER if isinstance(found, t.NumericType):
            return f.when(column == f.floor(column), column.try_cast("bigint"))
        case AttributeType.NUMBER if text:
            return f.when(column.rlike(_NUMBER), column.try_cast("double"))
        case AttributeType.NUMBER if isinstance(found, t.NumericType):
            return column.cast("double")
        case AttributeType.TRUTH if text:
            word = f.lower(f.trim(column))
            return f.when(word.isin("true", "false"), word == "true")
        case AttributeType.TRUTH if isinstance(found, t.BooleanType):
            return column
        case _:
            return f.lit(None).cast(SPARK_TYPES[kind])


def moment(frame: DataFrame, name: str) -> Column:
    """The instant that a column says, in microseconds. A number is one in JSON too, where it comes as its text."""
    found = frame.schema[name].dataType
    if not isinstance(found, (t.TimestampType, t.TimestampNTZType, t.DateType, t.StringType, t.NumericType)):
        return f.lit(None).cast("bigint")
    instant = Source(frame, Names("", name, ""), None).moment
    if isinstance(found, t.StringType):
        number = quoted(name).try_cast("double")
        counted = f.when(f.abs(number) < f.lit(_MILLISECONDS), f.rint(number * f.lit(1000.0)).cast("bigint"))
        instant = f.when(quoted(name).rlike(_NUMBER), counted).otherwise(instant)
    return f.when(in_range(instant), instant)
