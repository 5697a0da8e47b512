"""What is too long or too deep ends in a clean error, and what is just below the limits works."""

import subprocess
import sys

import pytest

from ensue.algebra import scope
from ensue.errors import PatternError
from ensue.language import parse_expression, parse_pattern, parse_program


def refused(text):
    with pytest.raises(PatternError) as caught:
        parse_pattern(text)
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(" * 10_000 + "A" + ")" * 10_000, "E204"),
        ("A(" + "(" * 10_000, "E204"),
        ("{" * 10_000, "E204"),
        ("A then " * 200_000 + "A", "E200"),
        ("A then " * 5_000 + "A", "E205"),
        ("A or " * 1_000 + "A", "E205"),
        ("A" + " within 5" * 1_000, "E205"),
        ("A" + " + 5" * 1_000, "E205"),
        ("2 times " * 1_000 + "A", "E205"),
        ("!" * 1_000 + "A", "E205"),
        ("A(" + "not " * 1_000 + "x)", "E205"),
        ("A(x = " + "- " * 1_000 + "1)", "E205"),
        ("A(x = 1" + " + 1" * 1_000 + ")", "E205"),
        ("A(" + ", ".join(["x = 1"] * 1_000) + ")", "E205"),
        ("A(x = " + "9" * 5_000 + ")", "E212"),
        ("9" * 5_000 + " times A", "E212"),
        ("A within " + "9" * 5_000, "E221"),
        ("A within " + "9" * 5_000 + " days", "E221"),
        ("AT [" + "9" * 5_000 + "] A", "E220"),
        ("A" * 70_000, "E200"),
    ],
)
def test_too_much(text, code):
    assert refused(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100 + "A" + ")" * 100,
        "A then " * 199 + "A",
        "A or " * 199 + "A",
        "!" + "(" * 90 + "A" + ")" * 90 + " & B",
        "A(k in (" + ", ".join(map(str, range(5_000))) + "))",
        "1 of {" + ", ".join(["A"] * 1_000) + "}",
        "2 times (" * 95 + "A" + ")" * 95,
        "last {" * 95 + "A" + "} during day" * 95,
        "last {A} during {" * 95 + "A" + "}" * 95,
        "A(x = " + "(1 + " * 95 + "1" + ")" * 95 + ")",
    ],
)
def test_just_enough(text):
    pattern = parse_pattern(text)
    again = parse_pattern(str(pattern))
    assert again == pattern
    assert hash(again) == hash(pattern)
    assert scope(pattern).sometimes == frozenset()


def test_expressions_have_the_same_limits():
    with pytest.raises(PatternError) as caught:
        parse_expression("x or " * 1_000 + "x")
    assert caught.value.code == "E205"


def test_one_statement_is_as_long_as_a_pattern_but_a_program_may_be_longer():
    declaration = "CREATE SUBSCRIBED EVENT CLASS A{}(x TEXT);\n"
    assert len(parse_program("".join(map(declaration.format, range(3_000)))).statements) == 3_000
    with pytest.raises(PatternError) as caught:
        parse_program("A = B(x = '" + "x" * 70_000 + "');" + declaration.format(1))
    assert [problem.code for problem in caught.value.diagnostics] == ["E200"]
    with pytest.raises(PatternError) as caught:
        parse_program("-" * 5_000_000)
    assert caught.value.code == "E200"


def test_a_program_has_only_so_many_words(monkeypatch):
    monkeypatch.setattr("ensue.language.scanning.MOST_TOKENS", 1_000)
    with pytest.raises(PatternError) as caught:
        parse_program("(" * 1_001)
    assert [(problem.code, problem.column) for problem in caught.value.diagnostics] == [("E200", 1_001)]


def test_importing_the_language_does_not_load_the_parser():
    program = "import sys, ensue.language; print('lark' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
