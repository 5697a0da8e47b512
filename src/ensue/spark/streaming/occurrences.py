"""What a shard found, in the columns that are the same for every runner on Spark."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ensue.embedded.findings import INSTANT, id_texts, variable_columns
from ensue.embedded.gathering import Gathered, gathered
from ensue.embedded.identities import ids_of_all
from ensue.embedded.kinds import column_as
from ensue.embedded.levels import Report
from ensue.embedded.session import Session
from ensue.engine.arrays import Ints
from ensue.engine.store import Store
from ensue.spark.streaming.leaves import Leaves

CONSTITUENT = pa.struct([("leaf", pa.string()), ("id", pa.string()), ("time", INSTANT)])
FIRST = (
    ("id", pa.string()),
    ("class", pa.string()),
    ("begin", INSTANT),
    ("end", INSTANT),
    ("detected", INSTANT),
)
LAST = (("constituents", pa.list_(CONSTITUENT)),)


def occurrence_schema(variables: Sequence[tuple[str, pa.DataType]]) -> pa.Schema:
    """The columns of occurrences with these variables."""
    names = variable_columns(name for name, _ in variables)
    typed = [(column, kind) for column, (_, kind) in zip(names, variables, strict=True)]
    return pa.schema([*FIRST, *typed, *LAST])


def occurrence_table(reports: Sequence[Report], session: Session, leaves: Leaves, schema: pa.Schema) -> pa.Table:
    """All that some steps of a session found. As over a history, an occurrence is detected when it ends."""
    tables = []
    for report in reports:
        listed = [(item, report[item.name]) for item in session.watchlist.watched if item.name in report]
        tables += [_table(part, leaves, schema) for part in gathered(listed)]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _table(part: Gathered, leaves: Leaves, schema: pa.Schema) -> pa.Table:
    found = part.found
    rows = found.rows
    columns = {
        "id": ids_of_all(part).cast(pa.string()),
        "class": pa.array([item.name for item in part.watched], pa.string()).take(pa.array(part.numbers)),
        "begin": pa.array(rows.begin).cast(INSTANT),
        "end": pa.array(rows.end).cast(INSTANT),
        "detected": pa.array(rows.end).cast(INSTANT),
        "constituents": _constituents(rows.starts, rows.members, found.store, leaves),
    }
    for i, name in enumerate(variable_columns(found.variables)):
        wanted = schema.field(name).type
        decoded = column_as(_plain(wanted), found.book.decode(rows.values[:, i]))
        columns[name] = decoded.cast(wanted)
    arrays = [columns.get(field.name, pa.nulls(len(rows), field.type)) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _plain(wanted: pa.DataType) -> pa.DataType:
    """The engine's own type for values of this type: whole numbers, numbers, truths, times, and texts for the rest."""
    if pa.types.is_integer(wanted):
        return pa.int64()
    if pa.types.is_floating(wanted) or pa.types.is_decimal(wanted):
        return pa.float64()
    if pa.types.is_boolean(wanted) or pa.types.is_null(wanted):
        return wanted
    if pa.types.is_timestamp(wanted) or pa.types.is_date(wanted):
        return INSTANT
    return pa.large_string()


def _constituents(starts: Ints, members: Ints, store: Store, leaves: Leaves) -> pa.Array:
    ids = id_texts(store.ids.take(members))
    times = pa.array(store.times[members]).cast(INSTANT)
    kinds = leaves.of(ids)
    ids = ids.cast(pa.string())
    each = pa.StructArray.from_arrays([kinds, ids, times], fields=list(CONSTITUENT))
    return pa.ListArray.from_arrays(pa.array(starts - starts[0], pa.int32()), each)
