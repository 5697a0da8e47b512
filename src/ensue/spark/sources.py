"""Frames of events: which columns say what happened, when, and which event it was, and how each is read.

A row that cannot be used stops the query with the message that every other way to run gives: Spark evaluates the checks
where it evaluates the columns, so they cost nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import Column, DataFrame, functions as f, types as t

from ensue.algebra.patterns import Atom
from ensue.embedded.incoming import Names
from ensue.errors import Diagnostic, InputError, near
from ensue.spark.conditions import Filter, holds
from ensue.spark.values import Typed, in_range, microseconds, missing, quoted, typed

TIME_HINT = "a time is a timestamp, a date, ISO text like 2026-07-10T09:20:00Z, or a number of milliseconds since 1970"
_ISO = r"^\s*\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s*(?:Z|[+-]\d{2}:\d{2})?)?\s*$"
_DAY_ONLY = r"^\s*\d{4}-\d{2}-\d{2}\s*$"
_ZONED = r"(?:Z|[+-]\d{2}:\d{2})\s*$"


@dataclass(frozen=True)
class Source:
    """A frame, and the class of all its events, if they are of one; else the column of types tells."""

    frame: DataFrame
    names: Names
    event_class: str | None

    @cached_property
    def fields(self) -> dict[str, t.DataType]:
        return {field.name: field.dataType for field in reversed(self.frame.schema.fields)}

    def attribute(self, name: str) -> Typed:
        """An attribute as values. Seen as an attribute, the time is a time, however it was written."""
        if name not in self._attributes:
            self._attributes[name] = self._attribute(name)
        return self._attributes[name]

    def filter(self, atom: Atom) -> Filter:
        """Where the condition of an atom holds."""
        if atom not in self._filters:
            found = Filter(None, True) if atom.condition is None else holds(atom.condition, self.attribute)
            self._filters[atom] = found
        return self._filters[atom]

    def attribute_type(self, name: str) -> t.DataType | None:
        return attribute_type(self.fields, self.names, name)

    def of_types(self, names: AbstractSet[str]) -> Column | bool:
        """Which rows are events of some types; for a frame of one class, whether all are."""
        if self.event_class is not None:
            return self.event_class in names
        column = self._label
        return column == f.lit(min(names)) if len(names) == 1 else column.isin(sorted(names))

    @property
    def untyped(self) -> Column | None:
        """The rows without a type: they must not be overlooked."""
        return None if self.event_class is not None else self._label.isNull()

    @property
    def type_text(self) -> Column:
        """The type of each event."""
        if self.event_class is not None:
            return f.lit(self.event_class)
        return self._label

    def type_code(self, listed: tuple[str, ...]) -> Column:
        """The type of each event as its place in a list."""
        if self.event_class is not None:
            return f.lit(listed.index(self.event_class) if self.event_class in listed else -1)
        text = self.type_text
        codes = f.when(text == f.lit(listed[0]), f.lit(0))
        for code, name in enumerate(listed[1:], 1):
            codes = codes.when(text == f.lit(name), f.lit(code))
        return codes

    @property
    def instant(self) -> Column:
        """When each event occurred, in microseconds; an event without a time or a type stops everything."""
        shown = f.coalesce(quoted(self.names.time).cast("string"), f.lit("missing"))
        message = f.concat(
            f.lit("E401: the event with the id "),
            f.coalesce(quoted(self.names.id).cast("string"), f.lit("null")),
            f.lit(f": {self.names.time} is "),
            shown,
            f.lit(f", which is not a time\n  hint: {TIME_HINT}"),
        )
        found = self.moment
        checked = f.coalesce(f.when(in_range(found), found), f.raise_error(message).cast("bigint"))
        if self.untyped is None:
            return checked
        no_type = f"E402: an event has no {self.names.type}\n  hint: its event class belongs in {self.names.type!r}"
        return f.when(self.untyped, f.raise_error(f.lit(no_type)).cast("bigint")).otherwise(checked)

    @property
    def whole_ids(self) -> bool:
        return isinstance(self.fields[self.names.id], (t.ByteType, t.ShortType, t.IntegerType, t.LongType))

    def id(self, *, whole: bool) -> Column:
        """The id of each event: a whole number, which stands for its digits, or a text."""
        message = f"E403: an event has no {self.names.id}\n  hint: every event needs an id of its own"
        found = quoted(self.names.id).cast("bigint" if whole else "string")
        return f.coalesce(found, f.raise_error(f.lit(message)).cast("bigint" if whole else "string"))

    @cached_property
    def _attributes(self) -> dict[str, Typed]:
        return {}

    @cached_property
    def _filters(self) -> dict[Atom, Filter]:
        return {}

    def _attribute(self, name: str) -> Typed:
        if name not in self.fields:
            return missing()
        if name == self.names.time and not isinstance(self.fields[name], t.TimestampType):
            return Typed("time", f.timestamp_micros(self.moment))
        return typed(quoted(name), self.fields[name])

    @cached_property
    def _label(self) -> Column:
        return typed(quoted(self.names.type), self.fields[self.names.type]).column

    @cached_property
    def moment(self) -> Column:
        """When each event occurred, in microseconds; null if that cannot be read."""
        column, kind = quoted(self.names.time), self.fields[self.names.time]
        match kind:
            case t.StringType() | t.VarcharType() | t.CharType():
                return _from_text(column.cast("string"))
            case t.ByteType() | t.ShortType() | t.IntegerType() | t.LongType():
                within = f.when(f.abs(column.cast("double")) < f.lit(2.0**52), column.cast("bigint"))
                return within * f.lit(1000)
            case t.DoubleType() | t.FloatType() | t.DecimalType():
                double = column.cast("double")
                within = f.when(f.abs(double) < f.lit(2.0**52), double)
                return f.rint(within * f.lit(1000.0)).cast("bigint")
            case _:
                return microseconds(column, kind)


def attribute_type(fields: Mapping[str, t.DataType], names: Names, name: str) -> t.DataType | None:
    """The type of an attribute; None if there is none of that name."""
    kind = fields.get(name)
    if name == names.time and not isinstance(kind, (t.DateType, t.TimestampNTZType)):
        return t.TimestampType()
    return kind


def sources_of(events: DataFrame | Mapping[str, DataFrame], names: Names) -> tuple[Source, ...]:
    """The frames that a user gave: one with a column of types, one with a single class, or one for each class."""
    if isinstance(events, Mapping):
        if not events:
            raise InputError(Diagnostic("E400", "there is no frame of events", hint='give {"Login": frame, …}'))
        found = tuple(Source(frame, names, name) for name, frame in events.items())
    else:
        found = (Source(events, names, names.event_type),)
    for source in found:
        check_columns(source.fields, names, one_class=source.event_class is not None)
    return found


def check_columns(fields: Mapping[str, t.DataType], names: Names, *, one_class: bool) -> None:
    """Refuse columns that cannot say when, what or which event it was."""
    _needed(names.time, "time", fields)
    kind = fields[names.time]
    times = (t.TimestampType, t.TimestampNTZType, t.DateType, t.StringType, t.VarcharType, t.CharType, t.NumericType)
    if not isinstance(kind, times):
        raise InputError(
            Diagnostic("E401", f"{names.time} is of type {kind.simpleString()}, which is not a time", hint=TIME_HINT)
        )
    if not one_class:
        _needed(names.type, "type", fields)
        if not isinstance(fields[names.type], (t.StringType, t.VarcharType, t.CharType)):
            raise InputError(
                Diagnostic(
                    "E402",
                    f"{names.type} is of type {fields[names.type].simpleString()}",
                    hint="the name of an event class is a text",
                )
            )
    if names.id not in fields:
        raise InputError(
            Diagnostic(
                "E403",
                f"there is no column {names.id!r} for the id of events, and the rows of a distributed frame have no "
                "positions that could stand for it",
                hint=near(names.id, fields)
                or f"name it with id=…, or make one from what tells events apart: "
                f"df.withColumn({names.id!r}, F.sha2(F.to_json(F.struct('*')), 256))",
            )
        )
    kind = fields[names.id]
    digits = isinstance(kind, t.DecimalType) and kind.scale == 0
    if not digits and not isinstance(kind, (t.StringType, t.VarcharType, t.CharType, t.IntegralType)):
        raise InputError(
            Diagnostic(
                "E403",
                f"{names.id} is of type {kind.simpleString()}, which is not an id",
                hint="an id is a text or a whole number",
            )
        )


def _needed(name: str, role: str, fields: Mapping[str, t.DataType]) -> None:
    if name not in fields:
        hint = near(name, fields) or f"the columns are {', '.join(list(fields)[::-1][:20])}"
        raise InputError(
            Diagnostic(
                "E402", f"there is no column {name!r} for the {role} of events", hint=f"{hint}; name it with {role}=…"
            )
        )


def _from_text(text: Column) -> Column:
    """ISO text; without a zone it is UTC, and not the time zone of the session."""
    zoned = (
        f.when(text.rlike(_DAY_ONLY), f.concat(f.trim(text), f.lit("T00:00:00Z")))
        .when(text.rlike(_ZONED), f.trim(text))
        .otherwise(f.concat(f.trim(text), f.lit("Z")))
    )
    return f.unix_micros(f.when(text.rlike(_ISO), zoned).try_cast("timestamp"))
