"""The commands of docs/development.md, in a copy of the checkout; they need a registry, and take minutes."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from tests.documented import DOCS, run_by

ROOT = DOCS.parent
LISTS = ROOT.parent / "shared" / "data"
LOCK, DEMO, WHEEL = run_by("tests/test_development.py", "development.md")
DATA, PICTURE = DEMO.text.splitlines()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What git has, as it is in the checkout, and the environment of the tests."""
    place = tmp_path / "ensue"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes((ROOT / name).read_bytes())
    (place / ".venv").symlink_to(sys.prefix)
    return place


def typed(text: str, folder: Path, path: str = "") -> None:
    search = f"export PATH={path}:$PATH\n" if path else ""
    ran = subprocess.run(["bash", "-eu", "-c", search + text], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def pinned(lock: Path) -> list[str]:
    return re.findall(r"^[\w.-]+==\S+", lock.read_text("utf-8"), re.MULTILINE)


@pytest.mark.slow
def test_the_lock_is_what_pyproject_asks_for_and_a_wheel_is_built(copy: Path, tmp_path: Path):
    """Only versions are compared: a registry may have got further files of them."""
    venv.create(tmp_path / "tools", with_pip=True)
    typed("pip install --quiet uv", tmp_path, str(tmp_path / "tools" / "bin"))
    typed(LOCK.text, copy, str(tmp_path / "tools" / "bin"))
    assert pinned(copy / "requirements.lock") == pinned(ROOT / "requirements.lock")
    typed(WHEEL.text, copy, str(tmp_path / "tools" / "bin"))
    assert list((copy / "dist").glob("ensue-*.whl"))


@pytest.mark.slow
@pytest.mark.skipif(not LISTS.exists(), reason="the lists that ORIGIN.md names are not beside the checkout")
def test_the_data_of_the_demo(copy: Path):
    """The same lists give the same data."""
    data = "src/ensue/demo/data/earthquakes.jsonl.gz"
    (copy / data).unlink()
    (copy / "earthquakes_changes.csv.gz").symlink_to(LISTS / "earthquakes_changes.csv.gz")
    typed(DATA, copy)
    made, kept = (gzip.decompress((place / data).read_bytes()) for place in (copy, ROOT))
    assert made == kept


@pytest.mark.slow
def test_the_picture_of_the_demo(copy: Path):
    """It is of whichever moment shows most, and so not always the same."""
    picture = copy / "docs" / "pictures" / "demo.svg"
    picture.unlink()
    typed(PICTURE, copy)
    assert "<svg" in picture.read_text("utf-8")
