"""Ids that are known to be different from each other without a table of them.

Putting an id into a table costs more than detecting with its event. But ids are mostly numbers that grow, or a history
comes as one batch: then comparing neighbours, if need be in sorted order, shows that none comes twice. Such ids wait
here, as they are, and are only put into a table when one comes of which that cannot be said so easily.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ensue.engine.arrays import FOREVER, Ints, Truths, frozen
from ensue.engine.kernels.identity import Words, digest_ids
from ensue.engine.kernels.order import is_sorted
from ensue.engine.store import Ids

_NO_RANGE = (FOREVER, -1)


class Batch(NamedTuple):
    """Ids with the positions and times of their events. Of those that are not all numbers there are the digests."""

    codes: Ints
    lanes: Words | None
    positions: Ints
    times: Ints

    def where(self, mask: Truths) -> Batch:
        lanes = None if self.lanes is None else self.lanes[mask]
        return Batch(self.codes[mask], lanes, self.positions[mask], self.times[mask])

    def digests(self) -> Words:
        if self.lanes is not None:
            return self.lanes
        lanes: Words = digest_ids(frozen(self.codes), *Ids.from_texts([]).table())
        return lanes


class FreshIds:
    """Batches of ids, all different. Only numbers can come after numbers; any ids can be the first batch."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.count = 0
        self._range = _NO_RANGE
        """The lowest and the highest number."""

    def take(self, ids: Ids, positions: Ints, times: Ints) -> bool:
        """Take the ids of a batch, if it is plain that none of them comes twice; says whether it is."""
        batch = (self._numbers if ids.codes.min() >= 0 else self._first)(ids, positions, times)
        if batch is None:
            return False
        self.batches.append(batch)
        self.count += len(positions)
        return True

    def keep(self, wanted: Callable[[Batch], Truths]) -> None:
        """Forget the others."""
        self.batches = _together([batch.where(wanted(batch)) for batch in self.batches])
        self.count = sum(len(batch.positions) for batch in self.batches)
        ranges = [_range(batch.codes) for batch in self.batches if batch.lanes is None]
        self._range = (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else _NO_RANGE

    def clear(self) -> list[Batch]:
        """Give all of them away."""
        batches = self.batches
        self.batches, self.count, self._range = [], 0, _NO_RANGE
        return batches

    def _numbers(self, ids: Ids, positions: Ints, times: Ints) -> Batch | None:
        """A batch of numbers that are all below or all above those that are here."""
        low, high = self._range
        rising = is_sorted(frozen(ids.codes)) == 2
        lowest, highest = (int(ids.codes[0]), int(ids.codes[-1])) if rising else _range(ids.codes)
        if self.batches and (self.batches[0].lanes is not None or (lowest <= high and highest >= low)):
            return None
        if not rising and is_sorted(frozen(np.sort(ids.codes))) != 2:
            return None
        self._range = min(low, lowest), max(high, highest)
        return Batch(ids.codes, None, positions, times)

    def _first(self, ids: Ids, positions: Ints, times: Ints) -> Batch | None:
        if self.batches:
            return None
        lanes: Words = digest_ids(frozen(ids.codes), *ids.table())
        different = is_sorted(frozen(np.sort(lanes[:, 0]))) == 2
        return Batch(ids.codes, lanes, positions, times) if different else None


def _together(batches: list[Batch]) -> list[Batch]:
    """Batches of numbers as one, so that there are never many short ones; empty ones are left out."""
    filled = [batch for batch in batches if len(batch.positions)]
    if len(filled) < 2:
        return filled
    codes, positions, times = (
        np.concatenate(columns) for columns in zip(*((one.codes, *one[2:]) for one in filled), strict=True)
    )
    return [Batch(codes, None, positions, times)]


def _range(numbers: Ints) -> tuple[int, int]:
    return int(numbers.min()), int(numbers.max())
