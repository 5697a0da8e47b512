"""The command line as a person starts it."""

import subprocess
import sys

import ensue


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "ensue", *arguments], capture_output=True, text=True, check=False)


def test_version():
    result = run("--version")
    assert (result.returncode, result.stdout.strip()) == (0, ensue.__version__)


def test_help_names_the_commands():
    result = run("--help")
    assert result.returncode == 0
    assert all(command in result.stdout for command in ("demo", "test", "lint"))


def test_unknown_command_is_wrong_input():
    result = run("dtect")
    assert result.returncode == 2
    assert "dtect" in result.stdout + result.stderr
