"""Which ids are remembered while the time is told from outside."""

from __future__ import annotations

import numpy as np

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
