"""From what users hand in to incoming events, and from reports back to the same kind of thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ensue.embedded import tables
from ensue.embedded.findings import Finding, empty_table, findings, table_of
from ensue.embedded.gathering import together
from ensue.embedded.incoming import Incoming
from ensue.embedded.levels import Report
from ensue.embedded.patterns import Watched
from ensue.embedded.records import Records
from ensue.embedded.session import Session
from ensue.engine.memory import nothing_to_collect
from ensue.errors import Diagnostic, InputError


@dataclass(frozen=True, slots=True)
class Shape:
    """How findings are handed out: as objects, or as tables made by `to_frame` of an Arrow table."""

    to_frame: Callable[[pa.Table], Any] | None = None

    def results(self, reports: list[Report], session: Session) -> Any:
        """All that the reports hold: for one pattern its findings, for several a dict of them by name."""
        watched = session.watchlist.watched
        if self.to_frame is None and not any(len(found) for report in reports for found in report.values()):
            return {item.name: [] for item in watched} if session.watchlist.several else []
        if self.to_frame is None:
            results: dict[str, Any] = {item.name: _objects(reports, item, session) for item in watched}
        else:
            results = {name: self.to_frame(found) for name, found in _tables(reports, session).items()}
        return results if session.watchlist.several else results[watched[0].name]


def _objects(reports: list[Report], item: Watched, session: Session) -> list[Finding]:
    found = [report[item.name] for report in reports if item.name in report]
    return [finding for part in found for finding in findings(part, item, session.identities)]


@nothing_to_collect()
def _tables(reports: list[Report], session: Session) -> dict[str, pa.Table]:
    """A table for each pattern. Those of patterns that differ only in constants are parts of one."""
    watchlist = session.watchlist
    alike: dict[int, list[Watched]] = {}
    for item, first in zip(watchlist.watched, watchlist.alike, strict=True):
        alike.setdefault(id(first), []).append(item)
    tables: dict[str, pa.Table] = {item.name: None for item in watchlist.watched}
    for items in alike.values():
        tables |= _alike(reports, items, session)
    return tables


def _alike(reports: list[Report], items: list[Watched], session: Session) -> dict[str, pa.Table]:
    parts: dict[str, list[pa.Table]] = {item.name: [] for item in items}
    for report in reports:
        found = [(item, report[item.name]) for item in items if item.name in report and len(report[item.name])]
        if found:
            whole, start = table_of(together(found), session.identities, session.kinds), 0
            for item, part in found:
                parts[item.name].append(whole.slice(start, len(part)))
                start += len(part)
    nothing = empty_table(items[0], session.kinds)
    return {name: pa.concat_tables(listed) if listed[1:] else [*listed, nothing][0] for name, listed in parts.items()}


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
            hint="give a list of dictionaries, an Arrow table, a pandas or a Polars frame, or the path of a file",
        )
    )
