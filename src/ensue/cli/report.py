from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from ensue.report.history import count_files
from ensue.report.tables import Progress
from ensue.report.writing import write_report


def report(
    data: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("report.html"),
    class_name: Annotated[str | None, Parameter(name="--class")] = None,
    title: str | None = None,
) -> int:
    """Write what a run or a replay has found, told and corrected as one HTML page, which needs no network.

    Parameters
    ----------
    data
        The data folder: what `ensue run` was given with --data, or `ensue-data` beside the program.
    output
        The file to be written.
    class_name
        Only what was found of this class, with what it is made of.
    title
        The heading of the page; by default the classes that it shows.
    """
    with _reading(count_files(data)) as progress:
        written = write_report(data, output, class_name=class_name, title=title, progress=progress)
    console = Console(highlight=False, soft_wrap=True)
    told = f", {_counted(written.publications, 'publication')}" if written.publications else ""
    found = _counted(written.occurrences, "occurrence")
    console.print(f"{written.path}: {found}{told}, {written.size / 1e6:.1f} MB")
    for note in written.notes:
        console.print(note, style="dim")
    return 0


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


@contextmanager
def _reading(files: int) -> Iterator[Progress]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _done: None
        return
    from rich.progress import BarColumn, Progress as Bar, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading tables", total=files)
        yield lambda done: bar.advance(task, done)
