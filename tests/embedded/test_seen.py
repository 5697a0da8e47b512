"""Which ids are remembered: those that wait outside the table, those in it, and while the time is told from outside."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, strategies as st

from ensue.embedded.seen import SeenIds
from ensue.engine.store import Ids


def add(seen: SeenIds, names: list[str], first: int, time: int) -> list[int]:
    positions = np.arange(first, first + len(names), dtype=np.int64)
    earlier: list[int] = seen.add(Ids.from_texts(names), positions, np.full(len(names), time, np.int64)).tolist()
    return earlier


def test_a_stream_that_is_far_ahead_does_not_make_ids_of_the_others_forgotten():
    seen = SeenIds(reach=10, told=True)
    add(seen, ["slow"], 0, 5)
    add(seen, ["ahead"], 1, 1_000_000)
    add(seen, [f"more {number}" for number in range(5_000)], 2, 6)
    assert add(seen, ["slow", "ahead"], 6_000, 5) == [0, 1]


def test_what_is_too_old_for_the_time_that_is_told_is_forgotten():
    seen = SeenIds(reach=10, told=True)
    add(seen, [f"old {number}" for number in range(5_000)], 0, 5)
    add(seen, ["new"], 5_000, 90)
    seen.advance_to(100)
    assert len(seen.contents().positions) == 1
    assert add(seen, ["old 7", "new"], 6_000, 100) == [-1, 5_000]


whole = st.integers(0, 40) | st.integers(2**63 - 5, 2**63 - 1)
names = st.one_of(
    st.lists(whole.map(str), max_size=8),
    st.lists(whole, max_size=8),
    st.lists(st.integers(0, 40), max_size=8, unique=True).map(sorted),
    st.integers(0, 90).map(lambda first: list(range(first, first + 9))),
    st.lists(st.integers(-3, 3), max_size=4),
    st.lists(st.text("ab", max_size=3), max_size=8),
)
steps = st.one_of(
    names,  # a batch
    st.text("0123b", min_size=1, max_size=2),  # a single event
    st.just("saved"),
    st.just("refused"),
)


@given(st.lists(steps, max_size=8), st.sampled_from([None, 1000]))
@example([[3, 1, 2], [9, 8], [4], "saved", [5]], None)
@example([[1, 2], [1]], None)
@example([["b", "a"], ["a"]], None)
@example([[1, 2], "refused", [2]], None)
def test_whatever_comes_after_whatever_is_found_again(steps, reach):
    """Against a dictionary: numbers and texts, in order or not, in batches and one by one."""
    seen, position = SeenIds(reach=reach), 0
    known: dict[str, int] = {}
    for step in steps:
        before = position
        if step == "saved":
            restored = SeenIds(reach=reach)
            restored.refill(seen.contents())
            seen = restored
        elif step == "refused":
            add_numbers(seen, [50, 51, 52], position, 1)
            seen.forget_from(position)
        elif isinstance(step, str):
            assert seen.add_one(step, position, 1) == known.get(step, -1)
            known.setdefault(step, position)
            position += 1
        else:
            expected = []
            for name in map(str, step):
                expected.append(known.get(name, -1))
                known.setdefault(name, position)
                position += 1
            way = add_numbers if all(isinstance(name, int) for name in step) else add
            assert way(seen, step, before, 1) == expected
        assert sorted(seen.contents().positions.tolist()) == sorted(set(known.values()))


def test_numbers_that_grow_are_forgotten_as_well():
    reached, many = SeenIds(reach=2000), SeenIds(most=3000)
    for batch in range(20):
        for seen in (reached, many):
            numbers = list(range(batch * 1000, batch * 1000 + 1000))
            assert set(add_numbers(seen, numbers, batch * 1000, batch * 1000)) == {-1}
    assert 2000 <= len(reached.contents().positions) < 8000
    assert 3000 <= len(many.contents().positions) < 8000
    assert add_numbers(many, [19_500], 20_000, 20_000) == [19_500]
    assert add_numbers(reached, [19_500, 17], 20_000, 20_000) == [19_500, -1]


def test_what_is_too_old_for_the_time_that_is_told_is_forgotten_before_there_is_a_table():
    seen = SeenIds(reach=10, told=True)
    add_numbers(seen, list(range(100)), 0, 5)
    add_numbers(seen, [200], 100, 95)
    seen.advance_to(100)
    assert seen.contents().positions.tolist() == [100]


def add_numbers(seen: SeenIds, numbers: list[int], first: int, time: int) -> list[int]:
    positions = np.arange(first, first + len(numbers), dtype=np.int64)
    ids = Ids.from_numbers(np.array(numbers, np.int64))
    earlier: list[int] = seen.add(ids, positions, np.full(len(numbers), time, np.int64)).tolist()
    return earlier
