"""The command line. One module a command, imported only when that command runs."""

import sys

from cyclopts import App, CycloptsError, Group

from ensue import __version__

_DEVELOPMENT = Group("Development", sort_key=1)

app = App(name="ensue", help="Composite event processing.", version=__version__)
app.register_install_completion_command(show=False)
app.command("ensue.cli.demo:demo", help="Show what Ensue does, on a small history.")
app.command("ensue.cli.test:test", group=_DEVELOPMENT, help="Run Ensue's own tests.")
app.command(
    "ensue.cli.lint:lint", group=_DEVELOPMENT, help="Check the style, the format and the types of Ensue's code."
)


def main() -> None:
    """Run the command named in `sys.argv`; a command returns its exit code, and 2 means that the input was wrong."""
    try:
        app(exit_on_error=False)
    except CycloptsError:  # already printed
        sys.exit(2)
