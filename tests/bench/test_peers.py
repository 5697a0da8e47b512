"""The peers find what we find: only then can their speed be compared with ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import workloads
from bench.peers import in_java, in_sql, inputs, matching, ourselves
from bench.peers.sides import Side

EVENTS = 100_000
IN_JAVA = (
    in_java.flink(1, "heap"),
    in_java.flink(2, "rocksdb"),
    in_java.flink_sql(2),
    in_java.esper(2),
    in_java.siddhi(2),
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
    if side.most == in_java.SLOW:
        agrees(side, name, given.first(given.count // 5), least=15)  # it is slow
    else:
        agrees(side, name, given)


def test_no_two_events_are_simultaneous(given: inputs.Inputs):
    assert (np.diff(given.columns().times) > 0).all()


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
        in_java.esper(1).start(workloads.named("W1"), given),
    ):
        pass
