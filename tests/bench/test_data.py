"""What the benchmark's loops and text promise of its events."""

import numpy as np
import pyarrow as pa
import pytest

from bench import data


@pytest.mark.parametrize("size", [1, 7, 2999, 4000])
def test_the_events_do_not_depend_on_how_they_are_cut(size):
    assert pa.concat_tables(data.batches(3000, size)).equals(data.events(3000))


def test_times_never_go_back_and_some_are_equal():
    gaps = np.diff(data.Columns.of(data.events(200_000)).times)
    assert (gaps >= 0).all()
    assert 0.04 < (gaps == 0).mean() < 0.08


def test_ids_made_from_positions_have_the_order_of_the_rows_among_simultaneous_events():
    times = data.Columns.of(data.events(200_000)).times
    for shorter in (9, 99, 999, 9_999, 99_999):
        assert times[shorter] < times[shorter + 1]


def test_no_value_comes_twice():
    values = data.Columns.of(data.events(200_000)).values
    assert len(np.unique(values)) == len(values)


def test_all_keys_occur():
    assert np.array_equal(np.unique(data.Columns.of(data.events(200_000)).keys), np.arange(data.KEYS))
