"""What a changed program may keep of its data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ensue import StateError
from ensue.language import parse_program
from ensue.spark.programs.kept import Kept, check_same, load, save

PROGRAM = """
CREATE SUBSCRIBED EVENT CLASS Reading(machine TEXT, celsius DOUBLE);
CREATE SUBSCRIBED EVENT CLASS Reset(machine TEXT);
CREATE COMPLEX EVENT CLASS Hot(m TEXT) AS DETECT 3 times Reading(machine = ?m) within 5 minutes;
CREATE COMPLEX EVENT CLASS Failing(m TEXT) AS DETECT Hot(m = ?m) then Reset(machine = ?m) within 1 hour;
CREATE COMPLEX EVENT CLASS Busy(m TEXT) AS DETECT 2 times Reset(machine = ?m) within 1 hour;
"""


def test_tables_that_look_at_a_changed_class_are_not_called_valid():
    old = Kept(parse_program(PROGRAM), {}, 2)
    changed = parse_program(PROGRAM.replace("3 times", "4 times"))
    with pytest.raises(StateError) as raised:
        check_same(old, changed, {}, Path("data"))
    text = str(raised.value)
    assert "changed: Hot" in text
    assert text.endswith("tables stay valid: Reading, Reset, Busy")


def test_the_same_program_goes_on():
    check_same(Kept(parse_program(PROGRAM), {}, 2), parse_program(PROGRAM), {}, Path("data"))


def test_a_data_folder_of_another_version_is_refused(tmp_path: Path):
    """One of version 1 has a checkpoint with other sources."""
    save(tmp_path, Kept(parse_program(PROGRAM), {}, 2))
    about = tmp_path / "run.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "version": 1}))
    with pytest.raises(StateError, match="E503") as raised:
        load(tmp_path)
    assert "--data" in str(raised.value)
