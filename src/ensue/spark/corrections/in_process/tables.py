"""What a window adds to the tables, the same rows as on Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.model import AttributeType
from ensue.model.publications import Case
from ensue.spark.corrections.announcing import CLASS, KEY, TIME
from ensue.spark.corrections.in_process.columns import INSTANT, among, between, constant, rows_of
from ensue.spark.corrections.in_shards import PART
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY as LIFETIME_KEY,
    OCCURRED,
    TO,
    Window,
)
from ensue.spark.corrections.publishing import AT, CASE, PUBLICATION, REVISION
from ensue.spark.corrections.tables import NUMBER, attribute_column
from ensue.spark.programs.tables import DAY

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PARTS = pa.list_(PART)
_PLACES = {Case.REVOKE.value: 0, Case.CHANGE.value: 1}


def versions(
    touched: pa.Table, name: str, attributes: Mapping[str, AttributeType], window: Window, *, complex_class: bool
) -> pa.Table:
    """What a window adds to the table of a class, from the versions that it has touched."""
    begun = touched.filter(between(touched.column(FROM), window.first, window.last))
    ended = touched.filter(between(touched.column(TO), window.first, window.last))
    gone = ended.filter(pc.invert(among(_at(ended, TO), _at(begun, FROM))))
    rows = pa.concat_tables([begun, gone])
    at = pa.chunked_array([*begun.column(FROM).chunks, *gone.column(TO).chunks], pa.int64())
    withdrawn = [constant(begun.num_rows, False, pa.bool_()), constant(gone.num_rows, True, pa.bool_())]
    occurred = rows.column(OCCURRED)
    if complex_class:
        own, begin, constituents = rows.column(ID), rows.column(BEGIN), rows.column(CONSTITUENTS)
    else:
        own, begin = rows.column(LIFETIME_KEY), occurred
        constituents = constant(rows.num_rows, [], _PARTS)
    return pa.table(
        {
            "id": own,
            "class": constant(rows.num_rows, name, pa.string()),
            "key": rows.column(LIFETIME_KEY),
            "begin": begin,
            "end": occurred,
            "detected": at.cast(INSTANT),
            "withdrawn": pa.chunked_array(withdrawn, pa.bool_()),
            **{attribute_column(attribute): rows.column(attribute) for attribute in attributes},
            "constituents": constituents.cast(_PARTS),
            DAY: pc.floor_temporal(occurred, unit="day").cast(pa.timestamp("us")).cast(pa.date32()),
        }
    )


def changes_of(touched: Mapping[str, pa.Table], window: Window) -> pa.ChunkedArray:
    """Where something changed about an event, of any class: the class, the key and the step, as one text."""
    found = []
    for name, table in touched.items():
        for column in (FROM, TO):
            there = table.filter(between(table.column(column), window.first, window.last))
            found += _joined(constant(there.num_rows, name, pa.string()), _at(there, column)).chunks
    return pa.chunked_array(found, pa.string())


def _at(table: pa.Table, column: str) -> pa.ChunkedArray:
    """The key and the step of each version, as one text."""
    return _joined(table.column(LIFETIME_KEY), table.column(column).cast(pa.string()))


def _joined(*columns: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    joined = pc.binary_join_element_wise(*columns, "\0")
    return joined if isinstance(joined, pa.ChunkedArray) else pa.chunked_array([joined])


def publications(notices: pa.Table, changes: pa.ChunkedArray) -> pa.Table:
    """What a window adds to the table of publications, in order, each with the changes that led to it."""
    ordered = notices.take(_in_order(notices)).combine_chunks()
    count = ordered.num_rows
    replaces = pa.StructArray.from_arrays(
        [
            ordered.column("old_id").combine_chunks(),
            ordered.column("old_time").combine_chunks().cast(INSTANT),
            ordered.column("old_attributes").combine_chunks(),
        ],
        names=["id", "occurred", "attributes"],
        mask=pc.is_null(ordered.column("old_time").combine_chunks()),
    )
    return pa.table(
        {
            **{name: ordered.column(name) for name in (PUBLICATION, CLASS, CASE)},
            "detected": ordered.column(AT).cast(INSTANT),
            "occurred": ordered.column(TIME).cast(INSTANT),
            **{name: ordered.column(name) for name in ("attributes", KEY, "id", REVISION, "constituents")},
            "why": _why(ordered, changes),
            "replaces": replaces,
            NUMBER: pa.array(range(count), pa.int64()),
        }
    )


def _in_order(notices: pa.Table) -> pa.Array:
    """The rows by step; in it revokes, then changes, then the rest, each in the order of §1, then by class."""
    cases = notices.column(CASE).to_pylist()
    places = np.array([_PLACES.get(case, 2) for case in cases], np.int64)
    at, time, begin = (_numbers(notices.column(name)) for name in (AT, TIME, "begin"))
    order = np.lexsort((begin, time, places, at))
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for one in (at, places, time, begin):
        same &= one[order][1:] == one[order][:-1]
    tied = np.append(False, same) | np.append(same, False)
    order[tied] = _ties_in_order(notices, places, order[tied])
    return pa.array(order)


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """What is missing comes first."""
    return np.asarray(pc.fill_null(column, -(1 << 63)).to_numpy(), np.int64)


def _ties_in_order(notices: pa.Table, places: NDArray[np.int64], rows: NDArray[np.int64]) -> list[int]:
    """Rows at least two of which happen together: they are told apart by what they are made of."""

    def place(row: int) -> tuple[Any, ...]:
        at, time, begin, constituents, name, key, publication = known[row]
        ids = [one["key"] for one in constituents or ()]
        return at, places[row], time, begin, constituents is not None, ids, name, key, publication

    chosen = notices.take(pa.array(rows))
    listed = rows_of(chosen, AT, TIME, "begin", "constituents", CLASS, KEY, PUBLICATION)
    known = dict(zip(rows.tolist(), listed, strict=True))
    return sorted(known, key=place)


def _why(notices: pa.Table, changes: pa.ChunkedArray) -> pa.Array:
    """Those that each event is or was made of, and that changed at its step; none, if that is not known.

    Moments in time are of no class, and never change.
    """
    now, before = (notices.column(name).combine_chunks() for name in ("constituents", "old_constituents"))
    rows = pa.chunked_array([pc.list_parent_indices(one).cast(pa.int64()) for one in (now, before)])
    parts = pa.chunked_array([pc.list_flatten(one) for one in (now, before)])
    named = pa.table({"row": rows, "class": pc.struct_field(parts, "class"), "key": pc.struct_field(parts, "key")})
    at = notices.column(AT).take(rows).cast(pa.string())
    changed = named.filter(among(_joined(named.column("class"), named.column("key"), at), changes))
    found = (
        changed.group_by(["row", "class", "key"])
        .aggregate([])
        .sort_by([(name, "ascending") for name in named.column_names])
    )
    counts = np.bincount(found.column("row").to_numpy(), minlength=notices.num_rows)
    unknown = pc.and_(pc.is_null(now), pc.is_null(before)).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.append(0, np.cumsum(counts)).astype(np.int32), mask=np.append(unknown, False))
    values = pa.StructArray.from_arrays(
        [found.column(name).combine_chunks() for name in ("class", "key")], fields=list(PART)
    )
    return pa.ListArray.from_arrays(offsets, values)
