"""What a killed run has noted of files that it never read is taken back, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ensue.spark.corrections.in_step import bring_in_step


def written(base: Path, *names: str) -> None:
    for name in names:
        place, _, number = name.rpartition("/")
        folder = base / "sources" / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / number).write_text(f'v1\n{{"path":"file:///a/{number}","timestamp":1,"batchId":0}}')
        (folder / f".{number}.crc").write_bytes(b"")


def read_up_to(base: Path, batch: int, *lines: str) -> None:
    (base / "offsets").mkdir(exist_ok=True)
    (base / "offsets" / str(batch)).write_text("\n".join(["v1", "{}", *lines]))


def left(base: Path) -> set[str]:
    return {str(one.relative_to(base / "sources")) for one in (base / "sources").glob("*/*")}


def test_a_list_that_no_micro_batch_has_read(tmp_path):
    written(tmp_path, "0/0", "0/1", "0/2", "1/0", "1/1")
    read_up_to(tmp_path, 9, '{"logOffset":0}', '{"logOffset":0}')
    read_up_to(tmp_path, 10, '{"logOffset":1}', '{"logOffset":1}')
    assert [one.name for one in bring_in_step(tmp_path)] == ["2"]
    assert left(tmp_path) == {"0/0", "0/.0.crc", "0/1", "0/.1.crc", "1/0", "1/.0.crc", "1/1", "1/.1.crc"}
    assert bring_in_step(tmp_path) == []


def test_before_the_first_micro_batch(tmp_path):
    assert bring_in_step(tmp_path) == []
    written(tmp_path, "0/0")
    assert [one.name for one in bring_in_step(tmp_path)] == ["0"]


def test_a_source_of_which_nothing_was_read_yet(tmp_path):
    written(tmp_path, "0/0", "1/0")
    read_up_to(tmp_path, 0, '{"logOffset":0}', "-")
    assert [str(one.relative_to(tmp_path)) for one in bring_in_step(tmp_path)] == ["sources/1/0"]


@pytest.mark.parametrize(("there", "gone"), [(["0/7", "0/8"], []), ([f"0/{n}" for n in range(9)], ["9.compact"])])
def test_a_list_of_all_lists_goes_only_while_these_are_there(tmp_path, there, gone):
    written(tmp_path, *there, "0/9.compact")
    read_up_to(tmp_path, 8, '{"logOffset":8}')
    assert [one.name for one in bring_in_step(tmp_path)] == gone


def test_other_sources_are_left_alone(tmp_path):
    written(tmp_path, "0/0", "0/1")
    kafka = tmp_path / "sources/1/0"
    kafka.parent.mkdir()
    kafka.write_text('v1\n{"orders":{"0":0}}')
    read_up_to(tmp_path, 3, '{"logOffset":0}', '{"orders":{"0":5}}')
    assert [one.name for one in bring_in_step(tmp_path)] == ["1"]
    assert kafka.exists()


def test_where_sources_cannot_be_told_apart(tmp_path):
    written(tmp_path, "0/0", "0/1")
    read_up_to(tmp_path, 3, '{"logOffset":0}', '{"logOffset":0}')
    assert bring_in_step(tmp_path) == []
