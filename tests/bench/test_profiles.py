"""What dominates: processes are looked at as they run, and stacks belong to parts."""

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from bench import parts, profiles, sampling

_GUARD = Path("/proc/sys/kernel/yama/ptrace_scope")
may_look = pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or (os.getuid() != 0 and _GUARD.exists() and _GUARD.read_text().strip() != "0"),
    reason="this system lets nobody but its administrator look at other processes",
)
"""py-spy stops the processes that it looks at, as a debugger does."""

BURN = """
def burn():
    while True:
        sum(range(1000))
burn()
"""


@pytest.fixture
def burning() -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-c", BURN])
    yield psutil.Process(process.pid)
    process.kill()
    process.wait()


@may_look
def test_what_a_process_does_is_seen(burning: psutil.Process):
    with sampling.looking_at([burning]) as seen:
        time.sleep(1)
    frames, _ = seen.python.most_common(1)[0]
    assert frames[-1].startswith("burn ")
    assert not seen.java


@may_look
def test_a_process_that_cannot_be_looked_at_is_told(burning: psutil.Process):
    burning.kill()
    burning.wait()
    with pytest.raises((SystemExit, psutil.Error)), sampling.looking_at([burning]):
        pass


@pytest.mark.parametrize(
    ("frames", "part"),
    [
        (("main (a.py)", "scan (ensue/embedded/reading.py)", "read (pyarrow/parquet/core.py)"), "reading Parquet"),
        (
            ("feed (ensue/embedded/session.py)", "pairs (ensue/engine/nodes/pairs.py)", "where (numpy/x.py)"),
            "finding matches",
        ),
        (("main (a.py)", "wait (b.py)"), parts.REST),
    ],
)
def test_the_innermost_frame_that_says_so_decides(frames: tuple[str, ...], part: str):
    assert parts.part_of(frames, parts.PYTHON) == part


def test_who_waits_does_no_work():
    stacks = {
        ("read (pyarrow/parquet/core.py)",): 3,
        ("run (ensue/spark/worker.py)", "Condition.wait (threading.py)"): 5,
    }
    assert parts.shares(stacks, parts.PYTHON) == {"reading Parquet": 3}


@may_look
def test_a_history_on_spark_is_looked_at_in_python_and_in_java(tmp_path: Path):
    order = ["--events", "300000", "--runs", "4", "--workload", "W1", "--way", "spark", "--way", "one_process"]
    program = f"""
import cyclopts, pathlib
from bench import measuring, profiles
if __name__ == "__main__":
    measuring.RESULTS = pathlib.Path({str(tmp_path)!r})
    cyclopts.run(profiles.main)
"""
    subprocess.run([sys.executable, "-c", program, *order], check=True, cwd=Path(profiles.__file__).parents[1])
    found = json.loads((tmp_path / "profiles.json").read_text())["results"]
    assert [one["side"] for one in found] == ["Ensue on Spark", "Ensue in one process"]
    for one in found:
        assert one["looks"] > 0
        assert sum(one["parts"].values()) == pytest.approx(one["processor"])
    assert any(part.startswith("Java: ") for part in found[0]["parts"])
    assert not any(part.startswith("Java: ") for part in found[1]["parts"])
    stacks = gzip.decompress((tmp_path / "stacks" / "W1_Ensue_on_Spark.txt.gz").read_bytes()).decode()
    assert "org.apache.spark" in stacks
    assert "ensue/" in stacks
