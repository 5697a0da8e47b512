"""The same detection on a cluster of two workers, and on one that loses an executor and a worker."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.spark.cluster import driver
from tests.spark.cluster.cluster import Cluster, driver_environment, running_cluster
from tests.spark.programs.meters import Meters
from tests.spark.streaming.feeding import Files, event

import ensue


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running_cluster(tmp_path) as started:
        yield started


def files_of_events(folder: Path, count: int) -> list[dict[str, Any]]:
    """Files of a micro-batch each, with events in an order that the delay allows."""
    chance = random.Random(7)
    files = Files(folder)
    for number in range(count):
        moments = [number * 20 + chance.uniform(0, 20) for _ in range(12)]
        listed = [(moment, chance.choice("AAB"), chance.randrange(3)) for moment in sorted(moments)]
        shown = [event(kind, moment, f"e{number}-{i}", v) for i, (moment, kind, v) in enumerate(listed)]
        shown[2:4] = shown[3:1:-1]
        files.put(shown)
    files.put([event("C", count * 20 + 200, "end")])
    files.put([event("C", count * 20 + 300, "very end")])
    return files.given


def embedded(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found = ensue.detect(driver.PATTERNS, events)
    return sorted((name, one.id) for name, part in found.items() for one in part)


def written(folder: Path) -> list[tuple[str, str]]:
    lines = [line for path in folder.rglob("*.json") for line in path.read_text("utf-8").splitlines()]
    return sorted((one["class"], one["id"]) for one in map(json.loads, lines))


@contextmanager
def driving(cluster: Cluster, folder: Path, *jobs: str, settings: str = "") -> Iterator[Iterator[str]]:
    """The lines that a driver prints; it has to end well."""
    command = [sys.executable, driver.__file__, cluster.master, *jobs]
    environment = {**driver_environment(), "PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell"}
    log = folder / "driver.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, cwd="/"
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield iter(process.stdout)
            process.stdout.read()
            assert process.wait(120) == 0, log.read_text("utf-8")[-4000:]
        finally:
            process.kill()


def test_two_workers_one_of_which_is_lost(cluster: Cluster, tmp_path: Path):
    """A history and a stream; while it runs, kill -9 executors, which are replaced, and then a whole worker."""
    events = files_of_events(tmp_path, 4)
    expected = embedded(events)
    assert len(expected) > 10
    jobs = [f"history:{tmp_path}:history", f"stream:{tmp_path}:stream"]
    lost = []
    with driving(cluster, tmp_path, *jobs) as lines:
        for line in lines:
            if line == "done 0\n":
                assert {len(cluster.executors(worker)) for worker in (0, 1)} == {1}, "both have an executor"
            if line in {"done 0\n", "done 1\n", "done 2\n"}:
                cluster.any_executor().kill()
                lost.append("executor")
            if line == "done 3\n":
                cluster.workers[1].kill()
                lost.append("worker")
    assert lost == ["executor", "executor", "executor", "worker"]
    assert written(tmp_path / "history") == expected
    assert written(tmp_path / "stream") == expected


def test_a_program_that_loses_an_executor(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`ensue run` with another master, and nothing else is different: neither its tables nor its end."""
    for name, value in driver_environment().items():
        monkeypatch.setenv(name, value)
    meters = Meters(tmp_path / "meters")
    meters.feed(4)
    with meters.begin("--once", master=cluster.master) as process:
        while process.poll() is None and not meters.batches():
            time.sleep(0.02)
        assert process.poll() is None
        cluster.any_executor().kill()
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert meters.told() == meters.wanted()


@pytest.mark.slow
def test_executors_are_killed_again_and_again(cluster: Cluster, tmp_path: Path):
    """While micro-batches go on, at random moments; each is replaced, and the driver never notices more than that.

    A stage may fail four times in a row before Spark gives a batch up, so there is a micro-batch between two kills.
    """
    times = 50
    expected = embedded(files_of_events(tmp_path, times + 3))
    chance = random.Random(11)
    killed = 0
    with driving(cluster, tmp_path, f"stream:{tmp_path}:stream") as lines:
        for _ in lines:
            if killed < times:
                time.sleep(chance.random() * 2)
                running = [one for worker in (0, 1) for one in cluster.executors(worker)]
                for one in chance.sample(running, min(1, len(running))):
                    one.kill()
                    killed += 1
    assert killed == times
    assert written(tmp_path / "stream") == expected


@pytest.mark.slow
def test_executors_keep_kernels_where_they_are_told(cluster: Cluster, tmp_path: Path):
    """Each executor has an empty folder of its own and has to compile; that of the installed package is not used."""
    expected = embedded(files_of_events(tmp_path, 2))
    settings = "--conf spark.executorEnv.NUMBA_CACHE_DIR=kernels"
    with driving(cluster, tmp_path, f"history:{tmp_path}:history", settings=settings):
        pass
    assert written(tmp_path / "history") == expected
    kept = [path for work in cluster.work for path in work.rglob("*.nbi")]
    assert kept
    assert all("kernels" in path.parts for path in kept)
