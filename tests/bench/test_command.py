"""`ensue bench` starts the scripts, in a checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ensue


def run(*arguments, **environment):
    command = [sys.executable, "-m", "ensue", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)


def test_a_script_is_started_and_given_the_arguments():
    result = run("kernel", "--events", "many")
    assert result.returncode != 0
    assert "many" in result.stdout + result.stderr


def test_an_unknown_one_is_wrong_input():
    result = run("krnel")
    assert result.returncode == 2
    assert "kernel" in result.stdout + result.stderr


def test_an_installed_package_says_that_it_needs_a_checkout(tmp_path):
    package = Path(ensue.__file__).parent
    installed = tmp_path / "lib" / "python" / "site-packages"
    shutil.copytree(package, installed / "ensue", ignore=shutil.ignore_patterns("__pycache__"))
    result = run("kernel", PYTHONPATH=str(installed))
    assert result.returncode == 2
    assert "needs a checkout" in result.stderr
