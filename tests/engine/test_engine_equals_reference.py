"""The engine is right when it agrees with the reference on every history, and not before."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.engine.cases import Case, cases, run_engine

from ensue.algebra import Context
from ensue.reference import evaluate


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@given(case=cases())
def test_engine_equals_reference(context: Context, case: Case) -> None:
    expected = evaluate(case.pattern, case.events, context, until=max(case.cuts, default=None))
    found = run_engine(case, context)
    assert sorted(found, key=lambda o: o.order) == expected
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@given(case=cases())
def test_a_restart_changes_nothing(context: Context, case: Case) -> None:
    assert run_engine(case, context, restarts=True) == run_engine(case, context)


@pytest.mark.slow
@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@given(case=cases(4))
def test_engine_equals_reference_for_deeper_patterns(context: Context, case: Case) -> None:
    expected = evaluate(case.pattern, case.events, context, until=max(case.cuts, default=None))
    assert sorted(run_engine(case, context, restarts=True), key=lambda o: o.order) == expected
