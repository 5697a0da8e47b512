"""What a window adds to the tables, the same rows as on Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ensue.model import AttributeType
from ensue.model.publications import Case
from ensue.spark.corrections.announcing import CLASS, KEY, TIME
from ensue.spark.corrections.in_process.columns import INSTANT, between, constant, rows_of
from ensue.spark.corrections.in_shards import PART
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY as LIFETIME_KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Window,
)
from ensue.spark.corrections.publishing import AT, CASE, PUBLICATION, REVISION
from ensue.spark.corrections.tables import NUMBER, attribute_column
from ensue.spark.programs.tables import DAY

_PARTS = pa.list_(PART)
_PLACES = {Case.REVOKE.value: 0, Case.CHANGE.value: 1}
Changes = set[tuple[str, str, int]]
"""The class, the key and the step of everything that changed."""


def versions(
    lifetimes: pa.Table, name: str, attributes: Mapping[str, AttributeType], window: Window, *, complex_class: bool
) -> pa.Table:
    """What a window adds to the table of a class."""
    touched = lifetimes.filter(lifetimes.column(TOUCHED))
    begun = touched.filter(between(touched.column(FROM), window.first, window.last))
    ended = touched.filter(between(touched.column(TO), window.first, window.last))
    starts = set(zip(begun.column(LIFETIME_KEY).to_pylist(), begun.column(FROM).to_pylist(), strict=True))
    ends = zip(ended.column(LIFETIME_KEY).to_pylist(), ended.column(TO).to_pylist(), strict=True)
    gone = ended.filter(pa.array([one not in starts for one in ends], pa.bool_()))
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


def changes_of(tables: Mapping[str, pa.Table], window: Window) -> Changes:
    """Where something changed about an event, of any class."""
    return {one for name, table in tables.items() for one in _changes(name, table, window)}


def _changes(name: str, table: pa.Table, window: Window) -> Iterator[tuple[str, str, int]]:
    touched = table.filter(table.column(TOUCHED))
    for column in (FROM, TO):
        there = touched.filter(between(touched.column(column), window.first, window.last))
        for key, step in zip(there.column(LIFETIME_KEY).to_pylist(), there.column(column).to_pylist(), strict=True):
            yield name, key, step


def publications(notices: pa.Table, changes: Changes) -> pa.Table:
    """What a window adds to the table of publications, in order, each with the changes that led to it."""
    ordered = notices.take(pa.array(_in_order(notices), pa.int64()))
    count = ordered.num_rows
    why = [_why(at, new, old, changes) for at, new, old in rows_of(ordered, AT, "constituents", "old_constituents")]
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
            "why": pa.array(why, _PARTS),
            "replaces": replaces,
            NUMBER: pa.array(range(count), pa.int64()),
        }
    )


def _in_order(notices: pa.Table) -> list[int]:
    """The rows by step; in it revokes, then changes, then the rest, each in the order of §1, then by class."""

    def place(row: int) -> tuple[Any, ...]:
        at, case, time, begin, constituents, name, key, publication = rows[row]
        ids = [one["key"] for one in constituents or ()]
        return at, _PLACES.get(case, 2), time, begin, constituents is not None, ids, name, key, publication

    rows = list(rows_of(notices, AT, CASE, TIME, "begin", "constituents", CLASS, KEY, PUBLICATION))
    return sorted(range(len(rows)), key=place)


def _why(
    at: int, constituents: list[dict[str, str]] | None, old: list[dict[str, str]] | None, changes: Changes
) -> list[dict[str, str]] | None:
    """Those that an event is or was made of, and that changed at its step; none, if that is not known.

    Moments in time are of no class, and never change.
    """
    if constituents is None and old is None:
        return None
    parts = {(one["class"], one["key"]) for one in (*(constituents or ()), *(old or ()))}
    changed = sorted((name, key) for name, key in parts if (name, key, at) in changes)
    return [{"class": name, "key": key} for name, key in changed]
