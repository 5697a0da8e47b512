"""The hand-written loops are an honest limit: they find what the reference evaluator finds."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench import data, loops, workloads
from ensue.model import Event
from ensue.reference import evaluate

SECOND = 1_000_000
CASES = pytest.mark.parametrize(
    ("workload", "context"),
    [pytest.param(w, context, id=f"{w.name}-{context}") for w in workloads.WORKLOADS for context in workloads.CONTEXTS],
)


@st.composite
def histories(draw: st.DrawFn) -> data.Columns:
    """Events of few keys, with simultaneous ones, gaps about as long as the windows, and no value twice."""
    gap = st.sampled_from([0, 0, 1, SECOND, 10 * SECOND, 30 * SECOND, 59 * SECOND, 60 * SECOND])
    rows = draw(st.lists(st.tuples(st.integers(0, 4), gap, st.integers(0, 1)), max_size=16))
    values = draw(st.lists(st.integers(0, 40), min_size=len(rows), max_size=len(rows), unique=True))
    types, gaps, keys = zip(*rows, strict=True) if rows else ((), (), ())
    return data.Columns(
        np.array(types, np.int8), np.cumsum(np.array(gaps, np.int64)), np.array(keys, np.int64), np.array(values) / 20
    )


def by_definition(workload: workloads.Workload, context: str, c: data.Columns) -> list[list[int]]:
    """The constituents' rows of what the reference reports; ids have the order of the rows."""
    history = [
        Event(f"{row:09}", data.TYPES[type_], int(time), {"key": int(key), "value": float(value)})
        for row, (type_, time, key, value) in enumerate(zip(c.types, c.times, c.keys, c.values, strict=True))
    ]
    return sorted(sorted(map(int, o.ids)) for o in evaluate(workload.pattern, history, context))


def by_hand(workload: workloads.Workload, context: str, c: data.Columns) -> list[list[int]]:
    return sorted(sorted(map(int, rows)) for rows in workload.by_hand(context, c))


@CASES
@given(history=histories())
def test_a_loop_finds_what_the_reference_finds(workload, context, history):
    assert by_hand(workload, context, history) == by_definition(workload, context, history)


@CASES
@pytest.mark.parametrize("seed", range(3))
def test_also_in_a_history_that_is_dense(workload, context, seed):
    random = np.random.default_rng(seed)
    count = 120
    history = data.Columns(
        random.integers(0, 5, count).astype(np.int8),
        np.cumsum(random.choice([0, SECOND // 2, 3 * SECOND], count)),
        random.integers(0, 2, count),
        random.permutation(count) / (count / 2),
    )
    found = by_hand(workload, context, history)
    assert found
    assert found == by_definition(workload, context, history)


@CASES
def test_also_where_blocks_meet_and_simultaneous_events_do_not_fit_in_one(workload, context):
    history = data.Columns.of(data.events(3 * loops.BLOCK))
    spread = data.Columns(history.types, history.times, history.keys % 512, history.values)
    tied = data.Columns(history.types, history.times // 10**7 * 10**7, spread.keys, history.values)
    for c in (spread, tied):
        assert by_hand(workload, context, c) == by_key(workload, context, c)


def by_key(workload: workloads.Workload, context: str, c: data.Columns) -> list[list[int]]:
    """What the reference finds, one key at a time: it looks at every combination of all events it is given."""
    found = []
    for key in np.unique(c.keys):
        rows = np.flatnonzero(c.keys == key)
        part = data.Columns(c.types[rows], c.times[rows], c.keys[rows], c.values[rows])
        found += [[int(rows[i]) for i in line] for line in by_definition(workload, context, part)]
    return sorted(found)


def test_a_long_history_of_simultaneous_events():
    """They are all in one block, which grows."""
    count = 3 * loops.BLOCK
    types = np.zeros(count, np.int8)
    types[[0, 1]] = [2, 1]  # C and B stand before the As
    zeros = np.zeros(count, np.int64)
    values = np.arange(count) / (10 * count)
    values[[0, 1]] = [1.0, 2.0]
    history = data.Columns(types, zeros, zeros, values)
    assert len(loops.run(loops.conditions, history, 3)) == count - 2
    assert len(loops.run(loops.sequence_continuous, history, 3)) == count - 2
    assert loops.run(loops.sequence_chronicle, history, 3).tolist() == [[2, 1, 0]]
    assert len(loops.run(loops.absence_continuous, history, 2)) == 0


def test_there_may_be_more_occurrences_than_events():
    types = np.repeat(np.arange(3, dtype=np.int8), 10)
    zeros = np.zeros(30, np.int64)
    values = np.concatenate([np.arange(10) / 100, 2 + np.arange(10) / 100, 1 + np.arange(10) / 100])
    assert len(loops.run(loops.conditions, data.Columns(types, zeros, zeros, values), 3)) == 1000
