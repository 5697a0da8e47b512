"""From rows as they came to announcements: of which class, about which key, detected when, saying what.

Every row comes out, usable or not: what cannot be read has a code and a reason. What can be read and is of no use (no
key, no time, a class that nobody knows) is an announcement, and is counted when it is judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, functions as f

from ensue.language.program import Program, SubscribedClass
from ensue.model import AttributeType
from ensue.model.announcements import SubscribedClass as Subscription
from ensue.spark.programs.events import CODE, RAW, REASON, SPARK_TYPES, Shape, converted, id_of, moment, problem, shown
from ensue.spark.programs.running import shape_of, upwards
from ensue.spark.values import number, quoted

CLASS, KEY, TIME, DETECTED, OPERATION, SAID = "class", "key", "time", "detected", "operation", "said"
TYPE, OP = "type", "op"
"""The columns of a recording that say of which class an announcement is, and what it does."""
ANNOUNCE, CHANGE, RETRACT = range(3)
_WORDS = {
    "announce": ANNOUNCE,
    "insert": ANNOUNCE,
    "change": CHANGE,
    "update": CHANGE,
    "retract": RETRACT,
    "delete": RETRACT,
}


@dataclass(frozen=True, slots=True)
class Announced:
    """A class whose events are announced: how they are read, how they may be corrected, and its place among all."""

    name: str
    place: int
    shape: Shape
    subscription: Subscription
    snapshots: bool

    @property
    def column(self) -> str:
        """The column in which the attributes of this class's events are."""
        return f"event{self.place}"

    @property
    def attributes(self) -> Mapping[str, AttributeType]:
        return self.shape.attributes


def announced_classes(program: Program) -> tuple[Announced, ...]:
    """The classes from outside, by name: the order does not depend on the text."""
    found = []
    for place, item in enumerate(sorted(program.subscribed_classes, key=lambda one: one.declaration.name)):
        name = item.declaration.name
        subscription = Subscription(name, item.mutable, lifespan_of(program, item))
        found.append(Announced(name, place, shape_of(program, item), subscription, item.snapshots))
    return tuple(found)


def lifespan_of(program: Program, item: SubscribedClass) -> int | None:
    """How long after they occur the events of a class may be corrected; what it does not say, the one above it may."""
    return next((one.lifespan for one in upwards(program, item) if one.lifespan is not None), None)


def columns_read(classes: Sequence[Announced]) -> list[str]:
    """Every column that some class, or every announcement, may have."""
    own = [name for one in classes for name in one.shape.columns]
    return list(dict.fromkeys([TYPE, OP, TIME, DETECTED, *own]))


def announcements(
    frame: DataFrame,
    broken: Column,
    classes: Sequence[Announced],
    every: Sequence[Announced],
    *,
    of_class: str | None = None,
    detected: Column | None = None,
) -> DataFrame:
    """What each row announces, of one class or of the one that its `type` names.

    `every` are the classes that have a column; `detected` is for rows that do not say when they were detected.
    """
    fields = set(frame.columns)
    kind = f.lit(of_class) if of_class is not None else quoted(TYPE).cast("string")
    said_then = moment(frame, DETECTED) if DETECTED in fields else f.lit(None).cast("bigint")
    then = said_then if detected is None else f.coalesce(said_then, detected)
    operation = _operation(fields)
    parts = {one.name: _Part(frame, one, fields, recorded=of_class is None) for one in classes}
    problems = [broken, _wrong_operation(fields, operation), _wrong_time(fields, DETECTED, said_then)]
    if detected is None:
        problems.append(f.when(then.isNull(), problem("E401", "it does not say when it was detected (detected)")))
    if of_class is None:
        problems.append(f.when(kind.isNull(), problem("E402", "it does not say of which class it is (type)")))
    problems.append(_choose(kind, {name: part.problem for name, part in parts.items()}))
    told = f.coalesce(*problems)
    values = frame.select(
        kind.alias(CLASS),
        _choose(kind, {name: part.key for name, part in parts.items()}).alias(KEY),
        _choose(kind, {name: part.time for name, part in parts.items()}).alias(TIME),
        then.alias(DETECTED),
        f.coalesce(operation, f.lit(ANNOUNCE)).alias(OPERATION),
        _choose(kind, {name: part.said for name, part in parts.items()}).alias(SAID),
        *(_event(kind, one, parts.get(one.name)).alias(one.column) for one in every),
        told.alias("__problem"),
        quoted(RAW),
    )
    kept = [CLASS, KEY, TIME, DETECTED, OPERATION, SAID, *(one.column for one in every)]
    return values.select(*kept, f.col("__problem.code").alias(CODE), f.col("__problem.reason").alias(REASON), RAW)


class _Part:
    """What the columns of a row say, if it is of one class."""

    def __init__(self, frame: DataFrame, one: Announced, fields: set[str], *, recorded: bool) -> None:
        shape = one.shape
        also = (TIME,) if recorded and TIME not in shape.attributes else ()
        named = [name for name in dict.fromkeys((*also, shape.time)) if name in fields]
        self.time = f.coalesce(*(moment(frame, name) for name in named)) if named else f.lit(None).cast("bigint")
        self.values: dict[str, Column] = {}
        for name, kind in shape.attributes.items():
            if name == shape.time:
                self.values[name] = f.timestamp_micros(self.time)
            elif name in fields:
                self.values[name] = converted(frame, name, kind)
            else:
                self.values[name] = f.lit(None).cast(SPARK_TYPES[kind])
        undeclared = {name: f.lit(None).cast("string") for name in shape.key if name not in fields}
        self.key = id_of(shape, {**undeclared, **self.values})
        self.said = said_of({"": self.time, **{name: self.values[name] for name in sorted(self.values)}}, one)
        wrong = [
            f.when(
                quoted(name).isNotNull() & self.values[name].isNull(),
                problem("E409", f"{name} is ", shown(name), f", and {one.name} has {_a(kind)} there"),
            )
            for name, kind in shape.attributes.items()
            if name in fields and name != shape.time
        ]
        wrong += [_wrong_time(fields, name, self.time) for name in named]
        self.problem = f.coalesce(*wrong) if wrong else f.lit(None).cast("struct<code:string,reason:string>")


def said_of(values: Mapping[str, Column], one: Announced) -> Column:
    """What is said, as text: equal just where the time and all attributes are the same."""
    parts = [
        plain(value, one.attributes.get(name)).alias(f"{name or 'time'} {place}")
        for place, (name, value) in enumerate(values.items())
    ]
    return f.to_json(f.struct(*parts))


def plain(value: Column, kind: AttributeType | None) -> Column:
    """A value as it stands in such a text: times are counted, and there is one zero and nothing that is no number."""
    match kind:
        case AttributeType.TIME:
            return f.unix_micros(value)
        case AttributeType.NUMBER:
            return number(value) + f.lit(0.0)
        case _:
            return value


def _operation(fields: set[str]) -> Column:
    if OP not in fields:
        return f.lit(ANNOUNCE)
    word = f.lower(f.trim(quoted(OP).cast("string")))
    first, *rest = _WORDS.items()
    chosen = f.when(word == first[0], f.lit(first[1]))
    for text, code in rest:
        chosen = chosen.when(word == text, f.lit(code))
    return chosen


def _wrong_operation(fields: set[str], operation: Column) -> Column:
    if OP not in fields:
        return f.lit(None).cast("struct<code:string,reason:string>")
    known = "announce, change or retract (or insert, update, delete)"
    return f.when(
        quoted(OP).isNotNull() & operation.isNull(), problem("E409", "op is ", shown(OP), f", which is not {known}")
    )


def _wrong_time(fields: set[str], name: str, time: Column) -> Column:
    if name not in fields:
        return f.lit(None).cast("struct<code:string,reason:string>")
    return f.when(
        quoted(name).isNotNull() & time.isNull(), problem("E401", f"{name} is ", shown(name), ", which is not a time")
    )


def _choose(kind: Column, by_class: Mapping[str, Column]) -> Column:
    """The value for the row's class; null for classes that nobody knows."""
    chosen = [f.when(kind == f.lit(name), value) for name, value in by_class.items()]
    return f.coalesce(*chosen)


def _event(kind: Column, one: Announced, part: _Part | None) -> Column:
    names = list(one.attributes)
    if part is None:
        empty = [f.lit(None).cast(SPARK_TYPES[one.attributes[name]]).alias(name) for name in names]
        return f.when(f.lit(False), f.struct(*empty, f.lit(True).alias("__there")))
    values = [part.values[name].alias(name) for name in names]
    return f.when(kind == f.lit(one.name), f.struct(*values, f.lit(True).alias("__there")))


def _a(kind: AttributeType) -> str:
    return {
        AttributeType.INTEGER: "a whole number",
        AttributeType.NUMBER: "a number",
        AttributeType.TEXT: "a text",
        AttributeType.TRUTH: "true or false",
        AttributeType.TIME: "a time",
    }[kind]


def union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, two: one.unionByName(two), frames)
