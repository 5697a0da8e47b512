"""Whatever is written, nothing but a clean error comes out, and what is read prints and reads back."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.strategies import patterns

from ensue.errors import EnsueError
from ensue.language import parse_expression, parse_pattern, parse_program

HERE = Path(__file__).parent


def written():
    """Every text that the other tests read, valid or not."""
    for path in sorted(HERE.glob("*/*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from line.split(" → ")


TEXTS = sorted(set(written()))
PIECES = sorted({piece for text in TEXTS for piece in re.findall(r"\w+|\s|[^\w\s]", text)} | {"\0", "𝑥", "1e999", "é"})

soup = st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)
glued = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@st.composite
def mutated(draw, texts):
    """A text with some of its pieces left out, doubled, exchanged or replaced."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", draw(texts))
    for _ in range(draw(st.integers(1, 4))):
        if not pieces:
            break
        index = draw(st.integers(0, len(pieces) - 1))
        other = draw(st.integers(0, len(pieces) - 1))
        match draw(st.sampled_from(["remove", "double", "exchange", "replace", "insert"])):
            case "remove":
                del pieces[index]
            case "double":
                pieces[index:index] = pieces[index : other + 1]
            case "exchange":
                pieces[index], pieces[other] = pieces[other], pieces[index]
            case "replace":
                pieces[index] = draw(st.sampled_from(PIECES))
            case _:
                pieces.insert(index, draw(st.sampled_from(PIECES)))
    return "".join(pieces)


anything = st.one_of(soup, glued, st.text(max_size=40), mutated(st.sampled_from(TEXTS)), mutated(patterns(3).map(str)))


def check(parse, text):
    try:
        value = parse(text)
    except EnsueError as error:
        codes = [problem.code for problem in error.diagnostics]
        said = str(error)
    else:
        codes = []
        said = str(value)
        assert parse(said) == value
    assert all(code in said for code in codes)


@given(anything)
def test_a_few_texts(text):
    for parse in (parse_pattern, parse_expression, parse_program):
        check(parse, text)


@pytest.mark.slow
@pytest.mark.parametrize("parse", [parse_pattern, parse_expression, parse_program])
@settings(max_examples=10_000)
@given(text=anything)
def test_many_texts(parse, text):
    check(parse, text)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(st.lists(mutated(st.sampled_from(TEXTS)), max_size=6).map(";\n".join))
def test_many_programs(text):
    check(parse_program, text)
