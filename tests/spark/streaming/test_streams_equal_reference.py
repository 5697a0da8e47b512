"""However a stream is cut, in whatever order its events come within the delay, and wherever it is restarted, the
streaming operator finds what the reference finds in the whole history. Spark's `TwsTester` stands in for Spark.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.spark.streaming.sweeps import COLUMNS, Stream, streams

from ensue.embedded.detecting import detect
from ensue.testing import EmbeddedRun, Run, StreamRun, assert_same

# a case is a few dozen calls of the operator, each with saving and restoring: half the usual number is a minute
few = settings(max_examples=settings().max_examples // 2)


def run_whole(run: Run, stream: Stream, restarts: bool = False) -> list[object]:
    found: list[object] = []
    for batch in stream.batches:
        if restarts:
            run.restart()
        found += run.feed(list(batch))
    return found + run.finish()


def stream_run(stream: Stream, **options: object) -> StreamRun:
    return StreamRun(stream.pattern, stream.context, delay=stream.delay / 1e6, columns=COLUMNS, **options)  # type: ignore[arg-type]


@few
@given(stream=streams())
def test_streams_equal_the_whole_history(stream: Stream) -> None:
    run = stream_run(stream)
    assert_same(run_whole(run, stream), detect(stream.pattern, stream.events, stream.context))  # type: ignore[arg-type]
    assert run.refused == []


@few
@given(stream=streams(2))
def test_a_restart_at_each_cut_changes_nothing(stream: Stream) -> None:
    found = run_whole(stream_run(stream), stream, restarts=True)
    assert_same(found, run_whole(EmbeddedRun(stream.pattern, stream.context, delay=stream.delay / 1e6), stream))  # type: ignore[arg-type]


@pytest.mark.parametrize("shards", [2, 5])
@few
@given(stream=streams(keyed=True))
def test_shards_change_nothing(shards: int, stream: Stream) -> None:
    run = stream_run(stream, key="v", shards=shards)
    found = run_whole(run, stream, restarts=True)
    assert_same(found, detect(stream.pattern, stream.events, stream.context))  # type: ignore[arg-type]


@few
@given(stream=streams(2))
def test_time_alone_completes_the_same_as_in_one_process(stream: Stream) -> None:
    """No event comes any more, but the clock goes on: timers must be set for whatever it completes."""
    runs: list[Run] = [stream_run(stream), EmbeddedRun(stream.pattern, stream.context, delay=stream.delay / 1e6)]
    found = []
    for run in runs:
        one: list[object] = []
        for batch in stream.batches:
            one += run.feed(list(batch))
        for second in range(11, 31):
            one += run.advance_to(1000 * second)
        found.append(one)
    if stream.events:
        assert_same(*found)  # type: ignore[arg-type]
