"""Sessions of commands: how Java and Python workers talk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import json
from pathlib import Path

from ensue.spark.programs.session import session


def same(batches):
    yield from batches


with session("talking", "local[1]") as spark:
    conf = spark.sparkContext.getConf()
    place = conf.get("spark.python.unix.domain.socket.dir")
    found = spark.range(3).mapInArrow(same, "id bigint").count()
    sockets = [] if place is None else [one.is_socket() for one in Path(place).glob(".*.sock")]
print(json.dumps({"found": found, "sockets": sockets, "left": place is not None and Path(place).exists()}))
"""


@pytest.mark.parametrize("fits", [True, False])
def test_sockets_of_the_file_system_are_taken_where_their_names_fit(fits: bool, tmp_path: Path) -> None:
    """In a temporary folder with a long name there can be none: then it goes over TCP."""
    place = Path("/tmp") if fits else tmp_path / ("a-long-name-" * 9)  # noqa: S108 - pytest's own names are long
    place.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, "TMPDIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["found"] == 3
    assert bool(told["sockets"]) is fits
    assert all(told["sockets"])
    assert not told["left"]
