"""Derived events: what was found of a class that is defined by a pattern, as events for the patterns above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ensue.embedded.batches import joined, with_columns
from ensue.embedded.identities import ids_of
from ensue.embedded.patterns import Derived
from ensue.engine.arrays import FOREVER
from ensue.engine.events import EventBatch
from ensue.engine.found import Found
from ensue.engine.store import Ids
from ensue.model import occurrence_id, value_key


class Derivation:
    """Makes the events of one class, and knows up to what time all of them are there.

    Of occurrences with one declared key the last stands. Which one that is, is only known at the end.
    """

    def __init__(self, item: Derived) -> None:
        self.item = item
        self.complete = -FOREVER
        self._versions: list[EventBatch] = []

    def events(self, found: Sequence[Found], complete: int) -> list[EventBatch]:
        """The events that were not there before, if all that end up to a time have been found."""
        batches = [self._batch(one) for one in found if len(one)]
        if not self.item.key:
            self.complete = complete
            return batches
        self._versions += batches
        if complete < FOREVER:
            return []
        self.complete = complete
        return [self._last_of_each_key()] if self._versions else []

    def _batch(self, found: Found) -> EventBatch:
        rows, attributes = found.rows, self.item.attributes
        columns = {name: found.book.decode(rows.values[:, found.variables.index(name)]) for name in attributes}
        ids = Ids.from_texts(ids_of(found, self.item))
        return with_columns(rows.end, ids, np.zeros(len(rows), np.int64), (self.item.name,), columns)

    def _last_of_each_key(self) -> EventBatch:
        versions = joined(self._versions, self.item.attributes)
        columns = [(name, versions.column(name).to_pylist()) for name in sorted(self.item.key)]
        keys = [
            tuple((name, value_key(value)) for name, values in columns if (value := values[row]) is not None)
            for row in range(len(versions))
        ]
        last = {occurrence_id(self.item.name, (), key): row for row, key in enumerate(keys)}
        rows = np.array(list(last.values()), np.int64)
        kept = {name: versions.column(name).take(rows) for name in self.item.attributes}
        ids = Ids.from_texts(list(last))
        return with_columns(versions.times[rows], ids, versions.types[rows], versions.type_names, kept)
