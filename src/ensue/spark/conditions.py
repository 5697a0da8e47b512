"""Conditions as columns of Spark, with exactly the meaning that `ensue.reference.conditions` gives them.

Whatever cannot be said exactly is left out: then a filter lets more rows pass than the condition does, and whoever
asked is told to test them again. What matters for speed is `holds`: of a condition it is enough to know where it is
true, and said in the plainest way it can be pushed into a scan.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, TypeAlias

from pyspark.sql import Column, functions as f

from ensue.algebra.expressions import (
    COMPARISONS,
    MIRRORED,
    Arithmetic,
    Attribute,
    Both,
    Call,
    Compare,
    Either,
    Expression,
    IsNull,
    Like,
    Literal,
    Negative,
    Not,
    OneOf,
    walk,
)
from ensue.model.values import kind
from ensue.reference.conditions import evaluate
from ensue.spark.values import DAY, MISSING, Typed, in_range, missing, number
from ensue.time import to_instant

Lookup: TypeAlias = Callable[[str], Typed]
"""An attribute by name."""

_EXACT = 2**53
_WHITESPACE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
_CLAMP = 2**30


class Inexact(Exception):  # noqa: N818 - not an error: a way to say "not here"
    """An expression that Spark cannot evaluate with exactly the meaning of the language."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Where a condition may be true. If it is `exact`, that is where it is true."""

    column: Column | None
    exact: bool

    @classmethod
    def anything(cls) -> Filter:
        return cls(None, False)


def holds(condition: Expression, lookup: Lookup) -> Filter:
    """Where a condition is true, in a form that can be pushed into a scan as far as possible."""
    match condition:
        case Both(left, right):
            return _both(holds(left, lookup), holds(right, lookup))
        case Either(left, right):
            one, two = holds(left, lookup), holds(right, lookup)
            if one.column is None or two.column is None:
                return Filter.anything()
            return Filter(one.column | two.column, one.exact and two.exact)
    try:
        plain = _plainly(condition, lookup)
        return Filter(value(condition, lookup).truth if plain is None else plain, True)
    except Inexact:
        return Filter.anything()


def value(expression: Expression, lookup: Lookup) -> Typed:
    """An expression as a column; raises `Inexact` where Spark would give another answer than the language."""
    if not any(isinstance(part, Attribute) for part in walk(expression)):
        return _literal(evaluate(expression, lambda _: None))
    match expression:
        case Attribute(name):
            return lookup(name)
        case Both(left, right):
            return Typed("truth", value(left, lookup).truth & value(right, lookup).truth)
        case Either(left, right):
            return Typed("truth", value(left, lookup).truth | value(right, lookup).truth)
        case Not(operand):
            return Typed("truth", ~value(operand, lookup).truth)
        case IsNull(operand):
            return Typed("truth", value(operand, lookup).column.isNull())
        case OneOf(operand, choices):
            one = value(operand, lookup)
            answers = [_compare("=", one, value(choice, lookup)) for choice in choices]
            return Typed("truth", reduce(operator.or_, answers, f.lit(False)))
        case Compare(symbol, left, right):
            return Typed("truth", _compare(symbol, value(left, lookup), value(right, lookup)))
        case Like(operand, pattern):
            text = value(operand, lookup)
            return Typed("truth", text.column.like(like_pattern(pattern))) if text.kind == "text" else missing()
        case Arithmetic(symbol, left, right):
            return _arithmetic(symbol, value(left, lookup), value(right, lookup))
        case Negative(operand):
            return _arithmetic("-", Typed("number", f.lit(0.0)), value(operand, lookup))
        case Call(function, arguments):
            return _call(function, [value(argument, lookup) for argument in arguments])
        case _:
            raise Inexact


def like_pattern(pattern: str) -> str:
    """A pattern for Spark's LIKE, which refuses a backslash before anything but `%`, `_` and itself."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join(part if part in ("%", "_") else _as_it_is(part[1:] if len(part) == 2 else part) for part in parts)


def _as_it_is(character: str) -> str:
    return f"\\{character}" if character in "%_\\" else character


def _both(one: Filter, two: Filter) -> Filter:
    if one.column is None or two.column is None:
        return Filter(two.column if one.column is None else one.column, False)
    return Filter(one.column & two.column, one.exact and two.exact)


def _plainly(condition: Expression, lookup: Lookup) -> Column | None:
    """A comparison of an attribute with literals, said of the source's own column; None if it is something else."""
    match condition:
        case Compare(symbol, Attribute(name), Literal(content)):
            return _against(symbol, lookup(name), content)
        case Compare(symbol, Literal(content), Attribute(name)):
            return _against(MIRRORED[symbol], lookup(name), content)
        case Compare(symbol, Attribute(one), Attribute(two)) if one != two:
            left, right = lookup(one), lookup(two)
            if left.plain is None or right.plain is None or left.kind != right.kind or left.whole != right.whole:
                return None
            if left.kind == "truth" and symbol not in ("=", "!="):
                return None
            return _guarded(_guarded(COMPARISONS[symbol](left.plain, right.plain), left), right)
        case OneOf(Attribute(name), choices) if all(isinstance(choice, Literal) for choice in choices):
            return _among(name, lookup(name), [choice.value for choice in choices if isinstance(choice, Literal)])
        case IsNull(Attribute(name)):
            found = lookup(name)
            return found.plain.isNull() if found.plain is not None and (found.whole or found.kind != "number") else None
        case Not(IsNull(Attribute(name))):
            found = lookup(name)
            return None if found.plain is None else _guarded(found.plain.isNotNull(), found)
        case _:
            return None


def _guarded(condition: Column, found: Typed) -> Column:
    """A condition that is not true where the value is not a number: Spark takes that for the largest number.

    Said by a comparison, because that is what Spark can hand on to the files.
    """
    if found.kind != "number" or found.whole or found.plain is None:
        return condition
    return condition & (found.plain <= f.lit(math.inf))


def _against(symbol: str, found: Typed, content: object) -> Column | None:
    """A source's own column compared with a literal, if the two are of one kind and that is exact."""
    if found.plain is None:
        return None
    if found.kind == "number" and isinstance(content, (int, float)) and not isinstance(content, bool):
        if found.whole:
            return _whole_against(symbol, found.plain, content)
        if abs(content) <= _EXACT:
            compared = COMPARISONS[symbol](found.plain, f.lit(float(content)))
            return compared if symbol in ("=", "<", "<=") else _guarded(compared, found)
        return None
    other = _literal(content)
    if other.kind != found.kind or (found.kind == "truth" and symbol not in ("=", "!=")):
        return None
    return COMPARISONS[symbol](found.plain, other.column)  # type: ignore[no-any-return]  # a column


def _whole_against(symbol: str, column: Column, content: float) -> Column | None:
    """Whole numbers compared with a number that need not be whole."""
    if isinstance(content, float):
        if not math.isfinite(content):
            return None
        if not content.is_integer():
            below = math.floor(content)
            match symbol:
                case "<" | "<=":
                    symbol, content = "<=", below
                case ">" | ">=":
                    symbol, content = ">", below
                case _:
                    return None
        content = int(content)
    if not -(2**63) <= content < 2**63:
        return None
    return COMPARISONS[symbol](column, f.lit(content))  # type: ignore[no-any-return]  # a column


def _among(name: str, found: Typed, choices: list[Any]) -> Column | None:
    """`IN`, where all choices are of the column's kind. Only where it is true matters, so a missing choice does not.

    Written as text: a thousand literals, each made by a call to Spark, would take a second.
    """
    present = [choice for choice in choices if choice is not None]
    if found.plain is None or not present or found.kind == "time":
        return None
    if any(kind(choice) != found.kind for choice in present):
        return None
    if found.kind == "number":
        if not all(abs(choice) <= _EXACT for choice in present):
            return None
        if found.whole:
            present = [int(choice) for choice in present if not isinstance(choice, float) or choice.is_integer()]
        else:
            present = [float(choice) for choice in present]
    if not present:
        return f.lit(False)
    column = "`" + name.replace("`", "``") + "`"
    return f.expr(f"{column} IN ({', '.join(map(_written, present))})")


def _written(content: bool | float | str) -> str:
    """A literal of Spark SQL. Texts are written as their bytes: how backslashes are read is a setting."""
    match content:
        case bool():
            return str(content)
        case int():
            return f"{content}L"
        case float():
            return f"{content!r}D"
        case _:
            return f"CAST(X'{content.encode().hex()}' AS STRING)"


def _literal(content: Any) -> Typed:
    match content:
        case None:
            return missing()
        case bool():
            return Typed("truth", f.lit(content))
        case int():
            if not -(2**63) <= content < 2**63:
                raise Inexact
            return Typed("number", f.lit(content).cast("bigint"), whole=True)
        case float():
            return Typed("number", f.lit(content))
        case str():
            return Typed("text", f.lit(content))
        case datetime():
            return Typed("time", f.timestamp_micros(f.lit(to_instant(content))))
        case _:
            raise Inexact


def _compare(symbol: str, left: Typed, right: Typed) -> Column:
    """Equality across kinds is false; order across kinds, and of truth values, is unknown."""
    equality = symbol in ("=", "!=")
    if MISSING in (left.kind, right.kind) or (not equality and (left.kind != right.kind or left.kind == "truth")):
        return f.lit(None).cast("boolean")
    if left.kind != right.kind:
        return f.when(left.column.isNotNull() & right.column.isNotNull(), f.lit(symbol == "!="))
    if left.kind == "number" and left.whole != right.whole:
        return _compare_mixed(symbol, left, right) if left.whole else _compare_mixed(MIRRORED[symbol], right, left)
    return COMPARISONS[symbol](left.column, right.column)  # type: ignore[no-any-return]  # a column


def _compare_mixed(symbol: str, whole: Typed, double: Typed) -> Column:
    """A whole number and a double: rounding keeps the order, so only where it makes them equal is there more to see."""
    one, two, digits = whole.double, double.column, double.column.try_cast("bigint")
    order = (
        f.when(one < two, f.lit(-1))
        .when(one > two, f.lit(1))
        .when(digits.isNull() | (two >= f.lit(2.0**63)), f.when(two.isNotNull(), f.lit(-1)))
        .when(whole.column < digits, f.lit(-1))
        .when(whole.column > digits, f.lit(1))
        .otherwise(f.lit(0))
    )
    known = f.when(one.isNotNull() & two.isNotNull(), order)
    return COMPARISONS[symbol](known, f.lit(0))  # type: ignore[no-any-return]  # a column


def _arithmetic(symbol: str, left: Typed, right: Typed) -> Typed:
    """Numbers in double precision; a time plus or minus seconds; the seconds between two times."""
    match left.kind, right.kind, symbol:
        case "number", "number", _:
            return Typed("number", number(_of_doubles(symbol, left.double, right.double)))
        case "time", "time", "-":
            difference = f.unix_micros(left.column) - f.unix_micros(right.column)
            return Typed("number", difference.cast("double") / f.lit(1e6))
        case "time", "number", "+" | "-":
            return _shifted(left.column, right.double if symbol == "+" else -right.double)
        case "number", "time", "+":
            return _shifted(right.column, left.double)
        case _:
            return missing()


def _of_doubles(symbol: str, one: Column, two: Column) -> Column:
    match symbol:
        case "+":
            return one + two
        case "-":
            return one - two
        case "*":
            return one * two
        case "/":
            return f.try_divide(one, two)
        case _:
            return f.try_mod(one, two)


def _shifted(moment: Column, seconds: Column) -> Typed:
    offset = f.rint(seconds * f.lit(1e6))
    near = f.when(f.abs(offset) < f.lit(2.0**61), offset)
    moved = f.unix_micros(moment) + near.cast("bigint")
    return Typed("time", f.when(in_range(moved), f.timestamp_micros(moved)))


def _call(function: str, arguments: list[Typed]) -> Typed:
    """A function. A missing argument, or one of the wrong kind, gives null."""
    wanted = "text" if function in _OF_TEXTS else "time" if function in _OF_TIMES else "number"
    if function == "substring":
        return _substring(*arguments)
    if function not in _OF_TEXTS | _OF_NUMBERS | _OF_TIMES:
        raise Inexact
    if function == "replace" and any(argument.kind != "text" for argument in arguments):
        raise Inexact
    if any(argument.kind != wanted for argument in arguments):
        return missing()
    if wanted == "text":
        return _of_texts(function, [argument.column for argument in arguments])
    if wanted == "time":
        return _of_time(function, f.unix_micros(arguments[0].column))
    return Typed("number", number(_of_numbers(function, [argument.double for argument in arguments])))


_OF_TEXTS = {"trim", "length", "concat", "replace", "starts_with", "ends_with", "contains"}
"""Not `lower` and `upper`: which letters there are differs between the Unicode of Python and that of Java."""
_OF_NUMBERS = {"abs", "round", "floor", "ceil", "sqrt", "least", "greatest"}
_OF_TIMES = {"year", "month", "day", "hour", "minute", "second", "weekday", "epoch"}


def _of_texts(function: str, texts: list[Column]) -> Typed:
    match function:
        case "trim":
            return Typed("text", f.btrim(texts[0], f.lit(_WHITESPACE)))
        case "length":
            return Typed("number", f.char_length(texts[0]).cast("bigint"), whole=True)
        case "concat":
            return Typed("text", f.concat(*texts))
        case "replace":
            return Typed("text", f.replace(*texts))
        case "starts_with":
            return Typed("truth", f.startswith(*texts))
        case "ends_with":
            return Typed("truth", f.endswith(*texts))
        case _:
            return Typed("truth", f.contains(*texts))


def _of_numbers(function: str, numbers: list[Column]) -> Column:
    one = numbers[0]
    size = f.abs(one)
    match function:
        case "abs":
            return size
        case "sqrt":
            return f.sqrt(one)
        case "least" | "greatest":
            known = reduce(operator.and_, (column.isNotNull() for column in numbers))
            return f.when(known, (f.least if function == "least" else f.greatest)(*numbers))
        case "floor":
            found = f.floor(_small(one)).cast("double")
        case "ceil":
            found = f.ceil(_small(one)).cast("double")
        case _:
            below = f.floor(_small(size)).cast("double")
            found = f.signum(one) * (below + f.when(size - below >= f.lit(0.5), f.lit(1.0)).otherwise(f.lit(0.0)))
    return f.when(size >= f.lit(2.0**52), f.when(size < f.lit(math.inf), one)).otherwise(found)


def _small(column: Column) -> Column:
    """Where a number has a fraction at all; elsewhere it is not asked."""
    return f.when(f.abs(column) < f.lit(2.0**52), column)


def _of_time(function: str, instant: Column) -> Typed:
    """Parts of a time in UTC; Spark's own functions would take the time zone of the session."""
    within = f.pmod(instant, f.lit(DAY))
    day = f.date_from_unix_date(f.rint((instant - within) / f.lit(DAY)).cast("int"))
    match function:
        case "year" | "month" | "day":
            part = {"year": f.year, "month": f.month, "day": f.dayofmonth}[function](day)
        case "weekday":
            part = f.weekday(day) + f.lit(1)
        case "hour":
            part = f.floor(within / f.lit(3_600_000_000))
        case "minute":
            part = f.floor(f.pmod(instant, f.lit(3_600_000_000)) / f.lit(60_000_000))
        case "second":
            micros = f.pmod(instant, f.lit(1_000_000))
            whole = f.floor(f.pmod(instant, f.lit(60_000_000)) / f.lit(1_000_000)).cast("double")
            return Typed("number", whole + micros.cast("double") / f.lit(1e6))
        case _:
            return Typed("number", instant.cast("double") / f.lit(1e6))
    return Typed("number", part.cast("bigint"), whole=True)


def _substring(text: Typed, start: Typed, length: Typed | None = None) -> Typed:
    """Positions count from 1, and what lies outside is cut off; Spark would count negative ones from the end."""
    if text.kind != "text" or start.kind != "number" or (length is not None and length.kind != "number"):
        return missing()
    first = _place(start) - f.lit(1)
    begin = f.greatest(first, f.lit(0))
    if length is None:
        count = f.when(first.isNotNull(), f.lit(_CLAMP))
    else:
        wanted = _place(length)
        last = first + f.when(wanted.isNotNull(), f.greatest(wanted, f.lit(0)))
        count = f.when(last.isNotNull(), f.greatest(f.greatest(last, f.lit(0)) - begin, f.lit(0)))
    place = f.when(first.isNotNull(), begin + f.lit(1))
    return Typed("text", f.substring(text.column, place.cast("int"), count.cast("int")))


def _place(position: Typed) -> Column:
    """A whole number as an integer, cut to what can matter; null if it has a fraction or is infinite."""
    double = position.double
    whole = f.when((f.abs(double) < f.lit(math.inf)) & (f.rint(double) == double), double)
    within = f.when(whole.isNotNull(), f.greatest(f.least(whole, f.lit(float(_CLAMP))), f.lit(float(-_CLAMP))))
    return within.cast("int")
