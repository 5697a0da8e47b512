"""What is told in a window, of the keys that something happens to; what stands of others goes on standing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf, isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ensue.model import AttributeType
from ensue.spark.corrections.announcing import CLASS, KEY, SAID, TIME
from ensue.spark.corrections.in_process.columns import among, between, constant, identities, schema_of, together
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
from ensue.spark.corrections.publishing import CASE, KIND, NOTICE, PUBLISHED, STANDING, Tell, Told, spelled
from ensue.time import to_instant

_SCHEMA = schema_of(PUBLISHED)
_ROWS = pa.schema(
    [
        *((name, _SCHEMA.field(name).type) for name in (CLASS, KEY)),
        (FROM, pa.int64()),
        (TO, pa.int64()),
        *((name, _SCHEMA.field(name).type) for name in ("revision", "at", TIME, "begin", "id", SAID, "constituents")),
    ]
)


def publish(
    derived: Mapping[str, pa.Table], standing: pa.Table | None, classes: Sequence[Told], window: Window
) -> pa.Table:
    """What is told in a window, and what stands after it, for all classes at once, as on Spark."""
    rows = together([_versions(one, derived[one.name], window) for one in classes], _ROWS)
    stood, rest = _ROWS.empty_table(), _SCHEMA.empty_table()
    if standing is not None:
        looked_at = among(identities(standing, CLASS, KEY), identities(rows, CLASS, KEY))
        stood, rest = standing.filter(looked_at), standing.filter(pc.invert(looked_at))
    in_order = together([stood, rows.sort_by(FROM)], _ROWS)
    placed = in_order.sort_by([(CLASS, "ascending"), (KEY, "ascending")])  # what is equal stays in its order
    tell = Tell({one.name: one for one in classes}, window.first, window.last)
    found = [pa.Table.from_batches([batch]) for batch in tell(placed.to_batches())]
    return together([rest, *found], _SCHEMA)


def standing_after(published: pa.Table) -> pa.Table:
    return published.filter(pc.equal(published.column(KIND), STANDING))


def notices_of(published: pa.Table) -> pa.Table:
    return published.filter(pc.equal(published.column(KIND), NOTICE))


def counted(notices: pa.Table) -> dict[str, dict[str, int]]:
    """How many notices there are, by class and case."""
    found: dict[str, dict[str, int]] = {}
    sums = notices.group_by([CLASS, CASE]).aggregate([([], "count_all")])
    for name, case, count in zip(*(column.to_pylist() for column in sums.columns), strict=True):
        found.setdefault(name, {})[case] = count
    return found


def _versions(one: Told, lifetimes: pa.Table, window: Window) -> pa.Table:
    """The versions of keys that something happens to; of the others there is one, and it does not end."""
    time = lifetimes.column(OCCURRED).cast(pa.int64())
    mine = lifetimes.filter(pc.or_(lifetimes.column(TOUCHED), between(time, window.first, window.last)))
    values = [[_plain(value, kind) for value in mine.column(name).to_pylist()] for name, kind in one.attributes.items()]
    rows = zip(*values, strict=True) if values else [()] * mine.num_rows
    said = [spelled(dict(zip(one.attributes, row, strict=True))) for row in rows]
    return pa.table(
        {
            CLASS: constant(mine.num_rows, one.name, pa.string()),
            KEY: mine.column(LIFETIME_KEY),
            FROM: mine.column(FROM),
            TO: mine.column(TO),
            TIME: mine.column(OCCURRED).cast(pa.int64()),
            "begin": mine.column(BEGIN).cast(pa.int64()),
            "id": mine.column(ID),
            SAID: pa.array(said, pa.string()),
            "constituents": mine.column(CONSTITUENTS),
        }
    )


def _plain(value: Any, kind: AttributeType) -> Any:
    """A value as Spark would write it: times are counted, there is one zero, and nothing that is no number."""
    if value is None:
        return None
    match kind:
        case AttributeType.TIME:
            return to_instant(value)
        case AttributeType.NUMBER if isnan(value):
            return None
        case AttributeType.NUMBER if isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case AttributeType.NUMBER:
            return value + 0.0
        case _:
            return value
