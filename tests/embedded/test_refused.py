"""What programs can say and no runner does yet is refused, never ignored."""

from __future__ import annotations

import pytest

import ensue
from ensue.errors import PatternError
from ensue.language import parse_program

PROGRAMS = {
    "MUTABLE": "CREATE MUTABLE SUBSCRIBED EVENT CLASS A(code TEXT) ID (code);",
    "LIFESPAN": "CREATE SUBSCRIBED EVENT CLASS A(code TEXT) LIFESPAN 2 days;",
}


@pytest.mark.parametrize("word", PROGRAMS)
def test_corrections_are_refused_in_one_process(word: str):
    program = parse_program(PROGRAMS[word])
    with pytest.raises(PatternError, match=f"E411: A: {word}"):
        ensue.detect("A", [], program=program)
    with pytest.raises(PatternError, match=f"E411: A: {word}"):
        ensue.Detector("A", program=program)
