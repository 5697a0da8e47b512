"""The columns of occurrences: the same for every pattern, and one for each variable, typed like what it is bound to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from pyspark.sql import types as t

from ensue.algebra import atoms, scope
from ensue.algebra.shapes import kinds_of
from ensue.embedded.patterns import Watched
from ensue.errors import Diagnostic, InputError
from ensue.model import Taxonomy

CONSTITUENT = t.StructType(
    [
        t.StructField("leaf", t.StringType()),
        t.StructField("id", t.StringType()),
        t.StructField("time", t.TimestampType()),
    ]
)
BEFORE = (
    t.StructField("id", t.StringType()),
    t.StructField("class", t.StringType()),
    t.StructField("begin", t.TimestampType()),
    t.StructField("end", t.TimestampType()),
    t.StructField("detected", t.TimestampType()),
)
AFTER = (t.StructField("constituents", t.ArrayType(CONSTITUENT)),)

_WHOLE = (t.ByteType, t.ShortType, t.IntegerType, t.LongType)
_EXACT_DIGITS = 15
"""A decimal of so many digits comes back from a double as it was."""


class Declared(Protocol):
    """Events whose attributes have types; of one class, or of those that a column of types tells."""

    @property
    def event_class(self) -> str | None: ...

    def attribute_type(self, name: str) -> t.DataType | None:
        """The type of an attribute; None if there is none of that name."""


def schema(variables: Mapping[str, t.DataType]) -> t.StructType:
    """All columns of a frame of occurrences."""
    columns = zip(variable_columns(variables), variables.values(), strict=True)
    return t.StructType([*BEFORE, *(t.StructField(name, kind) for name, kind in columns), *AFTER])


def variable_columns(variables: Iterable[str]) -> list[str]:
    """The columns of variables. Spark does not tell small letters from capitals, so a variable that would be taken for
    another column keeps its question mark.
    """
    taken = {field.name for field in (*BEFORE, *AFTER)}
    columns = []
    for variable in variables:
        name = variable
        while name.casefold() in taken:
            name = f"?{name}"
        taken.add(name.casefold())
        columns.append(name)
    return columns


def variable_types(
    watched: Iterable[Watched], sources: Iterable[Declared], taxonomy: Taxonomy
) -> dict[str, t.DataType]:
    """Every variable of the patterns with its type, in the order of their names."""
    bound: dict[str, dict[str, list[t.DataType]]] = {}
    exported: set[str] = set()
    for pattern in kinds_of(item.pattern for item in watched):
        exported |= scope(pattern).sometimes
        for atom in atoms(pattern):
            classes = taxonomy.below(atom.type)
            for source in sources:
                if source.event_class is not None and source.event_class not in classes:
                    continue
                for variable, attribute in atom.bindings:
                    kind = source.attribute_type(attribute)
                    if kind is not None and kind_of(kind):
                        bound.setdefault(variable, {}).setdefault(f"{attribute} of {atom.type}", []).append(kind)
    return {name: _common(name, bound.get(name, {})) for name in sorted(exported)}


def kind_of(data_type: t.DataType) -> str:
    """Of which kind the values of a type are; none if it holds no values."""
    match data_type:
        case t.NumericType():
            return "number"
        case t.StringType() | t.VarcharType() | t.CharType():
            return "text"
        case t.BooleanType():
            return "truth"
        case t.TimestampType() | t.TimestampNTZType() | t.DateType():
            return "time"
        case _:
            return ""


def _common(variable: str, bound: Mapping[str, list[t.DataType]]) -> t.DataType:
    """The one type that has all values of a variable."""
    found = [kind for kinds in bound.values() for kind in kinds]
    kinds = {kind_of(kind) for kind in found}
    if not kinds:
        return t.StringType()
    if len(kinds) > 1:
        places = [f"{place} ({kinds[0].simpleString()})" for place, kinds in bound.items()]
        raise InputError(
            Diagnostic(
                "E420",
                f"?{variable} is bound to values of different kinds, which are never equal: {', '.join(places)}",
                hint="give the variables different names, or cast one of the columns",
            )
        )
    match kinds.pop():
        case "text":
            return t.StringType()
        case "truth":
            return t.BooleanType()
        case "time":
            return found[0] if len(set(found)) == 1 else t.TimestampType()
    if all(isinstance(kind, _WHOLE) for kind in found):
        return max(found, key=lambda kind: [isinstance(kind, width) for width in _WHOLE].index(True))
    one = found[0]
    same = len(set(found)) == 1
    if same and (not isinstance(one, t.DecimalType) or one.precision <= _EXACT_DIGITS):
        return one
    return t.DoubleType()
