"""Without a Java that Spark can use, every command that needs Spark says which one, and how to get it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ensue.errors import InputError
from ensue.spark.java import check_java, version


def ensue(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ensue", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**{k: v for k, v in os.environ.items() if k != "JAVA_HOME"}, **environment},
    )


@pytest.mark.parametrize("command", ["run", "state"])
def test_no_java(tmp_path: Path, command: str):
    program = tmp_path / "p.ensue"
    program.write_text("CREATE SUBSCRIBED EVENT CLASS A() FROM json OPTIONS (path '.');")
    for name in ("metadata", "offsets", "state"):
        (tmp_path / name).mkdir()
    found = ensue(command, str(program if command == "run" else tmp_path), PATH=str(tmp_path))
    assert found.returncode == 2
    assert "E430: Spark needs Java 17 or newer, and there is no java on the PATH" in found.stderr
    for system in ("Debian", "macOS", "Windows"):
        assert system in found.stderr
    assert "Traceback" not in found.stderr


def fake_java(folder: Path, said: str) -> str:
    (folder / "bin").mkdir()
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    return str(java)


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ("who knows", None),
    ],
)
def test_versions(tmp_path: Path, said: str, number: int | None):
    assert version(fake_java(tmp_path, said)) == number


def test_an_old_java_and_a_wrong_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(InputError, match="which has no bin/java"):
        check_java()
    fake_java(tmp_path, 'openjdk version "11.0.2"')
    with pytest.raises(InputError, match="is Java 11"):
        check_java()
