"""A disk that is full: a real one of a few megabytes. The run says so, and goes on when there is space."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.programs.meters import Meters, is_told_clearly

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system in memory, if this user may mount one."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"a disk for the test cannot be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path: Path, leave: int) -> None:
    """Take the space of a disk, all but so many bytes."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, path.stat().st_size - leave))


@pytest.mark.parametrize("left", [0, 120_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (40_000, 300_000))])
def test_a_full_disk_is_told_and_space_lets_the_run_go_on(spark: SparkSession, tmp_path: Path, left: int):
    """However far it comes: before the first file, in the middle of the first micro-batch, after some."""
    meters = Meters(tmp_path / "world")
    meters.feed(4)
    with small_disk(tmp_path / "disk", "4m"):
        meters.data = tmp_path / "disk" / "data"
        meters.data.mkdir()
        ballast = tmp_path / "disk" / "ballast"
        fill(ballast, left)
        error = meters.handle(spark)
        assert error is not None
        is_told_clearly(str(error), "E605")
        assert "no space left" in str(error)
        ballast.unlink()
        assert meters.handle(spark) is None
        assert meters.told() == meters.wanted()
