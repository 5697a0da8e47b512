"""Ids compare as text, whether they are texts or numbers that stand for their digits."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, strategies as st

from ensue.engine.kernels.order import compare_ids
from ensue.engine.store import Ids

whole = st.integers(-(2**63), 2**63 - 1)


@given(whole | st.integers(-20, 2000), whole | st.integers(-20, 2000))
@example(10**18, 10**18 + 1)
@example(2**63 - 1, 9)
@example(10**18 - 1, 10**18)
def test_numbers_compare_as_their_digits(one, two):
    first, second = str(one), str(two)
    ids = Ids.from_numbers(np.array([one, two], np.int64))
    assert ids.to_pylist() == [first, second]
    assert compare_ids(ids.codes[0], ids.codes[1], *ids.table()) == (first > second) - (first < second)
