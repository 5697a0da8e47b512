"""Files of a checkpoint that are torn, empty or gone, as after a power cut: a clear word, and nothing lost or changed.

Put back, the run goes on and ends as if nothing had happened.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.programs.meters import Meters, is_told_clearly

from ensue.spark.programs.damage import damaged

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Fault = Callable[[Path], object]


def sums(path: Path) -> Path:
    return path.with_name(f".{path.name}.crc")


def torn(path: Path) -> None:
    """The second half was never written. Spark's own checksums may be there or not."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def torn_without_sums(path: Path) -> None:
    torn(path)
    sums(path).unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")
    sums(path).unlink()


def gone(path: Path) -> None:
    path.unlink()


def gone_without_sums(path: Path) -> None:
    path.unlink()
    sums(path).unlink(missing_ok=True)


COMMON: list[tuple[str, Fault, str]] = [
    ("state/0/0/LAST.changelog", torn, "changelog is not what was written"),
    ("state/0/0/1.zip", gone, "1.zip is missing"),
    ("state", shutil.rmtree, "state directory"),
    ("offsets/LAST", torn, "offsets/3 is not what was written"),
    ("offsets/LAST", empty, "offsets/3 is empty"),
    ("commits/LAST", empty, "commits/3 is empty"),
    ("sources/0/LAST", empty, "sources/0/2 is empty"),
    ("sources/0/LAST", gone_without_sums, "sources/0/2 is missing"),
    ("metadata", empty, "metadata is empty"),
]
FURTHER: list[tuple[str, Fault, str]] = [
    ("state/0/0/LAST.changelog", torn_without_sums, "its state cannot be read"),
    ("state/0/0/LAST.changelog", gone, "changelog is missing"),
    ("state/0/0/LAST.changelog", gone_without_sums, "changelog"),
    ("state/0/0/1.zip", torn, "1.zip is not what was written"),
    ("state/0/0/SSTs/LAST.sst", torn, "sst is not what was written"),
    ("state/0/0/SSTs/LAST.sst", gone, "sst is missing"),
    ("state/0/_stateSchema", shutil.rmtree, "_stateSchema"),
    ("state/0/_metadata", shutil.rmtree, "metadata"),
    ("offsets/LAST", torn_without_sums, "offsets/3 is not what was written"),
    ("commits/LAST", torn, "commits/3 is not what was written"),
    ("sources/0/LAST", gone, "sources/0/2 is missing"),
    ("metadata", gone_without_sums, "metadata"),
]


def file_of(checkpoint: Path, name: str) -> Path:
    """A file by its name; LAST is the highest number, or any name."""
    place = checkpoint / name
    if "LAST" not in name:
        return place
    found = [path for path in place.parent.glob(place.name.replace("LAST", "*")) if not path.name.startswith(".")]
    return max(found, key=lambda path: (int(path.stem) if path.stem.isdigit() else 0, path.name))


@pytest.fixture
def meters(tmp_path: Path) -> Meters:
    return Meters(tmp_path)


@pytest.mark.parametrize("faults", [COMMON, pytest.param(FURTHER, marks=pytest.mark.slow)], ids=["common", "further"])
def test_every_damage_is_told_and_harms_nothing(
    spark: SparkSession, meters: Meters, tmp_path: Path, faults: list[tuple[str, Fault, str]]
):
    """One world for all faults: what comes before is the slow part, and each fault has to leave it as it was."""
    chance = random.Random(1)
    for _ in range(3):
        meters.more(chance)
    assert meters.handle(spark) is None
    meters.more(chance)
    meters.end()
    checkpoint, copy, before = meters.data / "checkpoint", tmp_path / "copy", meters.told()
    shutil.copytree(checkpoint, copy)
    assert damaged(checkpoint) == []
    unclear = []
    for name, fault, said in faults:
        fault(file_of(checkpoint, name))
        error = meters.handle(spark)
        if error is None or f"{checkpoint} is damaged" not in str(error) or said not in str(error):
            unclear.append((name, fault, error))
        else:
            is_told_clearly(str(error), "E502")
        assert meters.told() == before, name
        shutil.rmtree(checkpoint)
        shutil.copytree(copy, checkpoint)
    assert unclear == []
    assert meters.handle(spark) is None
    assert meters.told() == meters.wanted()


def test_a_checkpoint_older_than_the_tables_is_refused(spark: SparkSession, meters: Meters, tmp_path: Path):
    """Its next batch would have a number that is taken, and other events: two files come at once then."""
    meters.text = meters.text.replace(", maxFilesPerTrigger 1", "")
    chance = random.Random(1)
    meters.more(chance)
    assert meters.handle(spark) is None
    shutil.copytree(meters.data / "checkpoint", tmp_path / "old")
    meters.more(chance)
    assert meters.handle(spark) is None
    meters.end()
    assert meters.handle(spark) is None
    assert meters.told() == meters.wanted()
    before = meters.told()
    shutil.rmtree(meters.data / "checkpoint")
    shutil.copytree(tmp_path / "old", meters.data / "checkpoint")
    error = meters.handle(spark)
    assert error is not None
    is_told_clearly(str(error), "E508")
    assert meters.told() == before
    known = max(int(path.name) for path in (tmp_path / "old" / "offsets").iterdir() if path.name.isdigit())
    assert f"batch=N with N > {known}" in str(error)
    for folder in meters.data.glob("tables/*/batch=*"):
        if int(folder.name[6:]) > known:
            shutil.rmtree(folder)
    assert meters.handle(spark) is None
    assert meters.told() == meters.wanted()
