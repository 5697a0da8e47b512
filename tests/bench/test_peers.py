"""The peers find what we find: only then can their speed be compared with ours."""

from __future__ import annotations

import mmap
import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from bench import workloads
from bench.peers import in_java, in_sql, inputs, matching, ourselves, sides, turns
from bench.peers.asked import Asked
from bench.peers.orders import EndedError, Ordered, ordered
from bench.peers.sides import Ready, Side

EVENTS = 100_000
IN_JAVA = (
    in_java.flink("heap")[0],
    in_java.flink("rocksdb")[1],
    in_java.flink_sql()[1],
    in_java.esper()[1],
    in_java.siddhi()[1],
)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> inputs.Inputs:
    return inputs.prepare(tmp_path_factory.mktemp("events"), EVENTS)


def agrees(side: Side, name: workloads.Name, given: inputs.Inputs, least: int = 300) -> None:
    workload = workloads.named(name)
    expected = matching.of_rows(workload.by_hand(ourselves.CONTEXT, given.columns()))
    assert expected.count > least
    with side.start(workload, given) as ready:
        assert ready.check() == expected
        assert ready.run() == expected.count


@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W4"])
@pytest.mark.parametrize("side", [in_sql.in_duckdb(), ourselves.in_one_process()], ids=lambda side: side.name)
def test_in_this_process(side: Side, name: workloads.Name, given: inputs.Inputs):
    agrees(side, name, given)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W4"])
@pytest.mark.parametrize("side", IN_JAVA, ids=lambda side: side.name)
def test_in_java(side: Side, name: workloads.Name, given: inputs.Inputs):
    if name in side.cannot:
        pytest.skip("cannot be said")
    if "rocksdb" in side.name:
        agrees(side, name, given.first(given.count // 5), least=15)  # it is slow
    else:
        agrees(side, name, given)


def test_no_two_events_are_simultaneous(given: inputs.Inputs):
    assert (np.diff(given.columns().times) > 0).all()


def test_memory_is_the_most_that_was_held_since_it_was_last_forgotten():
    me = [psutil.Process()]
    sides.forget_peaks(me)
    before = sides.peak_memory(me)
    with mmap.mmap(-1, 200_000_000) as held:  # goes back to the system at once, as freed memory may not
        for _ in range(200):
            held.write(b"1" * 1_000_000)
    assert sides.peak_memory(me) > before + 150_000_000
    sides.forget_peaks(me)
    assert sides.peak_memory(me) < before + 100_000_000


def test_which_matches_there_are_makes_a_difference_and_their_order_does_not():
    rows = np.array([[1, 5], [2, 6], [3, 7]])
    assert matching.of_rows(rows) == matching.of_rows(rows[::-1])
    for other in ([[1, 5], [2, 6], [3, 8]], [[5, 1], [2, 6], [3, 7]], [[1, 6], [2, 5], [3, 7]]):
        assert matching.of_rows(np.array(other)) != matching.of_rows(rows)


def test_a_peer_that_fails_says_why(given: inputs.Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fails = tmp_path / "java"
    fails.write_text("#!/bin/sh\necho 'no memory' >&2\nexit 1\n")
    fails.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(in_java, "compiled", lambda _: ["classes"])
    with (
        pytest.raises(RuntimeError, match="the peer Esper has ended:\nno memory"),
        in_java.esper()[0].start(workloads.named("W1"), given),
    ):
        pass


PEER = """
import json, sys
for number, line in enumerate(sys.stdin):
    print(json.dumps({"matches": number, "sum": 0}), flush=True)
"""


def test_a_process_is_warm_for_whoever_comes_second_and_is_started_anew_when_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def started(*_: object, patience: float | None = None) -> AbstractContextManager[Ordered]:
        return ordered("peer", [sys.executable, "-c", PEER], patience=patience)

    monkeypatch.setattr(in_java, "started", started)
    process, asked = in_java.Process("Esper"), Asked(["A"], frozenset("A"), [])
    with process.ready(asked, tmp_path, 9, 1) as one, process.ready(asked, tmp_path, 9, 2) as two:
        assert (one.warm(), two.warm(), one.run()) == (False, False, 2)
        assert (two.warm(), two.run(), one.run()) == (True, 3, 4)
    process.end()
    assert one.processes() == []
    with process.ready(asked, tmp_path, 9, 1) as anew:
        assert (anew.warm(), anew.run()) == (False, 1)
        for running in anew.processes():
            running.kill()
        with pytest.raises(EndedError):
            anew.run()
    with process.ready(asked, tmp_path, 9, 1) as anew:
        assert not anew.warm()
    process.end()


@pytest.mark.parametrize(
    ("waited", "short", "little", "going"),
    [(60.0, 10.0, 0, 0), (-1.0, 10.0, 0, 3), (-1.0, 0.0, 0, 0), (60.0, 0.0, 1 << 60, 3)],
    ids=["has not waited", "has waited", "has waited, but runs long", "has given back memory"],
)
def test_who_has_lost_something_runs_once_to_get_going(
    waited: float, short: float, little: int, going: int, monkeypatch: pytest.MonkeyPatch
):
    for name, value in {"WAITED": waited, "SHORT": short, "LITTLE": little}.items():
        monkeypatch.setattr(turns, name, value)
    rested: list[int] = []

    def run() -> int:
        rested.clear()
        return 0

    ready = Ready(run, lambda: matching.NOTHING, list, rest=lambda: rested.append(1), rested=lambda: bool(rested))
    for warm, before in ((False, 2), (True, 1)):
        taken = turns.Turns("Any", "peer", 10, matching.NOTHING)
        taken.begin(replace(ready, warm=partial(bool, warm)))
        for _ in range(3):
            taken.turn(ready)
        assert taken.agrees
        assert (len(taken.warming), len(taken.runs.runs), len(taken.waited)) == (before + going, 3, 3)
