"""From what users hand in to incoming events, and from reports back to the same kind of thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ensue.embedded import tables
from ensue.embedded.findings import empty_table, findings, table
from ensue.embedded.incoming import Incoming
from ensue.embedded.levels import Report
from ensue.embedded.patterns import Watched
from ensue.embedded.records import Records
from ensue.embedded.session import Session
from ensue.errors import Diagnostic, InputError


@dataclass(frozen=True, slots=True)
class Shape:
    """How findings are handed out: as objects, or as tables made by `to_frame` of an Arrow table."""

    to_frame: Callable[[pa.Table], Any] | None = None

    def results(self, reports: list[Report], session: Session) -> Any:
        """All that the reports hold: for one pattern its findings, for several a dict of them by name."""
        watched = session.watchlist.watched
        if self.to_frame is None and not any(len(found.rows) for report in reports for found in report.values()):
            return {item.name: [] for item in watched} if session.watchlist.several else []
        if session.watchlist.several:
            return {item.name: self._one(reports, item, session) for item in watched}
        return self._one(reports, watched[0], session)

    def _one(self, reports: list[Report], item: Watched, session: Session) -> Any:
        found = [report[item.name] for report in reports if item.name in report]
        if self.to_frame is None:
            return [finding for part in found for finding in findings(part, item, session.identities)]
        parts = [table(part, item, session.identities, session.kinds) for part in found if len(part.rows)]
        return self.to_frame(pa.concat_tables(parts) if parts else empty_table(item, session.kinds))


LIST = Shape()


def adapt(events: object, first: int) -> tuple[Incoming, Shape]:
    """Events as they can be read, and the shape in which findings are to go back. A single event is a dictionary."""
    if type(events) is dict or isinstance(events, Mapping):
        return Records([events], first), LIST
    if isinstance(events, Sequence) and not isinstance(events, (str, bytes, bytearray)):
        return Records(events, first), LIST
    found = tables.incoming(events)
    if found:
        return found[0], Shape(found[1])
    if isinstance(events, Iterable) and not isinstance(events, (str, bytes, bytearray)):
        return Records(list(events), first), LIST
    raise InputError(
        Diagnostic(
            "E400",
            f"events cannot be read from a {type(events).__name__}",
            hint="give a list of dictionaries, an Arrow table, a pandas or a Polars frame; `ensue detect` reads files",
        )
    )
