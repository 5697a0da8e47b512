"""What is forgotten at a point of the grid, the same as on Spark (`ensue.spark.corrections.purging`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from ensue.spark.corrections.admitting import KIND, RETRACTED
from ensue.spark.corrections.announcing import CLASS, DETECTED, KEY, TIME
from ensue.spark.corrections.in_process.admitting import known_after
from ensue.spark.corrections.in_process.columns import among, rows_of
from ensue.spark.corrections.in_process.publishing import standing_after
from ensue.spark.corrections.lifetimes import CONSTITUENTS, KEY as LIFETIME_KEY, OCCURRED, TO
from ensue.spark.corrections.publishing import AT
from ensue.spark.corrections.purging import FOREVER, Grid

Event = tuple[str, str]
"""The class and the key of an event."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a window begins with: what is known of events, which complex events hold, and what is published."""

    known: pa.Table
    derived: Mapping[str, pa.Table]
    standing: pa.Table


def remembered(admitted: pa.Table, derived: Mapping[str, pa.Table], published: pa.Table) -> Remembered:
    """What the next window begins with, from what one has made."""
    held = {name: rows.filter(pc.is_null(rows.column(TO))) for name, rows in derived.items()}
    return Remembered(known_after(admitted), held, standing_after(published))


def purge(before: Remembered, grid: Grid, point: int) -> Remembered:
    """Forget what had expired at a point."""
    parts = _parts(before.derived)
    expiring = _expiring(before.known, grid, parts)
    gone = {event for event, end in expiring.items() if end < point}
    known = before.known.filter(pa.array([not one for one in _over(before.known, grid, gone, point)], pa.bool_()))
    if not before.derived:
        return replace(before, known=known)
    final = {owner for owner, made_of in parts.items() if owner[0] in grid.selected and not gone.isdisjoint(made_of)}
    final |= {event for name in grid.selected for event in _long_past(name, before.derived[name], grid, point)}
    derived = {
        name: _without(rows, {key for owner, key in final if owner == name}) if name in grid.selected else rows
        for name, rows in before.derived.items()
    }
    standing = before.standing
    over = pc.and_(
        pc.is_null(standing.column(TIME)), pc.less(pc.add(standing.column(AT), grid.longest or FOREVER), point)
    )
    ended = [event in final for event in rows_of(standing, CLASS, KEY)]
    return Remembered(known, derived, standing.filter(pc.invert(pc.or_(over, pa.array(ended, pa.bool_())))))


def _parts(derived: Mapping[str, pa.Table]) -> dict[Event, set[Event]]:
    """Which events from outside each complex event is made of, through all classes between."""
    found: dict[Event, set[Event]] = {}
    for name, rows in derived.items():
        for key, constituents in rows_of(rows, LIFETIME_KEY, CONSTITUENTS):
            own = found.setdefault((name, key), set())
            for one in constituents or ():
                event = one["class"], one["key"]
                if event[0] in derived:
                    own |= found.get(event, set())
                else:
                    own.add(event)
    return found


def _expiring(known: pa.Table, grid: Grid, parts: Mapping[Event, set[Event]]) -> dict[Event, int]:
    """When each event expires: at the latest of its own end and those of all that it shares a complex event with."""
    events = known.filter(pc.not_equal(known.column(KIND), RETRACTED))
    own = {(name, key): grid.expires(name, time) for name, key, time in rows_of(events, CLASS, KEY, TIME)}
    expiring = dict(own)
    for made_of in parts.values():
        there = [one for one in made_of if one in own]
        last = max((own[one] for one in there), default=0)
        for one in there:
            expiring[one] = max(expiring[one], last)
    return expiring


def _over(known: pa.Table, grid: Grid, gone: set[Event], point: int) -> list[bool]:
    """Which rows are forgotten: those of events that are gone, and retractions that are old enough."""
    spans = grid.spans
    return [
        (spans.get(name) is not None and detected + spans[name] < point) if kind == RETRACTED else (name, key) in gone
        for kind, name, key, detected in rows_of(known, KIND, CLASS, KEY, DETECTED)
    ]


def _long_past(name: str, rows: pa.Table, grid: Grid, point: int) -> list[Event]:
    """Complex events whose parts are not known, and that occurred so long ago that nothing can be corrected."""
    unknown = rows.filter(pc.is_null(rows.column(CONSTITUENTS)))
    times = unknown.column(OCCURRED).cast(pa.int64())
    past = unknown.filter(pc.less(pc.add(times, grid.longest or FOREVER), point))
    return [(name, key) for key in past.column(LIFETIME_KEY).to_pylist()]


def _without(rows: pa.Table, keys: set[str]) -> pa.Table:
    return rows.filter(pc.invert(among(rows.column(LIFETIME_KEY), pa.chunked_array([list(keys)], pa.string()))))


def without_final(standing: pa.Table, name: str, there: pa.Table) -> pa.Table:
    """What a pattern does not give any more, neither as it is nor as ended, is final."""
    mine = pc.and_(pc.equal(standing.column(CLASS), name), pc.is_valid(standing.column(TIME)))
    given = among(standing.column(KEY), there.column(LIFETIME_KEY))
    return standing.filter(pc.or_(pc.invert(mine), given))
