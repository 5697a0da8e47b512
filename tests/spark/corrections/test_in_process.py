"""What small windows keep, without Spark."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ensue.errors import StateError
from ensue.spark.corrections.in_process.columns import INSTANT, read, write


def test_a_state_is_read_as_it_was_written_whatever_the_zone(tmp_path):
    moments = pa.array([0, 1], pa.timestamp("us", "Europe/Vienna"))
    write(pa.table({"at": moments, "parts": pa.array([[{"at": 5}], None])}), tmp_path / "known")
    found = read(tmp_path / "known")
    assert found.schema.field("at").type == INSTANT
    assert found.column("at").cast(pa.int64()).to_pylist() == [0, 1]
    assert found.column("parts").to_pylist() == [[{"at": 5}], None]


@pytest.mark.parametrize("keep", [0, 40, None])
def test_a_damaged_state_is_named(tmp_path, keep):
    folder = tmp_path / "known"
    write(pa.table({"x": list(range(100))}), folder)
    (file,) = folder.iterdir()
    if keep is None:
        file.unlink()
        folder.rmdir()
    else:
        file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(StateError, match=r"E502: .*known is damaged"):
        read(folder)
