"""The benchmarks run, on few events; what they write is what was measured."""

import json
import platform
import re
from pathlib import Path

import pytest
from rich.console import Console

from bench import data, kernel, machine, measuring, memory, single, start, workloads


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    monkeypatch.setattr(measuring, "one_core", lambda: None)  # the tests' own process is to keep its cores
    return lambda name: json.loads((tmp_path / f"{name}.json").read_text())


def test_three_sides_are_measured_and_agree(results, monkeypatch, capsys):
    monkeypatch.setattr(measuring, "console", Console(width=80))
    kernel.main(events=50_000, runs=2)
    printed = capsys.readouterr().out
    cases = results("kernel")["results"]
    assert [(case["workload"], case["context"]) for case in cases] == [
        (workload.name, context) for workload in workloads.WORKLOADS for context in workloads.CONTEXTS
    ]
    for case in cases:
        assert len(case["occurrences"]) == 1
        assert all(len(case[f"{side}_seconds"]["runs"]) == 2 for side in ("loop", "engine", "detector"))
        assert len(case["ratios"]) == 2
        assert re.search(rf"{case['workload']} +{case['context']} +{case['occurrences'][0]:,} ", printed)
    assert "…" not in printed


def test_sides_that_do_not_agree_fail():
    case = kernel.Case(workloads.named("W3"), "chronicle")
    table = data.events(50_000)
    case.run_engine(table)
    case.loop.runs.append(case.engine.median)
    assert case.passes()
    case.run_detector(table.slice(0, 40_000))
    assert not case.passes()


def test_memory_is_watched_ten_times_in_both_contexts(results):
    memory.main(events=20_000, batch=1000)
    found = results("memory")["results"]
    assert [watched["context"] for watched in found] == ["chronicle", "recent"]
    for watched in found:
        peaks = watched["peak_bytes_after_each_tenth"]
        assert len(peaks) == 10
        assert watched["baseline_bytes"] <= peaks[0] <= peaks[-1] <= watched["peak_bytes_at_the_end"]


def test_single_events_are_counted(results):
    single.main(events=60, runs=1)
    found = results("single")
    assert len(found["settings"]["patterns"]) == 10
    assert found["results"]["occurrences"] > 0
    assert found["results"]["events_per_second"] > 0


def test_the_start_is_measured_in_fresh_processes(results):
    start.main(runs=1)
    found = results("start")["results"]
    assert 0 < found["import ensue"]["median"] < found["first detect"]["median"]


def test_work_that_had_to_wait_is_called_disturbed():
    alone, waited = measuring.Sample([1.0], [0.99]), measuring.Sample([1.0], [0.6])
    assert not measuring.judge_cores([alone]).disturbed
    assert measuring.judge_cores([alone, waited]).disturbed


def test_results_name_neither_the_machine_nor_a_place():
    for facts in (machine.facts(), *(path.read_text() for path in Path("bench/results").glob("*.json"))):
        text = facts if isinstance(facts, str) else json.dumps(facts)
        assert platform.node() not in text
        assert str(Path.cwd()) not in text
        assert str(Path.home()) not in text
