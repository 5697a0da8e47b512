"""Findings as a table on the screen."""

from typing import IO

from rich.console import Console
from rich.table import Table

from ensue.algebra import scope
from ensue.embedded.findings import Finding, variable_columns
from ensue.embedded.levels import Report
from ensue.embedded.session import Session
from ensue.files.writers import found_in, instant_text, plain_text

MOST = 50
"""More rows than this nobody reads on a screen."""


class Screen:
    """Collects findings and shows them at the end; on a screen no more than a page or two of them."""

    def __init__(self, session: Session, out: IO[str], *, all_rows: bool = False) -> None:
        self.count = 0
        self._session, self._out = session, out
        self._most = None if all_rows else MOST
        self._kept: list[Finding] = []

    def write(self, report: Report) -> None:
        found = found_in(report, self._session)
        self.count += len(found)
        self._kept += found if self._most is None else found[: self._most - len(self._kept)]

    def close(self) -> None:
        wide = None if self._out.isatty() else 200
        console = Console(file=self._out, highlight=False, width=wide)
        if self._kept:
            console.print(
                findings_table(self._kept, sorted(scope(self._session.watchlist.watched[0].pattern).sometimes))
            )
        if self.count > len(self._kept):
            more = self.count - len(self._kept)
            console.print(f"… and {more:,} more: --output jsonl, csv or parquet has them all", style="dim")
        if not self.count:
            console.print("nothing found", style="dim")


def findings_table(found: list[Finding], variables: list[str]) -> Table:
    """A row for each finding; ids are for programs, so they are not shown."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("begin", "end", "constituents", *variable_columns(variables)):
        shown.add_column(name, overflow="fold")
    for one in found:
        bound = (plain_text(one.bindings.get(name)) for name in variables)
        shown.add_row(instant_text(one.begin), instant_text(one.end), " ".join(one.constituents), *bound)
    return shown
