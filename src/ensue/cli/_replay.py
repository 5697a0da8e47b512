"""`ensue run … --replay`: what is shown, where things go, and what the options mean."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ensue.cli._cases import LOOKS
from ensue.cli._stopping import asked_to_stop
from ensue.errors import Diagnostic, InputError
from ensue.files.opening import FileKind, check_readable
from ensue.files.whole import whole_file
from ensue.language import Program
from ensue.time import format_instant, to_instant

if TYPE_CHECKING:
    from ensue.spark.corrections.keeping import About
    from ensue.spark.corrections.replaying import Bad


@dataclass(frozen=True)
class Replay:
    """What a replay was told."""

    files: tuple[str, ...]
    until: int | None
    speed: float | None
    data: Path | None
    output: str | None
    rejects: str | None
    names: tuple[str, ...]
    kind: FileKind | None
    master: str
    verbose: bool


def replay_program(name: str, program: Program, said: Replay, console: Console) -> int:
    """Replay files through a program, and say what came of it."""
    from ensue.spark.corrections.correctable import check_correctable
    from ensue.spark.corrections.publications import write_publications
    from ensue.spark.corrections.recording import parse_names
    from ensue.spark.corrections.replaying import prepare, record, replay
    from ensue.spark.corrections.running import Course
    from ensue.spark.programs import kept
    from ensue.spark.programs.failures import told_clearly
    from ensue.spark.programs.session import session

    check_correctable(program)
    names = parse_names(said.names, program)
    if not said.files:
        raise InputError(Diagnostic("E607", "no file is given", hint="--replay FILE…"))
    for file in said.files:
        check_readable(file)
    with ExitStack() as stack:
        out = None
        if said.output is not None:
            path = stack.enter_context(whole_file(said.output))
            out = stack.enter_context(path.open("w", encoding="utf-8"))
        reject = _rejecting(said.rejects, stack)
        folder = said.data or Path(stack.enter_context(TemporaryDirectory(prefix="ensue-replay-")))
        _make(folder)
        stack.enter_context(kept.locked(folder))
        spark = stack.enter_context(session(f"ensue {Path(name).name}", said.master, verbose=said.verbose))
        stack.enter_context(told_clearly(folder))
        cores = max(1, spark.sparkContext.defaultParallelism)
        shards = prepare(program, folder, said.files, names, cores)
        course = Course(spark, program, folder, shards=shards)
        recording = record(spark, course, said.files, names, kind=said.kind, reject=reject)
        with asked_to_stop("this window") as stop, _shown(recording.total, console) as progress:
            replay(
                course,
                recording,
                until=said.until,
                speed=said.speed,
                progress=progress,
                stop=stop,
            )
        if out is not None:
            write_publications(spark, folder, out)
        print_summary(course.about, program, console)
        console.print(_ending(said, folder, stopped=stop.is_set()), soft_wrap=True)
    return 0


def parse_speed(text: str | None) -> float | None:
    """`3600x`: so much faster than it happened; `max` does not wait."""
    if text is None or text == "max":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)x?", text)
    if match is None or not float(match.group(1)):
        raise InputError(Diagnostic("E607", f"--speed: {text} is no speed", hint="write --speed 3600x, or max"))
    return float(match.group(1))


def parse_until(text: str | None) -> int | None:
    try:
        return None if text is None else to_instant(text)
    except ValueError as error:
        raise InputError(Diagnostic("E607", f"--until: {error}")) from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(Diagnostic("E605", f"{folder} cannot be made: {error.strerror}")) from None


def _rejecting(name: str | None, stack: ExitStack) -> "Callable[[Sequence[Bad]], None] | None":
    if name is None:
        return None
    path = stack.enter_context(whole_file(name))
    file = stack.enter_context(path.open("w", encoding="utf-8"))

    def reject(rows: "Sequence[Bad]") -> None:
        for row in rows:
            said = {"file": row.file, "line": row.line, "reason": f"{row.code}: {row.reason}", "raw": row.raw}
            file.write(json.dumps(said, ensure_ascii=False) + "\n")

    return reject


@contextmanager
def _shown(total: int, console: Console) -> Iterator[Callable[[int], None]]:
    if not console.is_terminal:
        yield lambda done: console.print(f"{done:,} of {total:,} announcements")
        return
    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)


def print_summary(about: "About | None", program: Program, console: Console) -> None:
    """What was published, by class and case, and what became of the announcements."""
    told = about.told if about is not None else {}
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("publications")
    for case, look in LOOKS.items():
        table.add_column(case, justify="right", header_style=f"bold {look.style}")
    for item in program.derived_classes:
        if not item.publications:
            continue
        name = item.declaration.name
        table.add_row(name, *(f"{told.get(name, {}).get(case, 0):,}" for case in LOOKS))
    all_told = [sum(cases.get(case, 0) for cases in told.values()) for case in LOOKS]
    table.add_row("all", *(f"{count:,}" for count in all_told), style="bold")
    console.print(table)
    if about is None:
        console.print("Nothing was announced.")
        return
    outcomes = ", ".join(f"{count:,} {what}" for what, count in about.outcomes.items())
    console.print(f"Announcements: {outcomes}.", soft_wrap=not console.is_terminal)
    coming = f"; {about.coming:,} known events are still to come" if about.coming else ""
    due = f"; the next step is at {format_instant(about.due)}" if about.due is not None else ""
    console.print(f"Up to {format_instant(about.last)}{coming}{due}.", soft_wrap=not console.is_terminal)


def _ending(said: Replay, folder: Path, *, stopped: bool) -> str:
    parts = []
    if said.output is not None:
        parts.append(f"The publications are in {said.output}.")
    if said.data is not None:
        parts.append(f"The tables are in {folder / 'tables'}.")
        if stopped:
            parts.append("The same command goes on where it was.")
    else:
        parts.append("Nothing else is kept; --data FOLDER keeps the tables.")
    return " ".join(parts)
