"""What the operator refuses, and how its state lies in Spark's store."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql import Row

from ensue.algebra import Context
from ensue.errors import StateError
from ensue.spark.streaming import keeping, saved as saving
from ensue.spark.streaming.packing import PLACE, pack, read
from ensue.spark.streaming.processor import ShardProcessor
from ensue.spark.streaming.shard import Shard
from ensue.testing import Clock, EmbeddedRun, StreamRun, assert_same
from ensue.time import parse_instant, to_instant

PAIR = "A(v = ?x) then B(v = ?x) within 10 seconds"


@pytest.fixture
def clock() -> Clock:
    return Clock("2026-07-10T09:00:00Z")


def started(clock: Clock, **options: Any) -> StreamRun:
    run = StreamRun(PAIR, **options)
    run.feed([clock.event("A", v=1), clock.tick("2 seconds").event("B", v=1)])
    return run


def states(run: StreamRun) -> Any:
    assert run._driver is not None
    return run._driver._tester.handle


def test_spark_learns_the_names_of_the_state_without_loading_the_engine(clock: Clock):
    """It starts a process for that with every query, which would pay for the engine anew."""
    run = started(clock)
    assert run._driver is not None
    processor = ShardProcessor(run._driver._plan)
    program = """
import sys
from pyspark import cloudpickle
from pyspark.sql.streaming.tws_tester import TwsTester
handle = TwsTester(cloudpickle.load(sys.stdin.buffer)).handle
print(*handle.value_states, *handle.map_states, {"numba", "lark", "pandas"} & {*sys.modules})
"""
    told = subprocess.run(
        [sys.executable, "-c", program], input=cloudpickle.dumps(processor), capture_output=True, check=True
    )
    assert told.stdout.decode() == "head about body set()\n"


def test_late_events_go_out_with_their_reason_and_change_nothing(clock: Clock):
    run = started(clock, delay="1 second")
    clock.tick("1 minute")
    found = run.feed([clock.event("C", v=1)])
    run.feed([clock.set("2026-07-10T09:00:30Z").event("A", v=9)])
    assert [row["id"] for row in run.late] == ["A4"]
    (refused,) = run.refused
    assert (refused["kind"], refused["code"]) == ("late", "E407")
    assert "too late" in refused["reason"]
    assert_same(found + run.finish(), EmbeddedRun(PAIR).feed([]) + found)


def test_just_within_the_delay_is_not_late(clock: Clock):
    run = started(clock, delay="2 seconds")
    run.feed([clock.set("2026-07-10T09:00:00Z").event("A", v=2)])
    assert run.refused == []


def test_what_was_seen_before_is_refused(clock: Clock):
    run = started(clock, delay="1 minute")
    again = clock.event("B", id="B2", v=1)
    run.feed([again])
    run.restart()
    run.feed([again])
    assert [(row["kind"], row["event"]["id"]) for row in run.refused] == [("duplicate", "B2")] * 2
    assert len(run.finish()) == 1


@pytest.mark.parametrize(
    ("missing", "code"), [("type", "E402"), ("time", "E401"), ("id", "E403")], ids=["type", "time", "id"]
)
def test_an_unusable_row_is_rejected_and_the_stream_goes_on(clock: Clock, missing: str, code: str):
    run = started(clock)
    found = run.feed([{**clock.event("A", v=1), missing: None}, clock.tick("30 seconds").event("C", v=1)])
    assert [(row["kind"], row["code"]) for row in run.refused] == [("reject", code)]
    assert len(found + run.finish()) == 1


def test_what_is_complete_comes_out_with_its_own_batch(clock: Clock):
    run = StreamRun(PAIR, delay="1 second")
    pair = [clock.event("A", v=1), clock.tick("2 seconds").event("B", v=1)]
    (found,) = run.feed([*pair, clock.tick("2 seconds").event("A", v=1)])
    assert found.constituents == ("A1", "B2")
    assert run.finish() == []


def test_what_may_still_grow_waits(clock: Clock):
    """The event behind it is not later by the delay: one that comes then and is earlier is not late."""
    run = StreamRun(PAIR, delay="2 seconds")
    assert run.feed([clock.event("A", v=1), clock.tick("3 seconds").event("B", v=1)]) == []
    assert run.feed([clock.set("2026-07-10T09:00:02Z").event("B", v=1)]) == []
    assert run.refused == []
    assert sorted(one.constituents for one in run.finish()) == [("A1", "B2"), ("A1", "B3")]


@pytest.mark.parametrize("lag", [0, None], ids=["one watermark", "several"])
def test_only_with_one_watermark_a_shard_knows_where_the_next_one_will_be(clock: Clock, lag: int | None):
    run = started(clock)
    assert run._driver is not None
    shard = Shard(replace(run._driver._plan, lag=lag), 0)
    events = [clock.event("A", v=5), clock.tick("1 second").event("B", v=5), clock.tick("1 second").event("B", v=6)]
    outcome = shard.take([run._table(events)], 0)
    later = shard.take([], to_instant(clock.now) // 1000)
    told = [one.occurrences.num_rows for one in (outcome, later)]
    assert told == ([1, 0] if lag == 0 else [0, 1])


def test_a_task_that_runs_again_never_meets_the_shard_of_its_first_attempt(clock: Clock):
    """The first attempt leaves its shard in the worker's memory and dies; the state store is as it was before."""
    run = started(clock)
    before = {name: dict(state.state) for name, state in states(run).value_states.items()}
    body = {place: dict(chunks) for place, chunks in states(run).map_states["body"].state.items()}
    assert run._driver is not None
    tester, table = run._driver._tester, run._table([clock.event("C", v=1)])
    (parcels,) = pack(table.append_column(PLACE, pa.array([0], pa.int32())).to_batches())
    (row,) = [Row(**parcel) for parcel in parcels.to_pylist()]
    assert tester.test(0, [row]) == []
    assert [read(again["parcel"])["kind"].to_pylist() for again in tester.test(0, [row])] == [["duplicate"]]
    for name, values in before.items():
        states(run).value_states[name].state = values
    states(run).map_states["body"].state = body
    assert tester.test(0, [row]) == []


def test_a_shard_in_memory_is_used_when_its_token_is_the_saved_one(clock: Clock, monkeypatch: pytest.MonkeyPatch):
    run = started(clock)
    monkeypatch.setattr(Shard, "restored", None)
    run.feed([clock.tick("1 second").event("A", v=2)])
    saving.forget_live()
    with pytest.raises(TypeError):
        run.feed([clock.tick("1 second").event("A", v=2)])


def test_a_large_state_is_written_in_chunks(clock: Clock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(keeping, "CHUNK_SIZE", 1000)
    run = started(clock)
    run.feed([clock.event("A", v=n) for n in range(300)])
    many = len(states(run).map_states["body"].state[0])
    assert many > 10
    run.restart()
    run.advance_to(clock.tick("1 hour").now)
    run.restart()
    run.advance_to(clock.tick("1 hour").now)
    assert len(states(run).map_states["body"].state[0]) <= many
    run.restart()
    assert run.finish() == []


@pytest.fixture
def saved(clock: Clock) -> Iterator[StreamRun]:
    run = started(clock)
    saving.forget_live()
    yield run
    saving.forget_live()


def test_a_damaged_chunk_is_named(saved: StreamRun, clock: Clock):
    chunks = states(saved).map_states["body"].state[0]
    chunks[(0,)] = (chunks[(0,)][0][:-1] + b"x",)
    with pytest.raises(StateError, match=r"E502.*operator 0, shard 0 of 1, chunk 0 is not what was written"):
        saved.feed([clock.event("A", v=1)])
    del chunks[(0,)]
    with pytest.raises(StateError, match="chunk 0 is missing"):
        saved.feed([clock.event("A", v=1)])


def test_a_state_of_another_version_is_refused(saved: StreamRun, clock: Clock):
    heads = states(saved).value_states["head"].state
    heads[0] = (99, *heads[0][1:])
    with pytest.raises(StateError, match="E503: the checkpoint's state is of version 99"):
        saved.feed([clock.event("A", v=1)])


def test_a_state_of_other_shards_says_how_many(saved: StreamRun, clock: Clock):
    heads, about = (states(saved).value_states[name].state for name in ("head", "about"))
    heads[0] = (heads[0][0], "another plan", *heads[0][2:])
    about[0] = (json.dumps({**json.loads(about[0][0]), "shards": 7}),)
    with pytest.raises(StateError, match="shards was 7 and is 1") as caught:
        saved.feed([clock.event("A", v=1)])
    assert "shards=7" in str(caught.value)


@pytest.mark.parametrize("context", list(Context), ids=lambda context: context.value)
def test_constituents_say_of_which_type_they_are_also_after_a_restart(clock: Clock, context: Context):
    run = StreamRun("A then (B + 3 seconds) within 1 minute", context)
    run.feed([clock.event("A", id="a"), clock.event("C", id="c")])
    for _ in range(2):
        run.restart()
        run.feed([clock.tick("2 seconds").event("C")])
    run.restart()
    run.feed([clock.tick("2 seconds").event("B", id="b")])
    assert run._driver is not None
    run._driver.see(parse_instant("2026-07-10T10:00:00Z"))
    (found,) = run._driver.silence()[0].to_pylist()
    first, second = found["constituents"]
    assert (first["leaf"], first["id"], second["leaf"]) == ("A", "a", None)


def test_types_of_forgotten_events_are_forgotten(clock: Clock):
    run = started(clock)
    sizes = []
    for _ in range(5):
        run.feed([clock.tick("1 second").event("A", v=n) for n in range(50)])
        sizes.append(sum(len(chunk) for (chunk,) in states(run).map_states["body"].state[0].values()))
    for _ in range(40):
        run.feed([clock.tick("1 second").event("A", v=n) for n in range(50)])
    assert sum(len(chunk) for (chunk,) in states(run).map_states["body"].state[0].values()) < 3 * max(sizes)
