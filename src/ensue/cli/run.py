from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from rich.console import Console

from ensue.cli._live import follow_live
from ensue.cli._replay import Replay, parse_speed, parse_until, replay_program
from ensue.cli._run_progress import display, summary
from ensue.cli._sources import read_source
from ensue.cli._stopping import asked_to_stop, follow
from ensue.errors import Diagnostic, InputError
from ensue.files.opening import FileKind
from ensue.language import parse_program
from ensue.language.corrections import corrects
from ensue.time import parse_duration

if TYPE_CHECKING:
    from ensue.spark.programs.running import Run


def run(
    program: str,
    /,
    *,
    master: str = "local[*]",
    once: bool = False,
    data: str | None = None,
    trigger: str | None = None,
    replay: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    until: str | None = None,
    speed: str | None = None,
    output: str | None = None,
    names: Annotated[list[str] | None, Parameter(name="--map", negative=())] = None,
    rejects: str | None = None,
    file_format: Annotated[Literal["jsonl", "csv", "parquet"] | None, Parameter(name="--format")] = None,
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"])] = False,
) -> int:
    """Run a program on Spark: its classes' sources, patterns, SELECTs, history tables and sinks.

    Parameters
    ----------
    program
        A file with statements. Paths in it are meant from its folder.
    master
        Where Spark runs: local[*] is this machine with all its cores.
    once
        Handle what is there, and end. The stream is not over: what is open stays open for the next run.
    data
        The folder of the tables and the checkpoint; by default `ensue-data` beside the program.
    trigger
        How often a micro-batch begins, by default every second.
    replay
        Files of recorded announcements to be taken instead of the sources, in the order of their detection. The clock
        is theirs.
    until
        Up to when a replay goes on: what falls due later is not published. By default the last detection time.
    speed
        How fast a replay goes: 3600x is an hour in a second; by default max, without waiting.
    output
        A file for what a replay publishes, as JSON lines. It is there as a whole or not at all.
    names
        What the columns of a replay are called, if not type, op, time, detected and as the attributes:
        detected=tx_time:s,time=started:s,type=Outage. Behind a colon is the unit of numbers: s, ms or us.
    rejects
        A file for rows of a replay that cannot be read, with the reason. Without it, the first such row ends the run.
    file_format
        What kind the files of a replay are, if their names do not tell: jsonl, csv or parquet.
    verbose
        Show what Spark itself has to say.
    """
    if once and trigger is not None:
        raise InputError(
            Diagnostic("E607", "--once takes what is there, so there is no --trigger", hint="leave one out")
        )
    parsed = parse_program(read_source(program), file=program)
    console = Console(stderr=True, highlight=False)
    if replay is not None:
        if once or trigger is not None:
            raise InputError(Diagnostic("E607", "a replay has no --once and no --trigger", hint="leave them out"))
        said = Replay(
            tuple(replay),
            parse_until(until),
            parse_speed(speed),
            None if data is None else _data_folder(data, Path()),
            output,
            rejects,
            tuple(names or ()),
            None if file_format is None else FileKind(file_format),
            master,
            verbose,
        )
        return replay_program(program, parsed, said, console)
    only_replays = {"until": until, "speed": speed, "output": output, "map": names, "rejects": rejects}
    for option, given in {**only_replays, "format": file_format}.items():
        if given is not None:
            raise InputError(
                Diagnostic("E607", f"--{option} is for a replay", hint="add --replay FILE, or leave it out")
            )
    every = _interval(trigger or "1 second")
    place = Path(program).resolve().parent
    folder = _data_folder(data, place)

    from ensue.spark.programs import kept
    from ensue.spark.programs.failures import failure, told_clearly
    from ensue.spark.programs.running import check_runnable, start
    from ensue.spark.programs.session import session

    correcting = corrects(parsed)
    if correcting:
        from ensue.spark.corrections.live import check_live

        check_live(parsed)
    else:
        check_runnable(parsed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(Diagnostic("E605", f"{folder} cannot be made: {error.strerror}")) from None
    with kept.locked(folder), session(f"ensue {Path(program).name}", master, verbose=verbose) as spark:
        ui = spark.sparkContext.uiWebUrl
        console.print(f"Spark {spark.version} on {master}" + (f", {ui}" if ui else ""), soft_wrap=True)
        again = f"ensue run {program}" + (f" --data {data}" if data else "")
        if correcting:
            with asked_to_stop("this micro-batch") as stop, told_clearly(folder):
                follow_live(spark, parsed, folder, place, None if once else every, stop, console)
            then = "takes what has come since" if once and not stop.is_set() else "goes on where it was"
            console.print(f"The tables are in {folder / 'tables'}. `{again}` {then}.", soft_wrap=True)
            return 0
        with asked_to_stop("this micro-batch") as stop, told_clearly(folder):
            running = start(spark, parsed, folder, base=place, trigger=None if once else every, stopping=stop.is_set)
            with display(running, console) as show:
                follow(running.query, stop, show)
            failed = running.query.exception()
            if failed is not None and not stop.is_set():
                raise failure(failed, folder)
        console.print(summary(running, parsed))
        console.print(_ending(running, folder, again, over=once and not stop.is_set()), soft_wrap=True)
    return 0


def _ending(running: "Run", folder: Path, again: str, *, over: bool) -> str:
    progress = running.query.lastProgress
    watermark = ((progress["eventTime"] or {}) if progress else {}).get("watermark")
    waiting = f"{running.tally.open:,} partial matches are open and stay so"
    until = f"Evaluated up to {watermark}; {waiting}. " if watermark else ""
    then = "takes what has come since" if over else "goes on where it was"
    return f"{until}The tables are in {folder / 'tables'}. `{again}` {then}."


def _interval(text: str) -> str:
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise InputError(Diagnostic("E607", f"--trigger: {error}", hint='for example --trigger "10 seconds"')) from None
    return f"{max(1, length // 1000)} milliseconds"


def _data_folder(data: str | None, beside: Path) -> Path:
    if data is None:
        return beside / "ensue-data"
    if "://" in data:
        message = f"--data {data} is not on a file system of this machine: tables are renamed into place there"
        raise InputError(Diagnostic("E607", message, hint="give a folder; one that is mounted is fine"))
    return Path(data)
