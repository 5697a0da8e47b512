"""`ensue init`: what it writes works, and it overwrites nothing."""

import os
import re
import shlex
import subprocess
import sys

import pytest


@pytest.fixture
def project(ensue, tmp_path, monkeypatch):
    ran = ensue("init", tmp_path / "new")
    assert ran.code == 0, ran.err
    monkeypatch.chdir(tmp_path / "new")
    return tmp_path / "new"


def test_its_own_tests_pass(project):
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "4 passed" in run.stdout


def test_the_commands_of_its_readme_do_what_they_say(ensue, project):
    """Those that need Spark are run where Spark is, in tests/spark."""
    commands = re.findall(r"^ensue .*$", (project / "README.md").read_text("utf-8"), re.MULTILINE)
    ran = {}
    for line in commands:
        words = shlex.split(line, comments=True)[1:]
        if words[0] in ("check", "detect", "why-not"):
            ran[words[0]] = ensue(*words)
    assert {one.code for one in ran.values()} == {0}
    assert "fine, 1 subscribed class, 2 complex classes" in ran["check"].out
    assert ran["detect"].out.splitlines()[1].endswith("ann ")
    assert "20 s after `within 2 minutes` had ended" in ran["why-not"].out


def test_nothing_is_overwritten(ensue, project):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    ran = ensue("init", project)
    assert ran.code == 2
    assert ran.err.startswith("E607:")
    assert "is there already, and nothing is overwritten" in ran.err
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_a_file_is_in_the_way_of_the_folder(ensue, tmp_path):
    (tmp_path / "file").write_text("")
    ran = ensue("init", tmp_path / "file")
    assert ran.code == 2
    assert ran.err.startswith("E605:")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(shell, tmp_path):
    home = {**os.environ, "HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    command = [sys.executable, "-m", "ensue", "--install-completion", "--shell", shell]
    run = subprocess.run(command, env=home, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    scripts = [path.read_text("utf-8") for path in tmp_path.rglob("*ensue*") if path.is_file()]
    assert any("why-not" in script and "doctor" in script for script in scripts)


def test_what_it_says_to_type_can_be_typed_from_a_checkout(ensue, tmp_path, monkeypatch):
    monkeypatch.setenv("ENSUE_COMMAND", "/a/checkout/ensue")
    said = ensue("init", tmp_path / "new").out
    assert "  /a/checkout/ensue check logins.ensue\n" in said
    assert f"  {sys.executable} -m pytest\n" in said
