"""`v in (…)` with many constants, which are looked up together, is what the reference says, for values of any kind."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, strategies as st

from ensue.algebra.expressions import Attribute, Expression, Literal, Not, OneOf
from ensue.engine.columns import from_arrow, from_values
from ensue.engine.conditions import holds
from ensue.model.values import Value
from ensue.reference import conditions as reference

numbers = st.integers(-6, 6) | st.sampled_from([2**53, 2**53 + 1, 2**63 - 1, 2**70])
values = (
    st.none()
    | st.booleans()
    | numbers
    | st.sampled_from([0.0, -0.0, 1.5, 2.0, float(2**53)])
    | st.text("ab1", max_size=1)
)
choices = st.lists(
    st.one_of(numbers, st.text("ab1", max_size=1), st.sampled_from([None, True, 1.5])), min_size=8, max_size=12
)


def _reference(condition: Expression, value: Value | None) -> bool:
    return reference.holds(condition, lambda _: value)


@given(st.lists(values, max_size=12), choices, st.booleans())
def test_the_same_as_the_reference(given_values, listed, negated):
    condition = OneOf(Attribute("v"), tuple(map(Literal, listed)))
    asked = Not(condition) if negated else condition
    found = holds(asked, lambda _: from_values(given_values), len(given_values)).tolist()
    assert found == [_reference(asked, value) for value in given_values]


@given(st.lists(st.none() | st.text("ab1", max_size=1), max_size=12), st.lists(st.text("ab1", max_size=1), min_size=8))
def test_texts_in_a_dictionary(given_values, listed):
    condition = OneOf(Attribute("v"), tuple(map(Literal, listed)))
    column = from_arrow(pa.array(given_values, pa.string()).dictionary_encode())
    found = holds(condition, lambda _: column, len(given_values)).tolist()
    assert found == [_reference(condition, value) for value in given_values]
