"""Every pattern and expression reads back from its canonical text."""

from hypothesis import given
from tests.strategies import expressions, patterns

from ensue.language import parse_expression, parse_pattern


@given(patterns(max_depth=4))
def test_patterns(pattern):
    assert parse_pattern(str(pattern)) == pattern


@given(expressions())
def test_expressions(expression):
    assert parse_expression(str(expression)) == expression
