"""Positions are written as Python writes them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from ensue.engine.kernels.digits import count_digits, eight_digits, position_ends, position_texts

around = st.builds(lambda digits, off: max(0, min(10**digits + off, 2**63 - 1)), st.integers(0, 19), st.integers(-2, 2))
positions = st.integers(0, 2**63 - 1) | st.integers(0, 10**8 - 1) | around


@given(st.integers(0, 10**8 - 1))
def test_eight_digits_in_a_word(number: int) -> None:
    assert int(eight_digits(number)).to_bytes(8, "little") == f"{number:08}".encode()


@given(st.lists(positions))
def test_positions_one_behind_another(listed: list[int]) -> None:
    codes = np.array(listed, np.int64)
    ends = position_ends(codes)
    data = np.empty(ends[-1], np.uint8)
    position_texts(codes, ends, data)
    assert data.tobytes().decode() == "".join(map(str, listed))
    assert np.diff(ends).tolist() == [len(str(position)) for position in listed]
    assert all(count_digits(position) == len(str(position)) for position in listed)
