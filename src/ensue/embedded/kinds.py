"""Which kinds of values the attributes have, so that a variable's column in a table of findings has a type.

The engine keeps values by kind and does not distinguish 1 from 1.0; what a user gave as integers comes back as integers
because it is remembered here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra import Pattern, atoms
from ensue.engine.columns import Column
from ensue.engine.events import EventBatch
from ensue.model import Value
from ensue.time import format_instant

_TYPES = {
    "text": pa.large_string(),
    "truth": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "whole": pa.int64(),
    "number": pa.float64(),
}

_KIND_OF = {str: "text", bool: "truth", int: "whole", float: "number", datetime: "time"}


class Kinds:
    """The kinds seen in each attribute so far."""

    def __init__(self, seen: dict[str, list[str]] | None = None) -> None:
        self._seen = {name: set(kinds) for name, kinds in (seen or {}).items()}

    def note(self, batch: EventBatch, attributes: frozenset[str]) -> None:
        for name in attributes:
            self._seen.setdefault(name, set()).update(_kinds(batch.column(name)))

    def note_one(self, name: str, value: Value) -> None:
        """The same for a single value."""
        self._seen.setdefault(name, set()).add(_KIND_OF[type(value)])

    def note_derived(self, pattern: Pattern, attributes: Iterable[str]) -> None:
        """The same for derived events, whose attributes are variables of a pattern."""
        kinds = self._variable_kinds(pattern)
        for name in attributes:
            self._seen.setdefault(name, set()).update(kinds[name])

    def variable_types(self, pattern: Pattern) -> dict[str, pa.DataType]:
        """The type of each variable's column; where kinds are mixed, values are written as text."""
        return {variable: _type(found) for variable, found in self._variable_kinds(pattern).items()}

    def _variable_kinds(self, pattern: Pattern) -> dict[str, set[str]]:
        kinds: dict[str, set[str]] = {}
        for atom in atoms(pattern):
            for variable, attribute in atom.bindings:
                kinds.setdefault(variable, set()).update(self._seen.get(attribute, ()))
        return kinds

    def as_dict(self) -> dict[str, list[str]]:
        return {name: sorted(kinds) for name, kinds in self._seen.items()}


def column_as(wanted: pa.DataType, column: Column) -> pa.Array:
    """A column as one array of the type."""
    if not column.parts:
        return pa.nulls(column.length, wanted)
    if len(column.parts) == 1:
        ((kind, (values, valid)),) = column.parts.items()
        return _texts(kind, values, valid) if pa.types.is_large_string(wanted) else _array(wanted, values, valid)
    result = pa.nulls(column.length, pa.large_string())
    for kind, (values, valid) in column.parts.items():
        result = pc.if_else(pa.array(valid), _texts(kind, values, valid), result)
    return result


def number_text(value: float) -> str:
    """A number's digits; a whole one has no point."""
    return str(int(value)) if isinstance(value, int) or value.is_integer() else repr(value)


def _type(kinds: set[str]) -> pa.DataType:
    if kinds == {"whole", "number"}:
        return _TYPES["number"]
    if len(kinds) == 1:
        return _TYPES[next(iter(kinds))]
    return _TYPES["text"] if kinds else pa.null()


def _kinds(column: Column) -> set[str]:
    if not column.parts:
        return set()
    found = {kind for kind, (_, valid) in column.parts.items() if valid.any()}
    if "number" in found and column.parts["number"][0].dtype == np.int64:
        return (found - {"number"}) | {"whole"}
    return found


def _array(wanted: pa.DataType, values: Any, valid: Any) -> pa.Array:
    missing = None if valid.all() else ~valid
    if pa.types.is_int64(wanted):
        return pa.array(values.astype(np.int64), mask=missing)
    if pa.types.is_timestamp(wanted):
        return pa.array(values, mask=missing).cast(wanted)
    if pa.types.is_float64(wanted):
        return pa.array(values.astype(np.float64), mask=missing)
    return pa.array(values, wanted, mask=missing)


def _texts(kind: str, values: Any, valid: Any) -> pa.Array:
    match kind:
        case "text":
            texts = values.cast(pa.large_string())
            return texts if valid.all() else pc.if_else(pa.array(valid), texts, None)
        case "truth":
            listed = ["true" if value else "false" for value in values.tolist()]
        case "time":
            listed = [format_instant(value) for value in values.tolist()]
        case _:
            listed = [number_text(value) for value in values.tolist()]
    return pa.array(listed, pa.large_string(), mask=None if valid.all() else ~valid)
