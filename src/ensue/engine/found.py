"""What was found: rows, and what is needed to read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ensue.engine.codes import Codebook
from ensue.engine.rows import Rows
from ensue.engine.store import Store
from ensue.model import Occurrence
from ensue.model.occurrences import Constituent


@dataclass(frozen=True, slots=True)
class Found:
    """What one pattern reported in a step."""

    whole: Rows
    variables: tuple[str, ...]
    store: Store
    book: Codebook
    bounds: tuple[int, int] | None = None
    """Which of the rows these are, if not all: those of thousands of rules are neighbours, and are not cut apart."""

    def __len__(self) -> int:
        return len(self.whole) if self.bounds is None else self.bounds[1] - self.bounds[0]

    @property
    def rows(self) -> Rows:
        return self.whole if self.bounds is None else self.whole.between(*self.bounds)

    def with_rows(self, rows: Rows) -> Found:
        return Found(rows, self.variables, self.store, self.book)

    def occurrences(self) -> list[Occurrence]:
        """The occurrences as values, in the order of §1."""
        rows = self.rows
        handles, places = np.unique(rows.members, return_inverse=True)
        ids = self.store.ids.take(handles).to_pylist()
        events = [Constituent(time, name) for time, name in zip(self.store.times[handles].tolist(), ids, strict=True)]
        members = [events[place] for place in places.tolist()]
        starts = rows.starts.tolist()
        found = [
            Occurrence(
                begin, end, tuple(members[starts[i] : starts[i + 1]]), self.book.bindings(self.variables, values)
            )
            for i, (begin, end, values) in enumerate(
                zip(rows.begin.tolist(), rows.end.tolist(), rows.values.tolist(), strict=True)
            )
        ]
        return sorted(found, key=lambda occurrence: occurrence.order)
