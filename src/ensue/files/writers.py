"""Findings into files and onto the screen's lines: JSON lines, CSV and Parquet."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Protocol

import pyarrow as pa

from ensue.algebra import scope
from ensue.embedded.findings import Finding, empty_table, findings, table, variable_columns
from ensue.embedded.levels import Report
from ensue.embedded.session import Session
from ensue.errors import Diagnostic, InputError
from ensue.time import format_instant, to_instant


class Writer(Protocol):
    """Takes what is found, little by little; of one pattern."""

    count: int

    def write(self, report: Report) -> None: ...
    def close(self) -> None: ...


class JsonLines:
    """One object a line: `id`, `begin`, `end`, `constituents`, `bindings`."""

    def __init__(self, session: Session, out: IO[str]) -> None:
        self.count = 0
        self._session, self._out = session, out

    def write(self, report: Report) -> None:
        for finding in found_in(report, self._session):
            self.count += 1
            row = {
                "id": finding.id,
                "begin": instant_text(finding.begin),
                "end": instant_text(finding.end),
                "constituents": finding.constituents,
                "bindings": finding.bindings,
            }
            self._out.write(json.dumps(row, ensure_ascii=False, default=instant_text) + "\n")
        self._out.flush()

    def close(self) -> None:
        """The file is closed by whoever opened it."""


class Csv:
    """A header, then lines: `id`, `begin`, `end`, `constituents` as a JSON list, and a column for each variable."""

    def __init__(self, session: Session, out: IO[str]) -> None:
        self.count = 0
        self._session = session
        self._variables = sorted(scope(session.watchlist.watched[0].pattern).sometimes)
        self._out = csv.writer(out, lineterminator="\n")
        self._out.writerow(["id", "begin", "end", "constituents", *variable_columns(self._variables)])

    def write(self, report: Report) -> None:
        for finding in found_in(report, self._session):
            self.count += 1
            bound = (plain_text(finding.bindings.get(name)) for name in self._variables)
            interval = instant_text(finding.begin), instant_text(finding.end)
            self._out.writerow([finding.id, *interval, json.dumps(finding.constituents, ensure_ascii=False), *bound])

    def close(self) -> None:
        """The file is closed by whoever opened it."""


class Parquet:
    """The columns of a table of findings. The types of the variables are settled by the first findings."""

    def __init__(self, session: Session, path: Path) -> None:
        self.count = 0
        self._session, self._path = session, path
        self._file: Any = None

    def write(self, report: Report) -> None:
        item = self._session.watchlist.watched[0]
        found = report.get(item.name)
        if found is not None and len(found):
            self._append(table(found, item, self._session.kinds))

    def close(self) -> None:
        if self._file is None:
            self._append(empty_table(self._session.watchlist.watched[0], self._session.kinds))
        self._file.close()

    def _append(self, rows: pa.Table) -> None:
        import pyarrow.parquet as pq

        if self._file is None:
            self._file = pq.ParquetWriter(self._path, rows.schema)
        self.count += rows.num_rows
        try:
            self._file.write_table(rows.cast(self._file.schema))
        except (pa.ArrowInvalid, ValueError):
            message = "a variable had values of one kind first and of another later, and a Parquet column has one type"
            raise InputError(Diagnostic("E606", message, hint="use --output jsonl, or leave out --delay")) from None


def found_in(report: Report, session: Session) -> list[Finding]:
    """What a report holds for the session's one pattern."""
    item = session.watchlist.watched[0]
    return findings(report[item.name], item) if item.name in report else []


def instant_text(moment: datetime) -> str:
    return format_instant(to_instant(moment))


def plain_text(value: object) -> str:
    """A value as it stands in a cell: as JSON would write it, texts without quotation marks, nothing if missing."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return instant_text(value)
        case _:
            return str(value)
