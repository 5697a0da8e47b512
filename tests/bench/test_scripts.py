"""The benchmarks run, on few events; a stand-in takes the engine's place, so that their own code is what is tested."""

import json
import platform

import pytest

from bench import data, kernel, measuring, memory, ours, single, workloads


class StandIn:
    """Has the face of `ensue.Detector`, and finds with the hand-written loops what the whole first table holds."""

    def __init__(self, pattern, *, context, immediate=False):
        self.pattern, self.context, self.immediate = pattern, context, immediate

    def feed(self, events):
        if self.immediate:
            return [events] if events["type"] == "A" else []
        workload = next(w for w in workloads.WORKLOADS if w.pattern == self.pattern)
        return workload.by_hand(self.context, data.Columns.of(events))

    def finish(self):
        return []


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    monkeypatch.setattr(measuring, "one_core", lambda: None)  # the tests' own process is to keep its cores
    return lambda name: json.loads((tmp_path / f"{name}.json").read_text())


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(ours, "Detector", StandIn)


@pytest.fixture
def no_engine(monkeypatch):
    monkeypatch.setattr(ours, "Detector", None)


def test_without_an_engine_only_the_loops_are_measured(no_engine, results):
    assert kernel.main(events=5000, runs=2) == 0
    cases = results("kernel")["results"]
    assert [(c["workload"], c["context"]) for c in cases] == [
        (w.name, context) for w in workloads.WORKLOADS for context in workloads.CONTEXTS
    ]
    assert all(len(c["loop_seconds"]["runs"]) == 2 and c["ratio"] is None for c in cases)


def test_both_sides_are_measured_and_counted(stand_in, results):
    kernel.main(events=50_000, runs=2)
    assert all(len(c["occurrences"]) == 1 and len(c["ratios"]) == 2 for c in results("kernel")["results"])


def test_an_engine_that_finds_something_else_fails(stand_in, monkeypatch):
    monkeypatch.setattr(StandIn, "finish", lambda _: ["one too many"])
    assert kernel.main(events=50_000, runs=1) == 1


def test_memory_is_watched_ten_times(stand_in, results):
    memory.main(events=20_000, batch=1000)
    assert len(results("memory")["results"]["peak_bytes_after_each_tenth"]) == 10


def test_single_events_are_counted(stand_in, results):
    single.main(events=1000, runs=2)
    found = results("single")
    assert len(found["settings"]["patterns"]) == 10
    assert 150 < found["results"]["occurrences"] < 250


@pytest.mark.parametrize("script", [memory, single])
def test_without_an_engine_nothing_is_made_up(script, no_engine, results):
    assert script.main() == 1
    with pytest.raises(FileNotFoundError):
        results(script.__name__.rpartition(".")[2])


def test_results_do_not_name_the_machine():
    assert platform.node() not in json.dumps(measuring.machine())
