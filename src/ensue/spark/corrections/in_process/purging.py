"""What is forgotten at a point of the grid, the same as on Spark (`ensue.spark.corrections.purging`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.spark.corrections.admitting import KIND, RETRACTED
from ensue.spark.corrections.announcing import CLASS, DETECTED, KEY, TIME
from ensue.spark.corrections.in_process.admitting import known_after
from ensue.spark.corrections.in_process.columns import Parted, among, constant, identities, together_again
from ensue.spark.corrections.in_process.publishing import standing_after
from ensue.spark.corrections.lifetimes import CONSTITUENTS, KEY as LIFETIME_KEY, OCCURRED, TO
from ensue.spark.corrections.publishing import AT
from ensue.spark.corrections.purging import FOREVER, Grid

_CLASS, _OWNER, _EVENT, _INNER = "class", "owner", "event", "inner"


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a window begins with: what is known of events, which complex events hold, and what is published."""

    known: pa.Table
    derived: Mapping[str, pa.Table]
    standing: pa.Table


def remembered(admitted: Parted, derived: Mapping[str, Parted], published: Parted) -> Remembered:
    """What the next window begins with, from what one has made."""
    held = {name: together_again(rows.rest, open_rows(rows.found)) for name, rows in derived.items()}
    known = together_again(admitted.rest, known_after(admitted.found))
    return Remembered(known, held, together_again(published.rest, standing_after(published.found)))


def open_rows(lifetimes: pa.Table) -> pa.Table:
    """What has not ended."""
    return lifetimes.filter(pc.is_null(lifetimes.column(TO)))


def purge(before: Remembered, grid: Grid, point: int) -> Remembered:
    """Forget what had expired at a point."""
    parts = _parts(before.derived)
    gone = _gone(before.known, grid, parts, point)
    known = before.known.filter(pc.invert(pc.or_(gone, _over(before.known, grid, point))))
    if not before.derived:
        return replace(before, known=known)
    of_selects = among(parts.column(_CLASS), pa.chunked_array([grid.selected], pa.string()))
    events = identities(before.known.filter(gone), CLASS, KEY)
    ended = parts.filter(pc.and_(of_selects, among(parts.column(_EVENT), events))).column(_OWNER)
    past = [one for name in grid.selected for one in _long_past(name, before.derived[name], grid, point).chunks]
    final = pa.chunked_array([*ended.chunks, *past], pa.string())
    derived = {
        name: rows.filter(pc.invert(among(_named(name, rows), final))) if name in grid.selected else rows
        for name, rows in before.derived.items()
    }
    standing = before.standing
    over = pc.and_(
        pc.is_null(standing.column(TIME)), pc.less(pc.add(standing.column(AT), grid.longest or FOREVER), point)
    )
    left = pc.invert(pc.or_(over, among(identities(standing, CLASS, KEY), final)))
    return Remembered(known, derived, standing.filter(left))


def _parts(derived: Mapping[str, pa.Table]) -> pa.Table:
    """Which events from outside each complex event is made of, through all classes between: a row for each part."""
    found = pa.schema([(name, pa.string()) for name in (_CLASS, _OWNER, _EVENT)]).empty_table()
    names = pa.chunked_array([list(derived)], pa.string())
    for name, rows in derived.items():
        listed = rows.column(CONSTITUENTS).combine_chunks()
        flat = pa.chunked_array([pc.list_flatten(listed)])
        made_of = [pc.struct_field(flat, one) for one in ("class", "key")]
        owners = _named(name, rows).take(pc.list_parent_indices(listed))
        own = constant(len(flat), name, pa.string())
        pairs = pa.table({_CLASS: own, _OWNER: owners, _EVENT: pc.binary_join_element_wise(*made_of, "\0")})
        between = among(made_of[0], names)
        inner = found.select([_OWNER, _EVENT]).rename_columns([_EVENT, _INNER])
        through = pairs.filter(between).join(inner, _EVENT, join_type="inner").drop_columns([_EVENT])
        through = through.rename_columns([_EVENT if one == _INNER else one for one in through.column_names])
        found = pa.concat_tables([found, pairs.filter(pc.invert(between)), through.select(found.column_names)])
    return found


def _named(name: str, rows: pa.Table) -> pa.ChunkedArray:
    """Complex events of a class, as `identities` names them."""
    return pc.binary_join_element_wise(name, rows.column(LIFETIME_KEY), "\0")


def _gone(known: pa.Table, grid: Grid, parts: pa.Table, point: int) -> pa.Array:
    """Which events have expired: at the latest of their own end and those of all that they share an event with."""
    time = pc.fill_null(known.column(TIME), 0).to_numpy()
    events = pc.not_equal(known.column(KIND), RETRACTED).to_numpy()
    own = np.full(known.num_rows, FOREVER, np.int64)
    for name in grid.spans:
        mine = pc.equal(known.column(CLASS), name).to_numpy()
        own[mine] = time[mine] + grid.expires(name, 0)
    there = pc.index_in(parts.column(_EVENT), identities(known, CLASS, KEY).combine_chunks())
    owners = parts.column(_OWNER).combine_chunks().dictionary_encode()
    known_parts = there.is_valid().to_numpy()
    rows, owned = (pc.drop_null(there).to_numpy(), owners.indices.to_numpy()[known_parts])
    held = events[rows]
    rows, owned = rows[held], owned[held]
    last = np.zeros(len(owners.dictionary), np.int64)
    np.maximum.at(last, owned, own[rows])
    expiring = own.copy()
    np.maximum.at(expiring, rows, last[owned])
    return pa.array(events & (expiring < point))


def _over(known: pa.Table, grid: Grid, point: int) -> pa.ChunkedArray:
    """Which rows are of retractions that are old enough."""
    spans = [pc.if_else(pc.equal(known.column(CLASS), name), span, None) for name, span in grid.spans.items()]
    if not spans:
        return pa.chunked_array([constant(known.num_rows, False, pa.bool_())])
    old = pc.less(pc.add(known.column(DETECTED), pc.coalesce(*spans)), point)
    return pc.fill_null(pc.and_(pc.equal(known.column(KIND), RETRACTED), old), False)


def _long_past(name: str, rows: pa.Table, grid: Grid, point: int) -> pa.ChunkedArray:
    """Complex events whose parts are not known, and that occurred so long ago that nothing can be corrected."""
    unknown = rows.filter(pc.is_null(rows.column(CONSTITUENTS)))
    times = unknown.column(OCCURRED).cast(pa.int64())
    return _named(name, unknown.filter(pc.less(pc.add(times, grid.longest or FOREVER), point)))


def without_final(standing: pa.Table, name: str, there: pa.Table) -> pa.Table:
    """What a pattern does not give any more, neither as it is nor as ended, is final."""
    mine = pc.and_(pc.equal(standing.column(CLASS), name), pc.is_valid(standing.column(TIME)))
    given = among(standing.column(KEY), there.column(LIFETIME_KEY))
    return standing.filter(pc.or_(pc.invert(mine), given))
