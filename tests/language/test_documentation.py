"""What docs/language.md shows can be read."""

import re
from pathlib import Path

import pytest

from ensue.algebra.printing import RESERVED
from ensue.language import parse_pattern, parse_program

TEXT = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in TEXT.splitlines() if line.startswith("| ")]
EXAMPLES = [row[2].strip().strip("`") for row in ROWS if len(row) == 3 and row[2].strip().startswith("`")]


@pytest.mark.parametrize("example", EXAMPLES)
def test_operator(example):
    pattern = parse_pattern(example)
    assert parse_pattern(str(pattern)) == pattern


def test_every_operator_has_an_example():
    assert len(EXAMPLES) > 20


@pytest.mark.parametrize("program", re.findall(r"```ensue\n(.*?)```", TEXT, re.DOTALL))
def test_program(program):
    assert parse_program(program).complex_classes


def test_the_words_are_listed():
    listed = re.search(r"The words\s+are: (.*?)\.", TEXT, re.DOTALL)
    assert listed
    assert set(re.split(r",\s+", listed[1])) == RESERVED
