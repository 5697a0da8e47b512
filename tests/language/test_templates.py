"""A text that differs from one before it only in constants is read at once, and read the same as by itself."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st
from tests.language.test_fuzz import anything
from tests.strategies import patterns

from ensue.errors import PatternError
from ensue.language.grammar import tokenize
from ensue.language.reading import PatternReader
from ensue.language.scanning import LONGEST_PATTERN

NUMBERS = ["0", "1", "07", "12", "2026", "1e5", "1E-05", "0.0", "3.50", "1e999", "٣", "9" * 40, "9" * 301]
STRINGS = [
    "''",
    "'a'",
    '"a"',
    "'it''s'",
    "'a' and x = 'b'",
    "'2026-07-10'",
    "'\n'",
    "'--'",
    '"\'"',
    "'" + "x" * 400 + "'",
]


def outcome(reader: PatternReader, text: str) -> str:
    """What comes of reading a text: the pattern, or all that is wrong with it."""
    try:
        return repr(reader.read(text))
    except PatternError as error:
        return repr(error.diagnostics)


def check(first: str, second: str) -> None:
    reader = PatternReader()
    outcome(reader, first)
    assert outcome(reader, second) == outcome(PatternReader(), second)
    assert outcome(reader, first) == outcome(PatternReader(), first)


@st.composite
def pairs(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> tuple[str, str]:
    """A text, and the same with other constants; sometimes what lies between tokens is left out of both."""
    text = draw(texts)
    one, two, end = "", "", 0
    for token in tokenize(text):
        space = text[end : token.start_pos]
        if draw(st.integers(0, 9)) == 0:
            space = draw(st.sampled_from(["", " ", "-", "- ", " - ", ",", ":", "+02"]))
        end = token.end_pos or 0
        before = after = str(token)
        if token.type in ("NUMBER", "STRING") and draw(st.integers(0, 3)):
            choices = NUMBERS if token.type == "NUMBER" or draw(st.integers(0, 9)) == 0 else STRINGS
            before, after = draw(st.sampled_from(choices)), draw(st.sampled_from(choices))
        one, two = one + space + before, two + space + after
    return one + text[end:], two + text[end:]


@given(pairs(patterns(max_depth=3).map(str)))
def test_random_patterns(texts: tuple[str, str]) -> None:
    check(*texts)


@given(pairs(anything))
def test_random_texts(texts: tuple[str, str]) -> None:
    check(*texts)


@given(st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), st.sampled_from(["", " ", "\n"]), st.data())
def test_numbers_beside_what_may_take_them_up(one: str, two: str, space: str, data: st.DataObject) -> None:
    beside = [
        "-",
        "--",
        "2026-",
        "12-",
        "12:",
        "+",
        "1h",
        "09+02",
        "x",
        "x-",
        "1,",
        ".",
        "-12-2026",
        "m",
        "min",
        "e5",
        "µs",
    ]
    before, behind = (
        data.draw(st.sampled_from(["", *beside])),
        data.draw(st.sampled_from(["", *beside, "minutes", "d"])),
    )
    around = data.draw(st.sampled_from(["A(x = {})", "A(x in ({}, 1))", "A(x > 1 + {} and y)", "A[x < {}]"]))
    check(*(around.format(f"{before}{space}{value}{space}{behind}") for value in (one, two)))


@example("A(x = {})")
@example("A(x = --{})")
@example("A(x = - -{}) then B")
@example("A(x = -({}))")
@example("A(x = -(-{}))")
@example("A(x = -(-(-{})))")
@example("A(x > -{}, y between {} and {})")
@example("A(t > time('{}'))")
@example("A(x like '{}', y = '{}')")
@example("A(a = 1h{})")
@example("{} times A(x = {})")
@example("A(x = {}) before 2026-07-{}")
@example("A(x = {}) then B within {} minutes")
@example("A(x = {} ) /* {} */ and B(y = '{}') -- {}")
@example("A(x = ?x) then B(x = ?y) within 1 s where ?x + {} < ?y * {}")
@example("A(x = {}) during {}")
@given(st.just("A"))
def test_each_place_of_a_number(text: str) -> None:
    for one in ("0", "1", "12", "2026", "1e5"):
        for two in ("0", "1", "12", "2026", "0.0", "1e5", "x", "", "9" * 301):
            check(text.replace("{}", one), text.replace("{}", two))


def test_rules_of_one_shape_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = PatternReader()
    reader.read("A(x = 1, y = 'a') then B(z > -1.5) within 1 minute")
    monkeypatch.setattr("ensue.language.reading.scan", None)
    found = reader.read("A(x = 20, y = 'it''s') then B(z > -3) within 1 minute")
    assert str(found) == "A(x = 20, y = 'it''s') then B(z > -3) within 1 minute"


def test_a_text_that_became_too_long_is_refused() -> None:
    reader = PatternReader()
    reader.read("A(x = '')" + " " * (LONGEST_PATTERN - 9))
    with pytest.raises(PatternError, match="E200"):
        reader.read("A(x = 'a')" + " " * (LONGEST_PATTERN - 9))


def test_few_shapes_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatternReader, "MOST_TEMPLATES", 2)
    reader = PatternReader()
    for text in ("A(x = 1)", "B(x = 1)", "C(x = 1)", "B(x = 2)", "A(x = 3)"):
        assert str(reader.read(text)) == text
    assert len(reader._templates) == 2
