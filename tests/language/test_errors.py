"""Errors as data: a text, and for each thing that is wrong with it the code, the place and a part of what is said."""

import re
from pathlib import Path

import pytest

from ensue.errors import PatternError
from ensue.language import parse_pattern, parse_program

HERE = Path(__file__).parent
EXPECTED = re.compile(r"(E\d{3}) (\d+):(\d+) (.+)")


def cases(name):
    content = (HERE / "errors" / f"{name}.txt").read_text(encoding="utf-8")
    for block in content.split("----\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        expected = [match for line in lines if (match := EXPECTED.fullmatch(line))]
        text = "\n".join(lines[len(expected) :])
        yield pytest.param(text, [match.groups() for match in expected], id=text[:60])


def check(error, text, expected):
    found = error.diagnostics
    assert [(problem.code, str(problem.line), str(problem.column)) for problem in found] == [e[:3] for e in expected]
    for problem, (*_, fragment) in zip(found, expected, strict=True):
        assert fragment in problem.render()
        assert problem.source_line == text.split("\n")[problem.line - 1]


@pytest.mark.parametrize(("text", "expected"), list(cases("patterns")))
def test_pattern(text, expected):
    with pytest.raises(PatternError) as caught:
        parse_pattern(text)
    check(caught.value, text, expected)


@pytest.mark.parametrize(("text", "expected"), list(cases("programs")))
def test_program(text, expected):
    with pytest.raises(PatternError) as caught:
        parse_program(text)
    check(caught.value, text, expected)


def test_the_file_is_named():
    with pytest.raises(PatternError) as caught:
        parse_program("CREATE", file="shop.ensue")
    assert str(caught.value).startswith("shop.ensue:1:7: E211")
    with pytest.raises(PatternError) as caught:
        parse_pattern("A and", file="rules/a")
    assert str(caught.value).startswith("rules/a:1:6: E211")


def test_every_code_is_documented():
    sources = Path(__file__).parents[2] / "src" / "ensue" / "language"
    codes = {code for path in sources.glob("*.py") for code in re.findall(r'"(E\d{3})"', path.read_text("utf-8"))}
    documented = (Path(__file__).parents[2] / "docs" / "errors.md").read_text("utf-8")
    assert not {code for code in codes if code not in documented}
