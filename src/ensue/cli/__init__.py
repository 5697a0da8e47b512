"""The command line. One module a command, imported only when that command runs."""

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Group

from ensue import __version__
from ensue.cli import _help
from ensue.errors import EnsueError

_DEVELOPMENT = Group("Development", sort_key=1)

app = App(name="ensue", help=_help.ENSUE, version=__version__, suppress_keyboard_interrupt=False)
app.register_install_completion_command(show=False)
app.command("ensue.cli.demo:demo", help=_help.DEMO)
app.command("ensue.cli.init:init", help=_help.INIT)
app.command("ensue.cli.detect:detect", help=_help.DETECT)
app.command("ensue.cli.why:why", help=_help.WHY)
app.command("ensue.cli.why_not:why_not", help=_help.WHY_NOT)
app.command("ensue.cli.check:check", help=_help.CHECK)
app.command("ensue.cli.explain:explain", help=_help.EXPLAIN)
app.command("ensue.cli.run:run", help=_help.RUN)
app.command("ensue.cli.report:report", help=_help.REPORT)
app.command("ensue.cli.state:state", help=_help.STATE)
app.command("ensue.cli.doctor:doctor", help=_help.DOCTOR)
app.command("ensue.cli.test:test", group=_DEVELOPMENT, help="Run Ensue's own tests.")
app.command(
    "ensue.cli.lint:lint", group=_DEVELOPMENT, help="Check the style, the format and the types of Ensue's code."
)
app.command("ensue.cli.docs:docs", group=_DEVELOPMENT, help="Build Ensue's documentation into site/.")
app.command(
    "ensue.cli.bench:bench",
    group=_DEVELOPMENT,
    help="Measure Ensue's speed, its memory and its start, also beside others.",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command, by default that of `sys.argv`; it returns its exit code, and 2 means that the input was wrong."""
    try:
        app(arguments, exit_on_error=False)
    except CycloptsError:  # already printed
        sys.exit(2)
    except EnsueError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
