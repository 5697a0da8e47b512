"""A progress bar while files are read: on a terminal only, and never in the output."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from ensue.files.running import Progress

SHORTEST = 20_000_000
"""Fewer bytes than this are read before anyone could look at a bar."""


@contextmanager
def reading(size: int) -> Iterator[Progress]:
    """A function that is told how many bytes and rows have been read."""
    console = Console(stderr=True)
    if not console.is_terminal or size < SHORTEST:
        yield lambda _bytes, _rows: None
        return
    from rich.progress import BarColumn, Progress as Bar, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=size)
        yield lambda done, rows: bar.update(task, completed=done, description=f"{rows:,} events")
