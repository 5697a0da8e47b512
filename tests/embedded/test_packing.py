"""Patterns come out of a parcel as they went in, and rules of one shape make a small one."""

from __future__ import annotations

import pickle

from hypothesis import given, strategies as st
from tests.strategies import patterns

from ensue.algebra import Context, Pattern
from ensue.embedded.packing import packed, unpacked
from ensue.embedded.patterns import Watched
from ensue.language import parse_pattern


def watched(listed: list[Pattern]) -> tuple[Watched, ...]:
    contexts = list(Context)
    return tuple(Watched(f"p{i}", one, contexts[i % len(contexts)]) for i, one in enumerate(listed))


@given(st.lists(patterns(), max_size=4))
def test_any_patterns_come_out_as_they_went_in(listed: list[Pattern]) -> None:
    given_ones = watched(listed)
    found = unpacked(packed(given_ones))
    assert found == given_ones
    assert [str(item.pattern) for item in found] == [str(item.pattern) for item in given_ones]


@given(st.lists(st.tuples(st.integers(), st.text(max_size=3), st.sampled_from(["1", "1.0", "true"])), min_size=1))
def test_so_do_rules_of_one_shape(constants: list[tuple[int, str, str]]) -> None:
    """`1`, `1.0` and `true` are three constants."""
    texts = [
        f"a(v = {number}, w = '{text.replace(chr(39), chr(39) * 2)}') then b(v in ({number}, 7), u = {flag})"
        for number, text, flag in constants
    ]
    given_ones = watched([parse_pattern(text) for text in texts])
    assert unpacked(packed(given_ones)) == given_ones


def test_a_thousand_rules_take_little_more_than_their_constants() -> None:
    rules = watched([parse_pattern(f"a(key = {key}) then b(key = {key}) within 1 minute") for key in range(1000)])
    assert len(packed(rules)) < len(pickle.dumps(rules)) / 4
