"""Rules of one shape are read, checked and handed out together; each still gives what it gives alone."""

from __future__ import annotations

import gc

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import ensue
from ensue.algebra import families as fm
from ensue.engine.memory import nothing_to_collect
from ensue.errors import PatternError

SHAPES = (
    "A(v = {}, w = ?x) then B(v = {}) within 5 seconds",
    "A(v = {}, v = ?x) then B(w = {}) within 5 seconds",
    "A(v = {}) within {} seconds",
    "A(w = ?begin, v > {}) or B(w = ?begin, v < {})",
    "A(v = {}) + {} seconds",
)
START = 1_700_000_000_000


@st.composite
def histories(draw: st.DrawFn) -> pa.Table:
    count = draw(st.integers(1, 12))
    drawn = {name: [draw(st.integers(0, 3)) for _ in range(count)] for name in ("v", "w")}
    times = [START + 1000 * second for second in sorted(draw(st.integers(0, 9)) for _ in range(count))]
    return pa.table({"type": [draw(st.sampled_from("AB")) for _ in range(count)], "time": times, **drawn})


def texts() -> st.SearchStrategy[str]:
    return st.builds(str.format, st.sampled_from(SHAPES), st.integers(1, 3), st.integers(1, 3))


@pytest.mark.parametrize("least", [2, 100])
@settings(max_examples=50)
@given(listed=st.lists(texts(), min_size=1, max_size=8), table=histories())
def test_each_table_is_what_the_rule_gives_alone(least: int, listed: list[str], table: pa.Table) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fm, "LEAST", least)
        found = ensue.detect({f"rule {n}": text for n, text in enumerate(listed)}, table, "continuous")
    assert list(found) == [f"rule {n}" for n in range(len(listed))]
    for name, text in zip(found, listed, strict=True):
        alone = ensue.detect({name: text}, table, "continuous")[name]
        assert found[name].schema == alone.schema
        assert found[name].sort_by("id").equals(alone.sort_by("id"))


def test_the_first_of_a_shape_that_is_wrong_is_told() -> None:
    listed = ["A(v = 1) then B within 1 second", "A(v = 2) then B", "A(v = 3) then B"]
    with pytest.raises(PatternError, match=r"A\(v = 2\) then B"):
        ensue.detect(listed, [], "continuous")


def test_the_search_for_garbage_goes_on_as_it_was() -> None:
    assert gc.isenabled()
    with nothing_to_collect():
        assert not gc.isenabled()
        with nothing_to_collect():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
