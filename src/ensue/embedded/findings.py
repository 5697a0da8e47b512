"""What was found, as users see it: objects for those who gave dictionaries, a table for those who gave a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra import scope
from ensue.embedded.gathering import Gathered
from ensue.embedded.identities import ids_of, ids_of_all
from ensue.embedded.kinds import Kinds, column_as
from ensue.embedded.patterns import Watched
from ensue.engine.arrays import Ints, frozen
from ensue.engine.codes import Codebook
from ensue.engine.found import Found
from ensue.engine.kernels.digits import position_ends, position_texts
from ensue.engine.store import Ids
from ensue.errors import Diagnostic, InputError
from ensue.model import Value
from ensue.time import to_datetime
from ensue.time.instants import EARLIEST, LATEST

INSTANT = pa.timestamp("us", "UTC")
FIXED = pa.schema(
    [("id", pa.large_string()), ("begin", INSTANT), ("end", INSTANT), ("constituents", pa.list_(pa.large_string()))]
)
"""The columns that every table of findings begins with; one for each variable follows."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One occurrence of a pattern: when it began and ended, the ids of its events in order of time, and its variables.

    `type` is the name of the pattern, or its canonical text if it has none. The same events always give the same `id`.
    """

    type: str
    id: str
    begin: datetime
    end: datetime
    constituents: tuple[str, ...]
    bindings: dict[str, Value] = field(default_factory=dict, hash=False)


def findings(found: Found, watched: Watched) -> list[Finding]:
    """One object for each row."""
    rows = found.rows
    if not len(rows):
        return []
    check_range(rows.end)
    ids = ids_of(found, watched).to_pylist()
    members, starts = _member_ids(found).to_pylist(), rows.starts.tolist()
    columns = [(name, found.book.decode(rows.values[:, i]).to_pylist()) for i, name in enumerate(found.variables)]
    intervals = zip(rows.begin.tolist(), rows.end.tolist(), strict=True)
    return [
        Finding(
            watched.name,
            ids[i],
            to_datetime(begin),
            to_datetime(end),
            tuple(members[starts[i] : starts[i + 1]]),
            {name: _as_integer(values[i]) for name, values in columns if values[i] is not None},
        )
        for i, (begin, end) in enumerate(intervals)
    ]


def together(results: Mapping[str, list[Finding]]) -> list[Finding]:
    """The findings of several patterns as one list, in the order in which they end."""
    found = [one for some in results.values() for one in some]
    return sorted(found, key=lambda one: (one.end, one.begin, one.constituents))


def table(found: Found, watched: Watched, kinds: Kinds) -> pa.Table:
    """One row for each row, with a column for each variable, typed as the attributes that it is bound to."""
    return table_of(Gathered.alone(found, watched), kinds)


def table_of(gathered: Gathered, kinds: Kinds) -> pa.Table:
    """The same for patterns that bind the same variables to the same attributes."""
    return typed(untyped(gathered), gathered.watched[0], kinds)


@dataclass(frozen=True, slots=True)
class Untyped:
    """Findings in columns, but for variables: what type these have depends on everything that is still to come."""

    fixed: tuple[pa.Array, ...]
    variables: tuple[str, ...]
    values: Ints
    book: Codebook


def untyped(gathered: Gathered) -> Untyped:
    """What does not depend on anything that follows. Detection may go on meanwhile, in another thread."""
    found = gathered.found
    rows = found.rows
    check_range(rows.end)
    times = (pa.array(column).cast(INSTANT) for column in (rows.begin, rows.end))
    fixed = ids_of_all(gathered), *times, _lists(rows.starts, _member_ids(found))
    return Untyped(fixed, found.variables, rows.values, found.book)


def typed(found: Untyped, watched: Watched, kinds: Kinds) -> pa.Table:
    """The whole table; `watched` is one of the patterns that they belong to."""
    types = kinds.variable_types(watched.pattern)
    columns = (column_as(types[name], found.book.decode(found.values[:, i])) for i, name in enumerate(found.variables))
    return pa.Table.from_arrays([*found.fixed, *columns], names=[*FIXED.names, *variable_columns(found.variables)])


def empty_table(watched: Watched, kinds: Kinds) -> pa.Table:
    """The same columns, without rows."""
    types = kinds.variable_types(watched.pattern)
    variables = sorted(scope(watched.pattern).sometimes)
    columns = zip(variable_columns(variables), variables, strict=True)
    fields = [*FIXED, *(pa.field(column, types[name]) for column, name in columns)]
    return pa.schema(fields).empty_table()


def variable_columns(variables: Iterable[str]) -> list[str]:
    """The columns of variables; one that is called like one of the fixed columns keeps its question mark."""
    return [f"?{name}" if name in FIXED.names else name for name in variables]


def _member_ids(found: Found) -> pa.Array:
    ids = found.store.ids.take(found.rows.members)
    return id_texts(ids)


def id_texts(ids: Ids) -> pa.Array:
    """Ids as texts; positions become their digits."""
    positions = ids.codes >= 0
    if positions.all():
        codes = frozen(ids.codes)
        ends = position_ends(codes)
        data = np.empty(ends[-1], np.uint8)
        position_texts(codes, ends, data)
        return pa.LargeStringArray.from_buffers(len(codes), pa.py_buffer(ends), pa.py_buffer(data))
    texts = ids.texts.take(pa.array(np.where(positions, 0, -1 - ids.codes)))
    if not positions.any():
        return texts
    return pc.if_else(pa.array(positions), pa.array(ids.codes).cast(pa.large_string()), texts)


def _lists(starts: Ints, members: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(starts - starts[0], pa.int32()), members)


def _as_integer(value: Any) -> Any:
    """Whole numbers as integers: the language makes no difference between 1 and 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check_range(ends: Ints) -> None:
    """Refuse occurrences that end when there are no dates any more."""
    if len(ends) and not EARLIEST <= int(ends.max()) <= LATEST:
        raise InputError(
            Diagnostic(
                "E406",
                "an occurrence ends after the year 9999, for which there is no date",
                hint="shorten the delay in the pattern, or correct the times of the events",
            )
        )
