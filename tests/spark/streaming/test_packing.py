"""Parcels: what was written is read again, to the type, in fewer bytes where numbers lie close together."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import example, given, strategies as st

from ensue.spark.streaming.packing import read, written

KINDS = [pa.int64(), pa.timestamp("us", "UTC"), pa.timestamp("us"), pa.int32(), pa.float64()]
far = st.integers(-(2**63), 2**63 - 1)
near = st.integers(-3, 300)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    count = draw(st.integers(0, 6))
    numbers = draw(st.lists(draw(st.sampled_from([near, far])), min_size=count, max_size=count))
    holes = draw(st.lists(st.booleans(), min_size=count, max_size=count)) if draw(st.booleans()) else [False] * count
    values = [None if hole else number for number, hole in zip(numbers, holes, strict=True)]
    columns = {
        "number": pa.array(values, pa.int64()),
        "time": pa.array(values, pa.int64()).cast(draw(st.sampled_from(KINDS[:3]))),
        "small": pa.array([None if value is None else value % 7 for value in values], pa.int32()),
        "text": pa.array([None if value is None else str(value) for value in values]),
        "double": pa.array([None if value is None else value / 2 for value in values], pa.float64()),
    }
    table = pa.table(columns)
    return pa.concat_tables([table, table]) if draw(st.booleans()) else table


@given(tables())
@example(pa.table({"time": pa.array([2**63 - 1, 2**63 - 256], pa.int64())}))
@example(pa.table({"time": pa.array([-(2**63), 2**63 - 1], pa.int64())}))
@example(pa.table({}))
def test_a_table_comes_back(table):
    again = read(written(table))
    assert again.schema.equals(table.schema)
    assert again.combine_chunks().equals(table.combine_chunks())


def test_numbers_that_lie_close_together_take_little():
    table = pa.table({"time": pa.array(range(10**15, 10**15 + 10_000), pa.int64()), "id": pa.array(range(10_000))})
    assert len(written(table)) < 2 * 2 * 10_000 + 1_000 < table.nbytes / 3
