"""The ids that the compiled loops make are those of the model."""

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
from hypothesis import example, given, strategies as st

from ensue.algebra import Context
from ensue.algebra.patterns import Atom, Delay
from ensue.embedded.identities import ids_of
from ensue.embedded.patterns import Watched
from ensue.engine.arrays import no_ints
from ensue.engine.codes import UNBOUND, Codebook
from ensue.engine.found import Found
from ensue.engine.identities import temporal_texts
from ensue.engine.rows import Rows
from ensue.engine.store import Ids, Store
from ensue.model import occurrence_id, temporal_id, value_key
from ensue.model.identity import value_bytes

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
moments = st.datetimes(timezones=st.just(UTC))
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.integers(-9, 9).map(float)
values = st.one_of(st.none(), texts, st.booleans(), numbers, moments)
ids = st.one_of(texts, st.integers(0, 2**62))


@st.composite
def rows_of_findings(draw):
    """For some occurrences: interval, ids and values, all with the same variables."""
    width = draw(st.integers(0, 3))
    row = st.tuples(
        st.integers(-(2**60), 2**60),
        st.integers(-(2**60), 2**60),
        st.lists(ids, max_size=4),
        st.lists(values, min_size=width, max_size=width),
    )
    return [f"v{i}" for i in range(width)], draw(st.lists(row, min_size=1, max_size=4))


@given(rows_of_findings(), texts, st.booleans())
@example((["v0"], [(0, 0, [], [-0.0]), (0, 0, [], [0]), (0, 0, [], [False])]), "", True)
def test_engine_and_model_agree(rows, name, timed):
    variables, listed = rows
    pattern = Delay(Atom("A"), 1) if timed else Atom("A")
    found = as_found(variables, listed)
    expected = [
        occurrence_id(
            name,
            [str(part) for part in members],
            tuple((v, value_key(value)) for v, value in zip(variables, bound, strict=True) if value is not None),
            (begin, end) if timed else None,
        )
        for begin, end, members, bound in listed
    ]
    assert ids_of(found, Watched(name, pattern, Context.ALL)).to_pylist() == expected


@given(rows_of_findings(), st.lists(st.integers(1, 2**50), min_size=4, max_size=4))
def test_temporal_events_are_called_as_the_model_calls_them(rows, delays):
    variables, listed = rows
    found = as_found(variables, listed)
    expected = [
        temporal_id(
            [str(part) for part in members],
            tuple((v, value_key(value)) for v, value in zip(variables, bound, strict=True) if value is not None),
            (begin, end),
            delay,
        )
        for (begin, end, members, bound), delay in zip(listed, delays, strict=False)
    ]
    after = np.array(delays[: len(listed)], np.int64)
    assert temporal_texts(found, after).to_pylist() == expected


def test_temporal_events_with_the_same_id_are_one_event():
    store = Store(np.array([3]), Ids.from_positions(0, 1))
    some = pa.array(["+a", "+b"], pa.large_string())
    assert store.append_temporal(np.array([5, 6]), some).tolist() == [1, 2]
    more = pa.array(["+c", "+b", "+c"], pa.large_string())
    assert store.append_temporal(np.array([7, 6, 7]), more).tolist() == [3, 2, 3]
    assert store.times.tolist() == [3, 5, 6, 7]
    kept = store.kept(np.array([3, 0, 2]))
    assert [kept.ids.to_pylist()[handle] for handle in kept.temporal] == ["+b", "+c"]
    assert kept.append_temporal(np.array([6]), some.slice(1)).tolist() == [2]
    assert kept.append_temporal(np.array([6, 7]), pa.array(["+b", "+c"], pa.large_string())).tolist() == [2, 0]
    assert kept.append_temporal(no_ints(), some.slice(2)).tolist() == []
    mixed = pa.array(["+a", "+b", "+a"], pa.large_string())
    assert kept.append_temporal(np.array([5, 6, 5]), mixed).tolist() == [3, 2, 3]


@given(values.filter(lambda v: v is not None), values.filter(lambda v: v is not None))
@example(True, datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC))
@example(1.5, 4609434218613702656)
def test_only_equal_values_have_equal_bytes(one, two):
    assert (value_bytes(value_key(one)) == value_bytes(value_key(two))) == (value_key(one) == value_key(two))


def as_found(variables, listed) -> Found:
    book = Codebook()
    members = [part for _, _, parts, _ in listed for part in parts]
    textual = [part for part in members if isinstance(part, str)]
    places = iter(range(len(textual)))
    codes = np.array([-1 - next(places) if isinstance(part, str) else part for part in members], np.int64)
    store = Store(np.zeros(len(members), np.int64), Ids(codes, pa.array(textual, pa.large_string())))
    bound = [[UNBOUND if v is None else book.code(value_key(v)) for v in row] for *_, row in listed]
    rows = Rows(
        np.array([row[0] for row in listed], np.int64),
        np.array([row[1] for row in listed], np.int64),
        np.cumsum([0, *(len(row[2]) for row in listed)], dtype=np.int64),
        np.arange(len(members), dtype=np.int64),
        np.array(bound, np.int64).reshape(len(listed), len(variables)),
    )
    return Found(rows, tuple(variables), store, book)
