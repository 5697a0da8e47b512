"""Announcements become versions: what nobody says anything about goes on as it is."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ensue.model.announcements import Outcome
from ensue.spark.corrections.admitting import (
    COUNT,
    COUNTED,
    KIND,
    OUTCOME,
    RETRACTED,
    SINCE,
    STEP,
    VERSION,
    Judge,
    Snapshots,
    admitted_type,
)
from ensue.spark.corrections.announcing import CHANGE, CLASS, DETECTED, KEY, OPERATION, RETRACT, SAID, TIME, Announced
from ensue.spark.corrections.in_process.columns import (
    INSTANT,
    Parted,
    among,
    constant,
    identities,
    once,
    schema_of,
    together,
)
from ensue.spark.corrections.lifetimes import FROM, KEY as LIFETIME_KEY, OCCURRED, TO, TOUCHED

SAYS = (CLASS, KEY, STEP, DETECTED, OPERATION, TIME, SAID)
"""What is read of announcements, beside the attributes."""


def admit(announced: pa.Table, known: pa.Table | None, classes: Sequence[Announced], snapshots: Snapshots) -> Parted:
    """The versions of all events that are known, and what became of the announcements, as on Spark."""
    schema = schema_of(admitted_type(classes))
    about = identities(announced, CLASS, KEY)
    rows, rest = [], schema.empty_table()
    unheard = once(about)
    if known is not None:
        shown = pa.chunked_array([[name for name, pairs in snapshots.items() if pairs]], pa.string())
        named = identities(known, CLASS, KEY)
        looked_at = pc.or_(among(named, about), among(known.column(CLASS), shown))
        rows.append(_as_rows(known.filter(looked_at)))
        rest = untouched(known.filter(pc.invert(looked_at)))
        unheard = pc.and_(unheard, pc.invert(among(about, named.filter(looked_at))))
    plain = pc.and_(unheard, _plain(announced, classes, snapshots))
    rows.append(announced.filter(pc.invert(plain)))
    events = [one.column for one in classes]
    judged = together(rows, _rows_schema(schema, events))
    placed = judged.sort_by([(CLASS, "ascending"), (KEY, "ascending")])  # the judge puts steps in order
    judge = Judge({one.name: one for one in classes}, snapshots)
    found = [pa.Table.from_batches([batch]) for batch in judge(placed.to_batches())]
    new = announced.filter(plain)
    return Parted(rest, together([_as_versions(new), _as_outcomes(new), *found], schema))


def _plain(announced: pa.Table, classes: Sequence[Announced], snapshots: Snapshots) -> pa.ChunkedArray:
    """Which announcements would be versions if nothing else was said of their events: nothing is wrong with them."""
    named = announced.column(CLASS)
    lived = pc.subtract(announced.column(STEP), announced.column(TIME))
    plain = pa.chunked_array([constant(announced.num_rows, False, pa.bool_())])
    for one in classes:
        if one.name not in snapshots:
            span = one.subscription.lifespan
            lives = pc.is_valid(lived) if span is None else pc.less_equal(lived, span)
            plain = pc.or_(plain, pc.and_(pc.equal(named, one.name), lives))
    return pc.fill_null(pc.and_(plain, pc.not_equal(announced.column(OPERATION), RETRACT)), False)


def _as_versions(new: pa.Table) -> pa.Table:
    """Announcements of which each is the only one of its event."""
    columns = {FROM: new.column(STEP), TOUCHED: constant(new.num_rows, True, pa.bool_())}
    columns |= {KIND: constant(new.num_rows, VERSION, pa.string()), SAID: pc.fill_null(new.column(SAID), "")}
    kept = {name: new.column(name) for name in new.column_names if name not in columns}
    return pa.table({**kept, **columns})


def _as_outcomes(new: pa.Table) -> pa.Table:
    """How many of them there are, by class and outcome."""
    changes, late = pc.equal(new.column(OPERATION), CHANGE), pc.not_equal(new.column(DETECTED), new.column(STEP))
    said = pc.if_else(changes, Outcome.CHANGED_UNKNOWN.value, Outcome.ANNOUNCED.value)
    backwards = constant(new.num_rows, Outcome.BACKWARDS.value, pa.string())
    listed = [pa.table({CLASS: new.column(CLASS), OUTCOME: said})]
    listed.append(pa.table({CLASS: new.column(CLASS), OUTCOME: backwards}).filter(late))
    sums = pa.concat_tables(listed).group_by([CLASS, OUTCOME]).aggregate([([], "count_all")])
    counts = sums.rename_columns([COUNT if name == "count_all" else name for name in sums.column_names])
    return counts.append_column(KIND, constant(counts.num_rows, COUNTED, pa.string()))


def _rows_schema(schema: pa.Schema, events: Sequence[str]) -> pa.Schema:
    number, text = pa.int64(), pa.string()
    kinds = {CLASS: text, KEY: text, STEP: number, DETECTED: number, OPERATION: pa.int32(), TIME: number, SAID: text}
    return pa.schema([*kinds.items(), (SINCE, number), *((name, schema.field(name).type) for name in events)])


def _as_rows(known: pa.Table) -> pa.Table:
    retracts = pc.if_else(pc.equal(known.column(KIND), RETRACTED), RETRACT, 0)
    return known.append_column(OPERATION, retracts).append_column(SINCE, known.column(FROM))


def untouched(rows: pa.Table) -> pa.Table:
    """Rows of the window before, as those of this one."""
    place = rows.column_names.index(TOUCHED)
    return rows.set_column(place, TOUCHED, constant(rows.num_rows, False, pa.bool_()))


def known_after(admitted: pa.Table) -> pa.Table:
    """What the next window has to know: the versions that hold, and the remembered retractions."""
    kind = admitted.column(KIND)
    holds = pc.and_(pc.equal(kind, VERSION), pc.is_null(admitted.column(TO)))
    return admitted.filter(pc.or_(pc.equal(kind, RETRACTED), holds))


def lifetimes_of(admitted: pa.Table, one: Announced) -> pa.Table:
    """The versions of one class's events."""
    seen = admitted.select([KEY, FROM, TO, TOUCHED, TIME, one.column])
    mine = seen.filter(pc.and_(pc.equal(admitted.column(KIND), VERSION), pc.equal(admitted.column(CLASS), one.name)))
    event = mine.column(one.column)
    return pa.table(
        {
            LIFETIME_KEY: mine.column(KEY),
            FROM: mine.column(FROM),
            TO: mine.column(TO),
            TOUCHED: mine.column(TOUCHED),
            OCCURRED: mine.column(TIME).cast(INSTANT),
            **{name: pc.struct_field(event, place) for place, name in enumerate(one.attributes)},
        }
    )


def outcomes_of(admitted: pa.Table) -> dict[str, int]:
    """How many announcements had which outcome."""
    counted = admitted.select([OUTCOME, COUNT]).filter(pc.is_valid(admitted.column(OUTCOME)))
    sums = counted.group_by(OUTCOME).aggregate([(COUNT, "sum")])
    return dict(zip(sums.column(OUTCOME).to_pylist(), sums.column(f"{COUNT}_sum").to_pylist(), strict=True))
