"""The index of rules misses none, whether values are looked up in a table or searched for."""

from __future__ import annotations

from hypothesis import given, strategies as st

from ensue.engine.columns import from_values
from ensue.engine.rules import ByValue, pairs

close = st.integers(-3, 30).map(float) | st.integers(-3, 30) | st.sampled_from([0.5, -0.0, float("inf")])
apart = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False)
anything = close | apart | st.sampled_from([None, "1", True])


@given(
    wanted=st.lists(close, min_size=1) | st.lists(close | apart, min_size=1) | st.lists(anything, min_size=1),
    given_values=st.lists(anything),
)
def test_every_rule_finds_the_events_with_its_value(wanted: list[object], given_values: list[object]) -> None:
    index = ByValue("v", from_values(wanted))
    column = from_values(given_values)
    found = {
        (int(row), int(rule))
        for rows, rules in pairs(index, lambda _: column, len(given_values))
        for row, rule in zip(rows, rules, strict=True)
    }
    expected = {
        (row, rule)
        for row, value in enumerate(given_values)
        for rule, constant in enumerate(wanted)
        if value is not None and (type(value) in (int, float)) == (type(constant) in (int, float)) and value == constant
    }
    assert expected <= found
    assert not index.certain or expected == found
    assert all(float(given_values[row]) == float(wanted[rule]) for row, rule in found)  # type: ignore[arg-type]
