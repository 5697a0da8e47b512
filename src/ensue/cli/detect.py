import sys
import time as clock
from contextlib import ExitStack
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console

from ensue.cli._files import check_files
from ensue.cli._progress import reading
from ensue.cli._table import Screen
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watchlist
from ensue.embedded.session import Session
from ensue.engine.memory import keep_freed_memory
from ensue.errors import Diagnostic, InputError
from ensue.files.opening import FileKind, kind_of, size_of
from ensue.files.rejects import Keep, Stop
from ensue.files.running import run
from ensue.files.whole import whole_file
from ensue.files.writers import Csv, JsonLines, Parquet, Writer
from ensue.language import Program, parse_program
from ensue.time import parse_duration

Output = Literal["table", "jsonl", "csv", "parquet"]


def detect(
    pattern: str,
    /,
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)],
    context: str = "recent",
    output: Output | None = None,
    to: str | None = None,
    rejects: str | None = None,
    delay: str | None = None,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    program: str | None = None,
    file_format: Annotated[Literal["jsonl", "csv", "parquet"] | None, Parameter(name="--format")] = None,
) -> int:
    """Find the occurrences of a pattern in files of events.

    Parameters
    ----------
    pattern
        What to look for. `ensue explain PATTERN` says how it is understood.
    files
        Where to look.
    context
        Which combinations count: all, recent, latest, chronicle, continuous or cumulative.
    output
        How to show what was found: table, jsonl, csv or parquet. Without it, by the name in `--to`, else a table.
    to
        A file for what was found, instead of the screen. It is there as a whole or not at all.
    rejects
        A file for rows that cannot be read, with the reason. Without it, the first such row ends the run.
    delay
        Read as a stream, in which events come up to this much late: what is found is written at once, and memory does
        not grow with the input.
    type
        The column that says what happened.
    time
        The column that says when.
    id
        The column that says which event it was. Without such a column events are called by their position.
    event_type
        The type of all events, if there is no column for it.
    program
        A program whose event classes and calendars the pattern may use.
    file_format
        What kind the files are, if their names do not tell: jsonl, csv or parquet.
    """
    check_files(files, detect)
    started = clock.monotonic()
    keep_freed_memory()
    watchlist = Watchlist.of(pattern, context, _program(program))
    names = Names(type, time, id, event_type)
    session = Session(watchlist, names, _duration(delay), whole=delay is None)
    with ExitStack() as stack:
        writer = _writer(session, _output(output, to), to, stack)
        policy = _policy(rejects, stack)
        kind = None if file_format is None else FileKind(file_format)
        with reading(sum(map(size_of, files))) as progress:
            run(session, files, writer, policy, stream=delay is not None, kind=kind, progress=progress)
    _summary(session, writer, policy, rejects, clock.monotonic() - started)
    return 0


def _writer(session: Session, output: Output, to: str | None, stack: ExitStack) -> Writer:
    if output == "parquet":
        if to is None:
            raise InputError(Diagnostic("E607", "Parquet is not for the screen", hint="name a file with --to"))
        return Parquet(session, stack.enter_context(whole_file(to)))
    out = sys.stdout
    if to is not None:
        path = stack.enter_context(whole_file(to))
        out = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
    match output:
        case "jsonl":
            return JsonLines(session, out)
        case "csv":
            return Csv(session, out)
        case _:
            return Screen(session, out, all_rows=to is not None)


def _policy(rejects: str | None, stack: ExitStack) -> Stop | Keep:
    if rejects is None:
        return Stop()
    path = stack.enter_context(whole_file(rejects))
    return Keep(stack.enter_context(path.open("w", encoding="utf-8")))


def _output(output: Output | None, to: str | None) -> Output:
    if output is not None or to is None:
        return output or "table"
    try:
        return kind_of(to).value
    except InputError:
        return "table"


def _program(name: str | None) -> Program | None:
    from ensue.cli._sources import read_source

    return None if name is None else parse_program(read_source(name), file=name)


def _duration(delay: str | None) -> int:
    try:
        return 0 if delay is None else parse_duration(delay)
    except ValueError as error:
        raise InputError(Diagnostic("E607", f"--delay: {error}")) from None


def _summary(session: Session, writer: Writer, policy: Stop | Keep, rejects: str | None, seconds: float) -> None:
    """What was done, beside the output and not in it."""
    found = f"{writer.count:,} occurrence{'' if writer.count == 1 else 's'}"
    text = f"{found} in {session.position:,} events, {seconds:.1f} s"
    if isinstance(policy, Keep):
        text += f"; {policy.count:,} row{'' if policy.count == 1 else 's'} that cannot be used in {rejects}"
    Console(stderr=True, highlight=False).print(text, style="dim", soft_wrap=True)
