"""The histories that are varied: what `growth` and `sweeps` look at. No two events of them are simultaneous."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from bench import data

SECOND = 1_000_000
LATEST = 5 * SECOND
"""How late an event may be, in a history out of order."""


def with_keys(events: int, count: int, *, skewed: bool) -> pa.Table:
    """The same rate for each key: with fewer keys, events lie further apart. The first skewed key has about a tenth."""
    chance = np.random.default_rng([3, count, skewed])
    keys = chance.zipf(1.1, events) % count if skewed else chance.integers(0, count, events)
    times = data.FIRST + np.arange(events, dtype=np.int64) * max(1, 7_500_000 // count)
    return _with(data.events(events), time=_stamps(times), key=pa.array(keys))


def out_of_order(events: int, share: float) -> pa.Table:
    """In the order in which they come: some are up to five seconds late."""
    plain = data.events(events, tied=False)
    times = data.Columns.of(plain).times
    chance = np.random.default_rng(5)
    late = np.where(chance.random(events) < share, chance.integers(0, LATEST, events), 0)
    return plain.take(pa.array(np.argsort(times + late, kind="stable"))).combine_chunks()


def with_values(events: int, keys: int = 50, values: int = 50) -> pa.Table:
    """Few keys and few values, independent of each other; twenty events a second."""
    chance = np.random.default_rng(11)
    times = data.FIRST + np.arange(events, dtype=np.int64) * (SECOND // 20)
    some = pa.array(chance.integers(0, values, events).astype(np.float64))
    return _with(data.events(events), time=_stamps(times), key=pa.array(chance.integers(0, keys, events)), value=some)


def _stamps(times: data.Integers) -> pa.Array:
    return pa.array(times).cast(pa.timestamp("us", tz="UTC"))


def _with(table: pa.Table, **columns: pa.Array) -> pa.Table:
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table
