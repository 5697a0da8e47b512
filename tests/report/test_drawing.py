"""Patterns draw themselves in notebooks."""

import re
from xml.etree import ElementTree as ET

import pytest

import ensue
from ensue.algebra.drawing import tree


def labels(branch, depth=0):
    yield f"{'  ' * depth}{branch.role + ': ' if branch.role else ''}{branch.label}"
    for child in branch.children:
        yield from labels(child, depth + 1)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("3 times Login(user = ?u) within 2 minutes", ["within 2 minutes", "  3 times", "    Login(user = ?u)"]),
        ("A then B then C within 1 s", ["within 1 second", "  then", "    A", "    B", "    C"]),
        (
            "A then B without C within 1 s",
            ["within 1 second", "  without", "    then", "      A", "      B", "    not: C"],
        ),
        ("A then B* then C within 1 s", ["within 1 second", "  then", "    A", "    any number of: B", "    C"]),
        ("2 of {A, B, C} within 1 s", ["within 1 second", "  2 of", "    A", "    B", "    C"]),
        ("atleast 2 times {A} during {B then C within 1 s}", None),
    ],
)
def test_the_tree(text, drawn):
    found = list(labels(tree(ensue.parse(text))))
    if drawn is None:
        assert found[2].startswith("  during: ")
    else:
        assert found == drawn


def patterns():
    texts = {
        "A", "A or B", "A and B", "andthen [[A, B]]", "A + 5 minutes", "periodic(A, 1 minute, B)",
        "aperiodic*(A, B, C)",
        "without {A} during [2026-01-01 .. 2026-01-02]", "A in [2026-01-01 .. 2026-01-02]", "A before 2026-01-01",
        "AT [2026-01-01] A", "A(x = ?x) where ?x > 1", "A and !B", "every 2 {A} during [2026-01-01 .. 2026-01-02]",
        "withrank 2 {A} during [2026-01-01 .. 2026-01-02]", "last {A} during [2026-01-01 .. 2026-01-02]",
        "atmost 2 times {A} during {B}", "exactly 2 times {A} during {B}", "exactly 2 of {A, B, C}",
    }  # fmt: skip
    return sorted(texts)


@pytest.mark.parametrize("text", patterns())
def test_every_operator_is_a_picture_without_scripts(text):
    picture = ensue.parse(text)._repr_html_()
    drawn = ET.fromstring(picture)  # noqa: S314 - it is our own
    words = " ".join(drawn.itertext())
    assert set(re.findall(r"\b[ABC]\b", text)) <= set(re.findall(r"\b[ABC]\b", words))
    assert "<script" not in picture


def test_texts_are_escaped():
    picture = ensue.event("Login", user="<b>&</b>")._repr_html_()
    assert "<b>" not in picture
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in picture
