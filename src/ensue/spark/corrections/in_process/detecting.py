"""The events of a pattern class: the shards do here what they do in Spark's workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ensue.language.program import ComplexClass
from ensue.spark.corrections.detecting import looked_at, work_of
from ensue.spark.corrections.in_process.admitting import untouched
from ensue.spark.corrections.in_process.columns import among, as_plain, constant, together
from ensue.spark.corrections.in_shards import FINAL, LIFE, SAVED, STATE, Besides
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Lifetimes,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.spark.corrections.making import Setting


def detect(
    item: ComplexClass,
    setting: Setting,
    inputs: Mapping[str, Lifetimes],
    state: pa.Table | None,
    before: pa.Table | None,
    window: Window,
    steps: Sequence[int],
) -> tuple[pa.Table, pa.Table, Besides]:
    """The versions of a class's events in a window, the state after it, and what else the shards say."""
    work = work_of(item, setting.program, inputs, window)
    listed = setting.spark.createDataFrame([(step,) for step in steps], "step BIGINT")
    rows = as_plain(looked_at(item, setting.program, inputs, listed, setting.shards).toArrow())
    known = STATE.empty_table() if state is None else state
    shards = sorted({*rows.column("shard").to_pylist(), *known.column("shard").to_pylist()})
    answers = [work(*(table.filter(pc.equal(table.column("shard"), one)) for table in (rows, known))) for one in shards]
    answer = as_plain(together(answers, work.schema))
    what = answer.column("what")
    saved = answer.filter(pc.equal(what, SAVED)).select(STATE.names)
    found = _lifetimes(answer.filter(pc.equal(what, LIFE)), item)
    besides = Besides.of(zip(what.to_pylist(), answer.column("since").to_pylist(), strict=True))
    if before is None:
        return found, saved, besides
    told = answer.filter(pc.is_in(what, pa.array([LIFE, FINAL], what.type))).column("key")
    goes_on = untouched(before.filter(pc.invert(among(before.column(KEY), told))))
    return together([found, goes_on], found.schema), saved, besides


def _lifetimes(lives: pa.Table, item: ComplexClass) -> pa.Table:
    return pa.table(
        {
            KEY: lives.column("key"),
            FROM: lives.column("since"),
            TO: lives.column("until"),
            TOUCHED: constant(lives.num_rows, True, pa.bool_()),
            OCCURRED: lives.column("occurred"),
            **{name: lives.column(f"value{place}") for place, name in enumerate(item.declaration.attributes)},
            ID: lives.column("id"),
            BEGIN: lives.column("begin"),
            CONSTITUENTS: lives.column("constituents"),
        }
    )
