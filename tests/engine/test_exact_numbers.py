"""Whole numbers compare exactly, however large: ids of 64 bits are common keys."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.engine.cases import SECOND, Case, run_engine

from ensue.algebra import Context
from ensue.algebra.building import attr, event, var
from ensue.engine.codes import Codebook
from ensue.engine.columns import from_arrow, from_values
from ensue.engine.conditions import holds
from ensue.model import Event
from ensue.reference import evaluate

LARGE = [2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 + 1, float(2**53), 1.5]


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
def test_neighbours_beyond_doubles_are_different_keys(context: Context) -> None:
    events = tuple(Event(f"e{i}", "AB"[i % 2], i * SECOND, {"v": value}) for i, value in enumerate(LARGE * 2))
    pattern = (event("A", v=var.x) >> event("B", v=var.x)).within(20)
    assert run_engine(Case(pattern, events, ()), context) == evaluate(pattern, events, context)


def test_codes_are_equal_just_for_equal_values() -> None:
    codes = Codebook().encode(from_values(LARGE)).tolist()
    assert [codes.index(code) for code in codes] == [LARGE.index(value) for value in LARGE]


def test_unsigned_columns_keep_their_digits() -> None:
    column = from_arrow(pa.array([2**63 - 1, 2**63, 2**64 - 1], pa.uint64()))
    assert column.to_pylist() == [2**63 - 1, 2**63, 2**64 - 1]
    assert holds((attr.v == 2**63).expression, lambda _: column, 3).tolist() == [False, True, False]
