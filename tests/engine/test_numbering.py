"""Numbers of groups: the same for the same codes, and for no others, however they are asked for."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from ensue.engine.codes import UNBOUND
from ensue.engine.kernels.partition import BOXED, Groups

_doubles = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 511.0, 512.0, 1e6, 2.0**40, 0.5, -1.0, float("inf")]),
    st.floats(allow_nan=False).map(lambda number: number + 0.0),
)
_codes = st.one_of(
    st.just(UNBOUND),
    st.integers(0, 5000).map(lambda place: BOXED | place),
    _doubles.map(lambda number: int(np.float64(number).view(np.int64))),
)


@given(st.data(), st.integers(1, 3))
def test_equal_rows_and_only_those_have_one_number(data, width):
    parts = data.draw(st.lists(st.lists(st.lists(_codes, min_size=width, max_size=width), max_size=30), max_size=4))
    groups = Groups(width)
    known: dict[tuple[int, ...], int] = {}
    for part in parts:
        numbers = groups.number(np.array(part, np.int64).reshape(-1, width))
        assert numbers.tolist() == [known.setdefault(tuple(row), len(known)) for row in part]
    assert groups.keys.tolist() == [list(row) for row in known]


def test_tables_grow():
    many = np.arange(-30_000, 30_000, dtype=np.float64).view(np.int64)
    for rows in (many[:, None], np.stack([many, many[::-1]], axis=1)):
        groups = Groups(rows.shape[1])
        twice = np.concatenate([rows, rows])
        assert groups.number(twice).tolist() == [*range(60_000), *range(60_000)]
