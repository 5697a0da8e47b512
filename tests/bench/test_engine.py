"""The two sides of the comparison answer the same question: the engine finds what the loops find, event by event."""

import numpy as np
import pytest

from bench import data, ours, workloads


@pytest.mark.parametrize("context", workloads.CONTEXTS)
@pytest.mark.parametrize("workload", workloads.WORKLOADS, ids=lambda workload: workload.name)
def test_the_constituents_are_the_same(workload, context):
    table = data.events(200_000)
    expected = workload.by_hand(context, data.Columns.of(table))
    parts = [
        found.store.ids.codes[found.rows.members].reshape(-1, workload.width)  # an id is the position of its event
        for found in ours.engine(workload.pattern, context, table)
    ]
    assert len(expected) > 1000
    assert np.array_equal(ordered(np.concatenate(parts)), ordered(expected))


def ordered(rows):
    """Simultaneous events may stand in either order within a row, and so may rows that end together."""
    lines = np.sort(rows, axis=1)
    return lines[np.lexsort(lines.T)]
