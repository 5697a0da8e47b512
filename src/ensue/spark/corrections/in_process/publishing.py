"""What is told in a window, of the keys that something happens to; what stands of others goes on standing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from math import isinf, isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ensue.model import AttributeType
from ensue.model.publications import Case, Publication
from ensue.spark.corrections.announcing import CLASS, KEY, SAID, TIME
from ensue.spark.corrections.in_process.columns import (
    Parted,
    among,
    between,
    constant,
    identities,
    once,
    rows_of,
    schema_of,
    together,
)
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
from ensue.spark.corrections.publishing import AT, CASE, KIND, NOTICE, PUBLISHED, STANDING, Tell, Told, as_json

_SCHEMA = schema_of(PUBLISHED)
_COMPLETE = "complete"
_ROWS = pa.schema(
    [
        *((name, _SCHEMA.field(name).type) for name in (CLASS, KEY)),
        (FROM, pa.int64()),
        (TO, pa.int64()),
        *((name, _SCHEMA.field(name).type) for name in ("revision", "at", TIME, "begin", "id", SAID, "constituents")),
        (_COMPLETE, pa.bool_()),
    ]
)


def publish(
    derived: Mapping[str, pa.Table], standing: pa.Table | None, classes: Sequence[Told], window: Window
) -> Parted:
    """What is told in a window, and what stands after it, for all classes at once, as on Spark."""
    rows = together([_versions(one, derived[one.name], window) for one in classes], _ROWS)
    named = identities(rows, CLASS, KEY)
    stood, rest = _ROWS.empty_table(), _SCHEMA.empty_table()
    if standing is not None:
        looked_at = among(identities(standing, CLASS, KEY), named)
        stood, rest = standing.filter(looked_at), standing.filter(pc.invert(looked_at))
    alone = pc.and_(once(named), pc.invert(among(named, identities(stood, CLASS, KEY))))
    news = pc.and_(alone, _is_news(rows, window))
    found = [table for one in classes for table in _told_of(one, rows.filter(news))]
    in_order = together([stood, rows.filter(pc.invert(news)).sort_by(FROM)], _ROWS)
    placed = in_order.sort_by([(CLASS, "ascending"), (KEY, "ascending")])  # what is equal stays in its order
    tell = Tell({one.name: one for one in classes}, window.first, window.last, as_it_is=True)
    found += [pa.Table.from_batches([batch]) for batch in tell(placed.to_batches())]
    return Parted(rest, together(found, _SCHEMA))


def _is_news(rows: pa.Table, window: Window) -> pa.ChunkedArray:
    """Which versions came to be known in the window, have occurred by then, and go on: most are like that."""
    since, time = rows.column(FROM), rows.column(TIME)
    known = pc.and_(pc.greater_equal(since, window.first), pc.less_equal(time, since))
    return pc.fill_null(pc.and_(known, pc.is_null(rows.column(TO))), False)


def _told_of(one: Told, news: pa.Table) -> Iterator[pa.Table]:
    """What `telling.Telling` says of such versions, if nothing stands of them: each is told once or not at all."""
    mine = news.filter(pc.equal(news.column(CLASS), one.name))
    delay = pc.subtract(mine.column(FROM), mine.column(TIME))
    on_time = pc.less_equal(delay, one.publishing.tolerance)
    mine = mine.set_column(mine.column_names.index(AT), AT, mine.column(FROM))
    told = on_time
    for publication in one.publishing.cases:
        if publication.case is Case.ON_TIME:
            chosen = on_time
        elif publication.case is Case.LATE:
            chosen = pc.and_(pc.invert(on_time), _covered(delay, publication))
            told = pc.or_(told, chosen)
        else:
            continue
        rows = mine.filter(chosen)
        shown = [
            said if complete else as_json(said, one.attributes) for said, complete in rows_of(rows, SAID, _COMPLETE)
        ]
        told_of = _with(rows, kind=NOTICE, revision=0, publication=publication.name, case=publication.case.value)
        yield told_of.append_column("attributes", pa.array(shown, pa.string()))
    yield _with(mine.filter(told), kind=STANDING, revision=1)


def _covered(delay: pa.ChunkedArray, late: Publication) -> pa.ChunkedArray:
    """`Publication.covers`, for all at once."""
    after = pc.greater(delay, late.least) if late.least is not None else pc.is_valid(delay)
    return pc.and_(after, pc.less_equal(delay, late.most)) if late.most is not None else after


def _with(rows: pa.Table, **values: str | int) -> pa.Table:
    """Rows with the same values in some columns."""
    others = {name: rows.column(name) for name in rows.column_names if name not in values}
    said = {name: constant(rows.num_rows, value, _SCHEMA.field(name).type) for name, value in values.items()}
    return pa.table({**others, **said})


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
    said, complete = _said(mine, one.attributes)
    return pa.table(
        {
            CLASS: constant(mine.num_rows, one.name, pa.string()),
            KEY: mine.column(LIFETIME_KEY),
            FROM: mine.column(FROM),
            TO: mine.column(TO),
            TIME: mine.column(OCCURRED).cast(pa.int64()),
            "begin": mine.column(BEGIN).cast(pa.int64()),
            "id": mine.column(ID),
            SAID: said,
            _COMPLETE: complete,
            "constituents": mine.column(CONSTITUENTS),
        }
    )


def _said(rows: pa.Table, attributes: Mapping[str, AttributeType]) -> tuple[pa.Array, pa.Array]:
    """What `spelled` writes, for all rows at once: JSON of the attributes, and of those that are missing nothing.

    And whether it is also what is shown (`as_json`), in which nothing is left out and times are as people write them.
    """
    parts = []
    shown = AttributeType.TIME not in attributes.values()
    for name, kind in attributes.items():
        values = rows.column(name).cast(pa.int64()) if kind is AttributeType.TIME else rows.column(name)
        texts = map(_WRITERS.get(kind, _whole), values.to_pylist())
        named = f"{encode_basestring(name)}: "
        parts.append([None if text is None else named + text for text in texts])
    listed = list(zip(*parts, strict=True)) if parts else [()] * rows.num_rows
    said = ["{" + ", ".join(filter(None, row)) + "}" for row in listed]
    return pa.array(said, pa.string()), pa.array([shown and None not in row for row in listed], pa.bool_())


def _whole(value: int | None) -> str | None:
    return None if value is None else str(value)


def _truth(value: bool | None) -> str | None:
    return None if value is None else "true" if value else "false"


def _text(value: str | None) -> str | None:
    return None if value is None else encode_basestring(value)


def _number(value: float | None) -> str | None:
    """A number as Spark would write it: there is one zero, and nothing that is no number."""
    if value is None or isnan(value):
        return None
    if isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return repr(value + 0.0)


_WRITERS: Mapping[AttributeType, Callable[[Any], str | None]] = {
    AttributeType.TRUTH: _truth,
    AttributeType.TEXT: _text,
    AttributeType.NUMBER: _number,
}
