"""Announcements become versions: what nobody says anything about goes on as it is."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ensue.spark.corrections.admitting import (
    COUNT,
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
from ensue.spark.corrections.announcing import CLASS, DETECTED, KEY, OPERATION, RETRACT, SAID, TIME, Announced
from ensue.spark.corrections.in_process.columns import INSTANT, among, constant, identities, schema_of, together
from ensue.spark.corrections.lifetimes import FROM, KEY as LIFETIME_KEY, OCCURRED, TO, TOUCHED

SAYS = (CLASS, KEY, STEP, DETECTED, OPERATION, TIME, SAID)
"""What is read of announcements, beside the attributes."""


def admit(announced: pa.Table, known: pa.Table | None, classes: Sequence[Announced], snapshots: Snapshots) -> pa.Table:
    """The versions of all events that are known, and what became of the announcements, as on Spark."""
    schema = schema_of(admitted_type(classes))
    rows, rest = [announced], schema.empty_table()
    if known is not None:
        shown = pa.chunked_array([[name for name, pairs in snapshots.items() if pairs]], pa.string())
        looked_at = pc.or_(
            among(identities(known, CLASS, KEY), identities(announced, CLASS, KEY)), among(known.column(CLASS), shown)
        )
        rows.append(_as_rows(known.filter(looked_at)))
        rest = untouched(known.filter(pc.invert(looked_at)))
    events = [one.column for one in classes]
    judged = together(rows, _rows_schema(schema, events))
    placed = judged.sort_by([(CLASS, "ascending"), (KEY, "ascending")])  # the judge puts steps in order
    judge = Judge({one.name: one for one in classes}, snapshots)
    found = [pa.Table.from_batches([batch]) for batch in judge(placed.to_batches())]
    return together([rest, *found], schema)


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
    mine = admitted.filter(
        pc.and_(pc.equal(admitted.column(KIND), VERSION), pc.equal(admitted.column(CLASS), one.name))
    )
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
