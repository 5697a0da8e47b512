"""What a run shows while it goes: a table that changes on a terminal, else a line for each micro-batch."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from ensue.language import Program

if TYPE_CHECKING:
    from ensue.spark.programs.running import Run

_KINDS = (
    ("events", "event"),
    ("occurrences", "occurrence"),
    ("rejected", "unusable"),
    ("late", "late"),
    ("repeated", "duplicate"),
)

_NO_WATERMARK = "1970-01-01T00:00:00.000Z"


@contextmanager
def display(running: "Run", console: Console) -> Iterator[Callable[[], None]]:
    """A function that shows how far the run has come."""
    began = monotonic()
    if console.is_terminal:
        with Live(_now(running, began), console=console, transient=True, auto_refresh=False) as live:
            yield lambda: live.update(_now(running, began), refresh=True)
        return
    shown = [0]

    def line() -> None:
        if running.tally.batches > shown[0]:
            shown[0] = running.tally.batches
            counts = ", ".join(f"{running.tally.total(kind):,} {word}" for word, kind in _KINDS)
            console.print(
                f"batch {running.tally.last_batch}: {counts} so far; {running.tally.open:,} open partial matches;"
                f" watermark {_watermark(running)}",
                soft_wrap=True,
            )

    yield line


def summary(running: "Run", program: Program) -> Table:
    """What came in and what was found, class by class."""
    tally = running.tally
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("class")
    for word, _ in _KINDS:
        table.add_column(word, justify="right")
    for name in program.classes:
        table.add_row(name, *(f"{tally.of(kind, name):,}" if tally.of(kind, name) else "" for _, kind in _KINDS))
    table.add_row("all", *(f"{tally.total(kind):,}" for _, kind in _KINDS), style="bold")
    return table


def _now(running: "Run", began: float) -> Table:
    tally = running.tally
    seconds = max(monotonic() - began, 0.1)
    progress: Any = running.query.lastProgress
    rate = (progress or {}).get("processedRowsPerSecond") or 0
    table = Table.grid(padding=(0, 2))
    for word, kind in _KINDS:
        table.add_row(word, f"{tally.total(kind):,}")
    table.add_row(
        "rate", f"{tally.total('event') / seconds:,.0f} events/s on average, {rate:,.0f} rows/s in the last batch"
    )
    table.add_row("open", f"{tally.open:,} partial matches")
    table.add_row("watermark", _watermark(running))
    table.add_row("batches", f"{tally.batches:,}, {running.query.status['message'].lower()}")
    return table


def _watermark(running: "Run") -> str:
    """How far time has come; before the first events Spark says 1970."""
    progress: Any = running.query.lastProgress
    found: str = ((progress["eventTime"] or {}) if progress else {}).get("watermark", _NO_WATERMARK)
    return "not yet known" if found == _NO_WATERMARK else found
