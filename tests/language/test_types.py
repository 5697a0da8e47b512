"""The names of types: all of them can be written, also those that are called like a part of the grammar."""

from __future__ import annotations

import pytest

from ensue.language import parse_program
from ensue.language.program import TYPES


@pytest.mark.parametrize("name", [spelling for word in TYPES for spelling in (word, word.lower())])
def test_every_type_can_be_written(name):
    program = parse_program(f"CREATE SUBSCRIBED EVENT CLASS Login(user {name});")
    assert program.classes["Login"].attributes == {"user": TYPES[name.upper()]}


@pytest.mark.parametrize("name", ["string", "number", "name", "clock", "instant"])
def test_attributes_may_be_called_like_parts_of_the_grammar(name):
    program = parse_program(f"CREATE SUBSCRIBED EVENT CLASS Login({name} TEXT);")
    assert list(program.classes["Login"].attributes) == [name]
