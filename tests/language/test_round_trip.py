"""Every pattern, expression and program reads back from its canonical text, whatever notation it was written in."""

from pathlib import Path

import pytest
from hypothesis import given
from tests.strategies import expressions, patterns

from ensue.language import parse_expression, parse_pattern, parse_program

HERE = Path(__file__).parent
NOTATIONS = ("canonical", "ehp", "sem", "xc", "mixed")


def pairs(name):
    """The lines of a file: what is written, an arrow, and how it prints (the same, if there is no arrow)."""
    lines = (HERE / "round_trips" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            text, _, canonical = line.partition(" → ")
            yield pytest.param(text, canonical or text, id=f"{name}: {text}")


@pytest.mark.parametrize(("text", "canonical"), [pair for name in NOTATIONS for pair in pairs(name)])
def test_notation(text, canonical):
    pattern = parse_pattern(text)
    assert str(pattern) == canonical
    assert parse_pattern(canonical) == pattern


@pytest.mark.parametrize(("text", "canonical"), list(pairs("conditions")))
def test_condition(text, canonical):
    expression = parse_expression(text)
    assert str(expression) == canonical
    assert parse_expression(canonical) == expression


def programs():
    blocks = (HERE / "programs" / "round_trips.txt").read_text(encoding="utf-8").split("----\n")
    for block in blocks:
        text, _, canonical = block.partition("====\n")
        yield text, canonical.rstrip("\n")


@pytest.mark.parametrize(("text", "canonical"), list(programs()))
def test_program(text, canonical):
    program = parse_program(text)
    assert str(program) == canonical
    assert parse_program(canonical) == program


@given(patterns(max_depth=4))
def test_random_patterns(pattern):
    assert parse_pattern(str(pattern)) == pattern


@given(expressions())
def test_random_expressions(expression):
    assert parse_expression(str(expression)) == expression
