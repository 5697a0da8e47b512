"""`ensue doctor`: what is wrong is named, with what to do about it."""

import shutil
from importlib import metadata
from pathlib import Path

import pytest

from ensue.cli import _checks
from ensue.cli._checks import Level


def test_a_machine_on_which_the_tests_run_is_well(ensue):
    ran = ensue("doctor", "--quick")
    assert ran.code == 0, ran.out
    assert "all is well" in ran.out
    assert "Spark" not in ran.out


def test_no_java(ensue, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    ran = ensue("doctor")
    assert ran.code == 1
    assert "✗ Java         Spark needs Java 17 or newer, and JAVA_HOME is /nowhere, which has no bin/java" in ran.out
    assert "→ Debian and Ubuntu: sudo apt install" in ran.out
    assert "1 thing to put right" in ran.out


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("pyspark<4.4,>=4.3", None),
        ("pyspark>=99", "and >=99 is supported"),
        ("numba<0.2", "and <0.2 is supported"),
        ("no-such-library>=1", "is not installed"),
    ],
)
def test_versions_of_libraries(monkeypatch, requirement, said):
    monkeypatch.setattr(metadata, "requires", lambda _: [requirement])
    (found,) = _checks.dependencies()
    assert found.level is (Level.FINE if said is None else Level.WRONG)
    assert said is None or said in found.says


def test_a_cache_that_cannot_be_written(monkeypatch):
    monkeypatch.setattr(_checks, "_writable", lambda _: False)
    found = _checks.numba_cache()
    assert found.level is Level.NOTE
    assert "NUMBA_CACHE_DIR" in found.todo


@pytest.mark.parametrize(("free", "level"), [(100 << 20, Level.WRONG), (1 << 30, Level.NOTE), (100 << 30, Level.FINE)])
def test_space_on_disks(monkeypatch, free, level):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: type("Usage", (), {"free": free}))
    assert {one.level for one in _checks.disk()} == {level}


@pytest.mark.parametrize(
    ("available", "level"), [(500 << 20, Level.WRONG), (2 << 30, Level.NOTE), (8 << 30, Level.FINE), (None, Level.NOTE)]
)
def test_memory(monkeypatch, available, level):
    monkeypatch.setattr(_checks, "_available_memory", lambda: available)
    assert _checks.memory().level is level


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", None),
        ("--jars {here} pyspark-shell", None),
        ("--jars /nowhere/kafka.jar pyspark-shell", "there is no file /nowhere/kafka.jar"),
        ("--packages org.apache.spark:spark-sql-kafka-0-10_2.13:{spark} pyspark-shell", None),
        ("--packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.0 pyspark-shell", "is for another Spark"),
        ("--packages io.delta:delta-spark_2.13:4.4.0 pyspark-shell", "io.delta:delta-spark_2.13:4.4.0"),
        ("--jars {here}", "does not end with pyspark-shell"),
        ("--jars 'x", "cannot be read"),
    ],
)
def test_jars_for_spark(monkeypatch, arguments, said):
    named = arguments.format(here=Path(__file__), spark=metadata.version("pyspark"))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", named)
    wrong = [one for one in _checks.jars() if one.level is Level.WRONG]
    assert [one.says for one in wrong] == ([] if said is None else [wrong[0].says])
    assert said is None or said in wrong[0].says
    assert all(one.todo for one in wrong)
