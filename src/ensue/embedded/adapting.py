"""From what users hand in to incoming events, and from reports back to the same kind of thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.embedded import tables
from ensue.embedded.findings import Finding, Untyped, empty_table, findings, typed, untyped
from ensue.embedded.gathering import together
from ensue.embedded.incoming import Incoming
from ensue.embedded.levels import Report
from ensue.embedded.patterns import Watched
from ensue.embedded.records import Records
from ensue.embedded.session import Session
from ensue.engine.arrays import Ints
from ensue.engine.memory import nothing_to_collect
from ensue.errors import Diagnostic, InputError


@dataclass(frozen=True, slots=True)
class Shape:
    """How findings are handed out: as objects, or as tables made by `to_frame` of an Arrow table."""

    to_frame: Callable[[pa.Table], Any] | None = None

    def results(self, reports: list[Report], session: Session) -> Any:
        """All that the reports hold: for one pattern its findings, for several a dict of them by name."""
        if self.to_frame is not None:
            found = _tables([parts_of(report, session) for report in reports], session)
            return _handed_out({name: self.to_frame(table) for name, table in found.items()}, session)
        watched = session.watchlist.watched
        if not any(len(found) for report in reports for found in report.values()):
            return {item.name: [] for item in watched} if session.watchlist.several else []
        return _handed_out({item.name: _objects(reports, item) for item in watched}, session)


def _handed_out(results: dict[str, Any], session: Session) -> Any:
    return results if session.watchlist.several else results[session.watchlist.watched[0].name]


def _objects(reports: list[Report], item: Watched) -> list[Finding]:
    found = [report[item.name] for report in reports if item.name in report]
    return [finding for part in found for finding in findings(part, item)]


@dataclass(frozen=True, slots=True)
class Part:
    """What a step found of patterns that differ only in constants."""

    found: Untyped
    numbers: Ints
    """Of each row, the number of its pattern among those; they do not decrease."""


@nothing_to_collect()
def parts_of(report: Report, session: Session) -> dict[int, Part]:
    """What a report holds, by the numbers of the kinds of patterns; this may be done while detection goes on."""
    parts = {}
    for kind, items in enumerate(session.watchlist.alike_items):
        listed = [(number, item, report[item.name]) for number, item in enumerate(items) if item.name in report]
        there = [(number, item, found) for number, item, found in listed if len(found)]
        if there:
            gathered = together([(item, found) for _, item, found in there])
            numbers = np.array([number for number, *_ in there], np.int64)[gathered.numbers]
            parts[kind] = Part(untyped(gathered), numbers)
    return parts


def tables_of(parts: Sequence[Mapping[int, Part]], session: Session) -> Any:
    """The tables of all patterns, from reports that were looked into as they came."""
    return _handed_out(_tables(parts, session), session)


@nothing_to_collect()
def _tables(parts: Sequence[Mapping[int, Part]], session: Session) -> dict[str, pa.Table]:
    """A table for each pattern. Those of patterns that differ only in constants are parts of one."""
    tables: dict[str, pa.Table] = {item.name: None for item in session.watchlist.watched}
    for kind, items in enumerate(session.watchlist.alike_items):
        tables |= _alike([one[kind] for one in parts if kind in one], items, session)
    return tables


def _alike(parts: Sequence[Part], items: Sequence[Watched], session: Session) -> dict[str, pa.Table]:
    if not parts:
        return dict.fromkeys((item.name for item in items), empty_table(items[0], session.kinds))
    whole = pa.concat_tables([typed(part.found, items[0], session.kinds) for part in parts])
    if len(items) == 1:
        return {items[0].name: whole}
    numbers = np.concatenate([part.numbers for part in parts])
    if len(parts) > 1:
        whole = whole.take(pa.array(np.argsort(numbers, kind="stable")))
    ends = np.cumsum(np.bincount(numbers, minlength=len(items))).tolist()
    bounds = zip([0, *ends], ends, strict=False)
    return {item.name: whole.slice(start, end - start) for item, (start, end) in zip(items, bounds, strict=True)}


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
