"""What the operator refuses, and how its state lies in Spark's store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ensue.errors import StateError
from ensue.spark.streaming import keeping, processor
from ensue.testing import Clock, EmbeddedRun, StreamRun, assert_same

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
    run.feed([{**clock.event("A", v=1), missing: None}, clock.tick("30 seconds").event("C", v=1)])
    assert [(row["kind"], row["code"]) for row in run.refused] == [("reject", code)]
    assert len(run.finish()) == 1


def test_a_task_that_runs_again_never_meets_the_shard_of_its_first_attempt(clock: Clock):
    """The first attempt leaves its shard in the worker's memory and dies; the state store is as it was before."""
    run = started(clock)
    before = {name: dict(state.state) for name, state in states(run).value_states.items()}
    body = {place: dict(chunks) for place, chunks in states(run).map_states["body"].state.items()}
    batch = [clock.tick("1 second").event("C", v=1)]
    first = run.feed(batch)
    assert run._driver is not None
    for name, values in before.items():
        states(run).value_states[name].state = values
    states(run).map_states["body"].state = body
    again = run._driver.batch(run._table(batch), lambda _: 0)[0]
    assert [row["id"] for row in again.to_pylist()] == [finding.id for finding in first]
    assert run.refused == []


def test_a_shard_in_memory_is_used_when_its_token_is_the_saved_one(clock: Clock, monkeypatch: pytest.MonkeyPatch):
    run = started(clock)
    monkeypatch.setattr(processor.Shard, "restored", None)
    run.feed([clock.tick("1 second").event("A", v=2)])
    processor.forget_live()
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
    processor.forget_live()
    yield run
    processor.forget_live()


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
