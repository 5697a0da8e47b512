"""Cutting a history by key or into slices of time changes no answer: the workers alone, without Spark, many cases."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from hypothesis import assume, given
from tests.spark.worlds import World, keyed_worlds, local_worlds

from ensue.model import Event, Taxonomy
from ensue.model.values import value_key
from ensue.spark.history import Group, groups
from ensue.spark.keys import Key
from ensue.spark.worker import Layout, Work
from ensue.time import to_instant

NAMES = ("v", "w")
KINDS = {"int": pa.int64(), "bigint": pa.int64(), "double": pa.float64(), "text": pa.string(), "truth": pa.bool_()}


def table(world: World, rows: Iterable[tuple[Event, dict[str, int | None]]]) -> pa.Table:
    """Events as a worker gets them, with more columns beside them."""
    listed = list(rows)
    numbers = {kind for columns in world.columns.values() for kind in columns.values()}
    kind = pa.float64() if "double" in numbers else KINDS[min(numbers)]
    columns = {
        "time": pa.array([event.time for event, _ in listed], pa.int64()),
        "id": pa.array([event.id for event, _ in listed], pa.string()),
        "type": pa.array([event.type for event, _ in listed], pa.string()),
        **{name: pa.array([event.attributes[name] for event, _ in listed], kind) for name in NAMES},
    }
    for name in listed[0][1] if listed else ():
        columns[name] = pa.array([more[name] for _, more in listed], pa.int64())
    return pa.table(columns)


def run(world: World, group: Group, parts: list[list[tuple[Event, dict[str, int | None]]]]) -> set[tuple[object, ...]]:
    layout = Layout(
        None, {name: (name,) for name in NAMES}, {}, "time", group.overlap is not None, spanned=group.spanned
    )
    work = Work(group.watched, Taxonomy(), layout, ())
    found: set[tuple[object, ...]] = set()
    for part in parts:
        for batch in work(table(world, part).to_batches()):
            for row in batch.to_pylist():
                parts_of = tuple((p["leaf"], p["id"], to_instant(p["time"])) for p in row["constituents"])
                one = (row["class"], row["id"], to_instant(row["begin"]), to_instant(row["end"]), parts_of)
                assert one not in found, f"reported twice: {one}"
                found.add(one)
    return found


def route(key: Key, event: Event) -> object:
    values = [event.attributes[name] for name in key.routes.get(event.type, ())]
    return None if not values or None in values else tuple(value_key(value) for value in values if value is not None)


@given(world=keyed_worlds())
def test_a_partition_for_each_key(world):
    (group,) = groups(world.watchlist("q").watched, Taxonomy())
    assume(group.key)
    times = [event.time for event in world.events]
    span = {"first": min(times, default=None), "last": max(times, default=None)} if group.spanned else {}
    places: dict[object, list[tuple[Event, dict[str, int | None]]]] = {}
    for event in world.events:
        where = route(group.key, event)
        if where is not None:
            places.setdefault(where, []).append((event, span))
    assert run(world, group, list(places.values())) == world.expected("q")


@given(world=local_worlds())
def test_slices_of_time(world):
    (group,) = groups(world.watchlist("q").watched, Taxonomy())
    assume(not group.key)
    assert group.overlap is not None
    first = min((event.time for event in world.events), default=0)
    width = max(group.overlap + 1, 2_000_000)
    places: dict[int, list[tuple[Event, dict[str, int | None]]]] = {}
    for event in world.events:
        number = (event.time - first) // width
        places.setdefault(number, []).append((event, {"slice": 2 * number + 1}))
        if event.time + group.overlap >= first + (number + 1) * width:
            places.setdefault(number + 1, []).append((event, {"slice": 2 * number + 2}))
    assert run(world, group, [list(reversed(part)) for part in places.values()]) == world.expected("q")
