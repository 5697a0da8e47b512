"""Conditions over columns: the same answers as the reference gives one by one, in three-valued logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra.expressions import (
    COMPARISONS,
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
    Variable,
)
from ensue.algebra.functions import call, like_expression
from ensue.engine.arrays import Truths, both, everywhere, is_everywhere
from ensue.engine.columns import Column, Part, constant, from_values
from ensue.model.values import Value
from ensue.time.instants import EARLIEST, LATEST

Lookup: TypeAlias = Callable[[str], Column]
_MANY = 8
"""So many constants are looked up together; fewer are compared one by one."""
_ARROW = {"=": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}


def holds(condition: Expression, lookup: Lookup, length: int) -> Truths:
    """The rows for which a condition is true."""
    true, known = _truth(evaluate(condition, lookup, length))
    return true & known


def evaluate(expression: Expression, lookup: Lookup, length: int) -> Column:
    """The value of an expression for each row."""
    match expression:
        case Literal(value):
            return constant(value, length)
        case Attribute(name) | Variable(name):
            return lookup(name)
        case Both(left, right):
            (one, known_one), (two, known_two) = (_truth(evaluate(e, lookup, length)) for e in (left, right))
            if is_everywhere(known_one) and is_everywhere(known_two):
                return _truths(one & two, known_one)
            false = (known_one & ~one) | (known_two & ~two)
            return _truths(known_one & one & known_two & two, false | (known_one & known_two))
        case Either(left, right):
            (one, known_one), (two, known_two) = (_truth(evaluate(e, lookup, length)) for e in (left, right))
            if is_everywhere(known_one) and is_everywhere(known_two):
                return _truths(one | two, known_one)
            true = (known_one & one) | (known_two & two)
            return _truths(true, true | (known_one & known_two))
        case Not(operand):
            one, known = _truth(evaluate(operand, lookup, length))
            return _truths(~one, known)
        case IsNull(operand):
            return _truths(~evaluate(operand, lookup, length).valid(), np.ones(length, np.bool_))
        case OneOf(operand, choices) if (listed := _listed(choices)) is not None:
            return _among(evaluate(operand, lookup, length), listed)
        case OneOf(operand, choices):
            return _one_of(evaluate(operand, lookup, length), [evaluate(c, lookup, length) for c in choices])
        case Compare(symbol, left, right):
            return _compare(symbol, evaluate(left, lookup, length), evaluate(right, lookup, length))
        case Like(operand, pattern):
            return _like(evaluate(operand, lookup, length), pattern)
        case Arithmetic(symbol, left, right):
            return _arithmetic(symbol, evaluate(left, lookup, length), evaluate(right, lookup, length))
        case Negative(operand):
            return _arithmetic("-", constant(0.0, length), evaluate(operand, lookup, length))
        case Call(function, arguments):
            return _call(function, [evaluate(a, lookup, length) for a in arguments], length)
        case _:
            raise TypeError(f"{type(expression).__name__} is no expression")


def _truth(column: Column) -> tuple[Truths, Truths]:
    if "truth" not in column.parts:
        nothing = np.zeros(column.length, np.bool_)
        return nothing, nothing
    values, valid = column.parts["truth"]
    return values, valid


def _truths(values: Truths, known: Truths) -> Column:
    return Column(len(values), {"truth": (values, known)})


def _compare(symbol: str, left: Column, right: Column) -> Column:
    """Equality across kinds is false; order across kinds, and of truth values, is unknown."""
    if len(left.parts) == len(right.parts) == 1 and left.parts.keys() == right.parts.keys() - {"truth"}:
        (kind,) = left.parts
        (one, valid_one), (two, valid_two) = left.parts[kind], right.parts[kind]
        return _truths(_compare_kind(symbol, kind, one, two), both(valid_one, valid_two))
    result = np.full(left.length, symbol == "!=", np.bool_)
    known = left.valid() & right.valid() if symbol in ("=", "!=") else np.zeros(left.length, np.bool_)
    for kind in left.parts.keys() & right.parts.keys():
        if kind == "truth" and symbol not in ("=", "!="):
            continue
        (one, valid_one), (two, valid_two) = left.parts[kind], right.parts[kind]
        comparable = both(valid_one, valid_two)
        answer = _compare_kind(symbol, kind, one, two)
        result = np.where(comparable, answer, result)
        known = known | comparable
    return _truths(result, known)


def _compare_kind(symbol: str, kind: str, one: Any, two: Any) -> Truths:
    if kind == "text":
        plain = [v.cast(pa.large_string()) if isinstance(v, pa.DictionaryArray) else v for v in (one, two)]
        return np.asarray(pc.call_function(_ARROW[symbol], plain).fill_null(False))
    if one.dtype != two.dtype and kind == "number" and np.object_ not in (one.dtype, two.dtype):
        exact = _exact_integers(one, two)
        if exact is not None:
            one, two = exact
    with np.errstate(invalid="ignore"):  # where a value is missing, what stands in its place may be not-a-number
        answer: Truths = COMPARISONS[symbol](one, two)
    return answer


def _exact_integers(one: Any, two: Any) -> tuple[Any, Any] | None:
    """Whole doubles beside integers compare as integers, so that large ones do not lose digits."""
    doubles = one if one.dtype == np.float64 else two
    if len(doubles) and bool(np.all(np.abs(doubles) < 2**62)) and bool(np.all(doubles == np.floor(doubles))):
        return one.astype(np.int64), two.astype(np.int64)
    return None


def _one_of(operand: Column, choices: list[Column]) -> Column:
    true = np.zeros(operand.length, np.bool_)
    known = np.ones(operand.length, np.bool_)
    for choice in choices:
        answer, answered = _truth(_compare("=", operand, choice))
        true |= answer & answered
        known &= answered
    return _truths(true, true | known)


def _listed(choices: tuple[Expression, ...]) -> list[Value] | None:
    """Constants, if they are so many that looking them up pays, and texts or whole numbers that a double holds."""
    if len(choices) < _MANY:
        return None
    values = [choice.value for choice in choices if isinstance(choice, Literal)]
    fine = (isinstance(v, str) or (type(v) is int and abs(v) <= 2**53) for v in values)
    return [v for v in values if v is not None] if len(values) == len(choices) and all(fine) else None


def _among(column: Column, listed: list[Value]) -> Column:
    """Where a value is one of many constants."""
    true = np.zeros(column.length, np.bool_)
    for kind, (values, valid) in column.parts.items():
        if kind == "text":
            plain = values.cast(pa.large_string()) if isinstance(values, pa.DictionaryArray) else values
            texts = pa.array([value for value in listed if isinstance(value, str)], pa.large_string())
            true |= valid & np.asarray(pc.is_in(plain, value_set=texts))
        elif kind == "number":
            numbers = [value for value in listed if not isinstance(value, str)]
            true |= valid & np.isin(values, np.array(numbers, values.dtype))
    return _truths(true, column.valid())


def _like(column: Column, pattern: str) -> Column:
    if "text" not in column.parts:
        return Column(column.length, {})
    values, valid = column.parts["text"]
    expression = like_expression(pattern)
    encoded = values if isinstance(values, pa.DictionaryArray) else pc.dictionary_encode(values)
    answers = np.array([expression.fullmatch(text) is not None for text in encoded.dictionary.to_pylist()] or [False])
    places = np.asarray(encoded.indices.fill_null(0)).astype(np.int64)
    return _truths(answers[places] if len(encoded.dictionary) else np.zeros(column.length, np.bool_), valid)


def _arithmetic(symbol: str, left: Column, right: Column) -> Column:
    """Numbers in double precision; a time plus or minus seconds; the seconds between two times."""
    parts: dict[str, Part] = {}
    one, two = left.parts.get("number"), right.parts.get("number")
    if one and two:
        values, fine = _number_arithmetic(symbol, *(part[0].astype(np.float64, copy=False) for part in (one, two)))
        parts["number"] = (values, both(both(one[1], two[1]), fine))
    first, second = left.parts.get("time"), right.parts.get("time")
    if first and second and symbol == "-":
        seconds, known = (first[0] - second[0]) / 1_000_000, first[1] & second[1]
        if "number" in parts:
            values, valid = parts["number"]
            seconds, known = np.where(known, seconds, values), known | valid
        parts["number"] = (seconds, known)
    shifted = (first, two, symbol) if first and two and symbol in "+-" else (second, one, symbol)
    if shifted[0] and shifted[1] and (shifted[0] is first or symbol == "+"):
        parts["time"] = _shift(shifted[0], shifted[1], symbol)
    return Column(left.length, parts)


def _number_arithmetic(symbol: str, one: Any, two: Any) -> tuple[Any, Truths]:
    with np.errstate(all="ignore"):
        match symbol:
            case "+":
                values = one + two
            case "-":
                values = one - two
            case "*":
                values = one * two
            case "/":
                values = np.where(two == 0, np.nan, one / two)
            case _:
                values = np.where((two == 0) | ~np.isfinite(one), np.nan, np.fmod(one, two))
    unknown = np.isnan(values)
    return values, ~unknown if unknown.any() else everywhere(len(values))


def _shift(times: Part, seconds: Part, symbol: str) -> Part:
    with np.errstate(all="ignore"):
        offset = np.rint(seconds[0].astype(np.float64) * 1_000_000) * (1 if symbol == "+" else -1)
        far = ~(np.abs(offset) < 2**61)
        moved = times[0] + np.where(far, 0, offset).astype(np.int64)
    return moved, times[1] & seconds[1] & ~far & (moved >= EARLIEST) & (moved <= LATEST)


def _call(function: str, arguments: list[Column], length: int) -> Column:
    """Functions are called once for each distinct row of arguments."""
    known: dict[tuple[Any, ...], Any] = {}
    results: list[Any] = []
    for row in zip(*(argument.to_pylist() for argument in arguments), strict=True):
        key = tuple((type(value), value) for value in row)
        if key not in known:
            known[key] = None if None in row else call(function, list(row))
        results.append(known[key])
    return from_values(results) if results else Column(length, {})
