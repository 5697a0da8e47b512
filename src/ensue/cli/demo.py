from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ensue.cli._called import command
from ensue.cli._demo_run import demo_session, run_demo, state_of
from ensue.cli._demo_view import view
from ensue.cli._replay import print_summary
from ensue.cli._stopping import asked_to_stop
from ensue.demo.catalogue import DEMOS, find
from ensue.demo.laying import Laid, announcements, lay
from ensue.report.history import PUBLICATIONS
from ensue.report.tables import read_rows, table_files
from ensue.report.writing import write_report
from ensue.spark.java import check_java

if TYPE_CHECKING:
    from ensue.spark.corrections.keeping import About

_ENOUGH = 10_000
"""Among so many publications there is one to look at."""


def demo(
    name: str = "earthquakes",
    /,
    *,
    list_them: Annotated[bool, Parameter(name="--list", negative=())] = False,
    data_file: Path | None = None,
    folder: Path | None = None,
) -> int:
    """Run a program over real events on Spark, and show what it finds, tells and corrects.

    Parameters
    ----------
    name
        Which demo.
    list_them
        Say which demos there are.
    data_file
        Data of your own: for a demo whose data is not part of Ensue, or another stretch of it.
    folder
        Where program, feed, tables and report go; by default `ensue-demo` and the name.
    """
    console = Console(highlight=False)
    if list_them:
        console.print(_listed())
        return 0
    chosen = find(name)
    check_java()
    laid = lay(chosen, announcements(chosen, data_file), folder or Path("ensue-demo") / chosen.name)
    _introduce(laid, console)
    about, stopped = _run(laid, console)
    _conclude(laid, about, console, stopped=stopped)
    return 0


def _listed() -> Table:
    shown = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 1, 0))
    shown.add_column(no_wrap=True, style="bold cyan")
    shown.add_column()
    for one in DEMOS.values():
        needs = "" if one.bundled else "\nneeds its data: --data-file PATH"
        about = Text(f"{one.title}, {one.about}.")
        about.append(f"\n{one.origin}{needs}", "dim")
        shown.add_row(f"{command()} demo {one.name}", about)
    return shown


def _introduce(laid: Laid, console: Console) -> None:
    one = laid.demo
    console.print(Text(f"\n{one.title}", "bold"), Text(f"{one.about}."), soft_wrap=not console.is_terminal)
    console.print(Text(f"{one.origin}\n", "dim"), soft_wrap=not console.is_terminal)
    if console.is_terminal:
        code = Syntax(one.program.rstrip(), "sql", theme="ansi_dark", background_color="default", word_wrap=True)
        console.print(Panel(code, title=str(laid.source), title_align="left", padding=(0, 1)))
    else:
        console.print(Text(one.program), soft_wrap=True)


def _run(laid: Laid, console: Console) -> "tuple[About | None, bool]":
    """Take the feed through Spark, and show how it goes; how far it came, and whether somebody had enough of it."""
    from ensue.spark.programs import kept
    from ensue.spark.programs.failures import told_clearly

    laid.data.mkdir()
    with ExitStack() as stack:
        stack.enter_context(kept.locked(laid.data))
        with console.status("Starting Spark …"):
            spark = stack.enter_context(demo_session(laid.demo.name))
        stop = stack.enter_context(asked_to_stop("this micro-batch"))
        stack.enter_context(told_clearly(laid.data))
        show = stack.enter_context(view(console, laid.demo.shown, state_of(laid, None, 0.0)))
        return run_demo(spark, laid, show, stop), stop.is_set()


def _conclude(laid: Laid, about: "About | None", console: Console, *, stopped: bool) -> None:
    """What came of it, where the report is, and what to try next."""
    console.print()
    print_summary(about, laid.program, console)
    if about is None:
        return
    page = laid.folder / "report.html"
    written = write_report(laid.data, page, title=laid.demo.title)
    early = " It was interrupted, so this is not all." if stopped else ""
    console.print(
        Text.assemble(
            f"\n{written.publications:,} publications.{early} The page with what was found, when and why:\n  ",
            (str(page), f"bold cyan link {page.resolve().as_uri()}"),
        ),
        soft_wrap=True,
    )
    console.print("\nTry next:")
    for what, typed in _next(laid):
        console.print(Text.assemble((f"  {what}:\n", "dim"), (f"    {typed}", "cyan")), soft_wrap=True)


def _next(laid: Laid) -> Iterator[tuple[str, str]]:
    me = command()
    corrected = _corrected(laid.data)
    if corrected is not None:
        yield (
            "where one of them comes from, and what was told of it when",
            f"{me} why {corrected[:8]} --data {laid.data}",
        )
    yield "what the program means, and how it runs", f"{me} explain {laid.source}"
    yield "change it, and run it yourself", f"{me} run {laid.source} --once --data {laid.folder / 'again'}"
    yield "the other demos", f"{me} demo --list"


def _corrected(data: Path) -> str | None:
    """The id of something that was changed or revoked, or else of anything that was told."""
    rows = read_rows(table_files(data, PUBLICATIONS), _ENOUGH, lambda _done: None, ("id", "case"))
    told = list(zip(rows.column("case"), rows.column("id"), strict=True))
    return next(
        (id for case in ("change", "revoke", "late", "on time") for seen, id in told if seen == case and id), None
    )
