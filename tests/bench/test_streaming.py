"""The streaming benchmark: what it measures is what it says, and the sides between topics find what we find."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from bench import data, streaming, workloads
from bench.data import TYPES
from bench.peers import inputs, matching, ourselves
from bench.peers.orders import ordered
from bench.streams import paced, sides
from bench.streams.asking import Asking
from bench.streams.judging import AtRate, Paced, Taken, falls_behind, waits
from bench.streams.topics import parsed, topics
from bench.streams.watching import size, watching

ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"heard": line.split()}), flush=True)
"""


def expected(name: workloads.Name, events: int) -> matching.Matches:
    columns = inputs.Inputs(Path(), events).columns()
    return matching.of_rows(workloads.named(name).by_hand(ourselves.CONTEXT, columns))


def test_a_wait_is_from_the_last_event_to_the_publication_and_those_before_are_left_out():
    lines = [
        '1900 {"constituents": [{"id": "0"}, {"id": "1"}]}',
        '2500 {"class": "x", "constituents": [{"id": "1"}, {"id": "3"}]}',
    ]
    published = parsed("\n".join(lines), 2)
    put = np.array([1000, 1100, 1200, 2000])
    assert waits(put, published, 0).tolist() == [0.8, 0.5]
    assert waits(put, published, 2).tolist() == [0.5]


def test_waits_that_grow_fall_behind_and_long_ones_do_not():
    assert falls_behind(np.linspace(0.1, 4, 100))
    assert not falls_behind(np.full(100, 3.0))
    assert not falls_behind(np.array([]))


def test_nothing_published_is_no_error():
    assert parsed("", 3).places.shape == (0, 3)
    assert len(waits(np.array([1]), parsed("", 3), 0)) == 0


def test_a_rate_is_kept_up_with_if_it_was_in_most_of_the_runs():
    at = AtRate(1000, [Paced(0.1, 0.4, kept_up=True), Paced(0.3, 0.6, kept_up=True), Paced(0.2, 0.5, kept_up=True)])
    assert (at.p50, at.p99, at.kept_up) == (0.2, 0.5, True)
    at.runs += [Paced(9, 9, kept_up=False)] * 2
    assert (at.missed, at.summary()["kept_up"]) == (2, True)
    at.runs += [Paced(9, 9, kept_up=False)] * 2
    assert (at.missed, at.summary()["kept_up"]) == (4, False)
    assert not AtRate(1000, [Paced(9, 9, kept_up=False)]).kept_up


def test_who_was_fed_inside_a_program_has_drained_nothing():
    taken = Taken(sides.in_process()[0], rates=[AtRate(10, [Paced(0.1, 0.2, kept_up=True)])])
    assert taken.summary().keys() == {"side", "kind", "agrees", "rates"}
    taken.drains.runs += [2.0]
    taken.events = 10
    assert taken.summary()["events_per_second"] == 5.0
    assert "starts" not in taken.summary()


def test_who_could_not_keep_up_in_most_runs_is_not_asked_again():
    taken = [Taken(sides.on_spark()), Taken(sides.flink("heap", 2))]
    asked = []
    with ordered("echo", [sys.executable, "-c", ECHO]) as process:
        for one, _, at in streaming._turns([10, 20], 3, [(one, process) for one in taken]):
            at.runs.append(Paced(0, 0, kept_up=one is taken[0] or at.rate == 10))
            asked.append((taken.index(one), at.rate))
    assert asked.count((0, 20)) == 3
    assert asked.count((1, 20)) == 2  # of three: it could not in most of them


def test_orders_are_answered_and_an_end_is_told_with_its_reason():
    with ordered("echo", [sys.executable, "-c", ECHO]) as process:
        assert process.order("put", 3)["heard"] == ["put", "3"]
    assert process.process.returncode is not None
    with (
        ordered("broken", [sys.executable, "-c", "raise SystemExit('no memory')"]) as process,
        pytest.raises(RuntimeError, match="broken has ended:\nno memory"),
    ):
        process.answer()


def test_memory_and_state_are_the_most_that_was_seen(tmp_path):
    with watching(lambda: [psutil.Process()], tmp_path) as seen:
        (tmp_path / "state").write_bytes(bytes(1000))
        time.sleep(0.5)
        (tmp_path / "state").unlink()
    assert seen.state == 1000
    assert size(tmp_path) == 0
    assert seen.memory > 1e6
    assert seen.processor >= 0


def test_folders_that_go_away_while_they_are_looked_at_count_nothing(tmp_path, monkeypatch):
    look = os.scandir

    def too_late(path: Path) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "gone":
            (Path(path) / "state").unlink()
            Path(path).rmdir()
        return look(path)

    for name in ("gone", "here"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "state").write_bytes(bytes(1000))
    monkeypatch.setattr(os, "scandir", too_late)
    assert size(tmp_path) == 1000


@pytest.mark.parametrize("name", ["W1", "W3", "W4"])
@pytest.mark.parametrize("make", [paced.one_by_one, paced.what_has_come])
def test_a_detector_at_a_pace_tells_what_the_loop_finds(name, make, tmp_path):
    given = inputs.Inputs(tmp_path, 20_000).in_columns()
    asking = Asking(str(workloads.named(name).pattern), TYPES, str(given.plain), 20_000)
    told = paced.pace(make(asking, asking.events()), 18_000, 20_000, 10_000, 1 if make is paced.one_by_one else 5000)
    assert matching.Matches(told["matches"], told["sum"]) == expected(name, 20_000)
    assert told["seconds"] > 0.19
    assert 0 < told["p50"] <= told["p99"]
    assert told["state"] > 1000


def test_what_is_asked_is_read_as_it_was_written_and_events_are_those_of_the_file(tmp_path):
    given = inputs.Inputs(tmp_path, 500).in_columns()
    asking = Asking({"0": "A", "1": "B"}, TYPES, str(given.plain), 300)
    assert Asking.read(asking.write(tmp_path / "asking")) == replace(asking, names=list(TYPES))
    assert asking.events().drop_columns("id").equals(data.events(300, tied=False))
    assert asking.events().column("id").to_pylist() == list(map(str, range(300)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "name"),
    [(sides.on_spark(), "W1"), *((sides.flink("rocksdb", 2), name) for name in ("W1", "W2", "W3", "W4"))],
    ids=lambda one: getattr(one, "name", one),
)
def test_between_topics(side, name, tmp_path):
    given = inputs.Inputs(tmp_path, 60_000).in_columns()
    with topics(tmp_path, given.plain) as kafka:
        bench = streaming.Bench(workloads.named(name), kafka, tmp_path)
        kafka.fill("all", 60_000)
        taken = Taken(side, 60_000)
        with side.start(bench.workload, [kafka.servers]) as process:
            bench.drain(taken, process)
            assert taken.agrees
            assert bench.expected(60_000).count > 50
            assert kafka.count("all") == 60_001


@pytest.mark.slow
@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W4"])
@pytest.mark.parametrize("side", sides.in_process(), ids=lambda side: side.name)
def test_inside_a_program(side, name, tmp_path):
    if name in side.cannot:
        pytest.skip("cannot be said")
    given = inputs.Inputs(tmp_path, 50_000).in_columns()
    with side.start(workloads.named(name), [str(given.count), str(given.plain)]) as process:
        process.answer()
        told = process.order("run", given.plain, given.count, 1, 30_000, 40_000, 20_000)
    assert matching.Matches(told["matches"], told["sum"]) == expected(name, 40_000)
    assert told["matches"] > 10
    assert 0 < told["p50"] <= told["p99"]
