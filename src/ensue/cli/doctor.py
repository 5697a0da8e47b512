import sys
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ensue.cli import _checks
from ensue.cli._checks import Health, Level

_SIGNS = {Level.FINE: ("✓", "green"), Level.NOTE: ("·", "yellow"), Level.WRONG: ("✗", "red")}


def doctor(*, quick: bool = False) -> int:
    """Check that this machine has what Ensue needs, and say what to do where it has not.

    Parameters
    ----------
    quick
        Do not start Spark, which takes some seconds.
    """
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    wrong = 0
    for one in _examined(quick=quick):
        sign, style = _SIGNS[one.level]
        console.print(Text.assemble((sign, style), f" {one.what:<12} {one.says}"), soft_wrap=True)
        if one.todo:
            console.print(Text(f"  → {one.todo}", style=style), soft_wrap=True)
        wrong += one.level is Level.WRONG
    console.print(Text("all is well" if not wrong else f"{wrong} thing{'s' if wrong > 1 else ''} to put right"))
    return 1 if wrong else 0


def _examined(*, quick: bool) -> Iterator[Health]:
    yield _checks.python()
    yield from _checks.dependencies()
    yield _checks.numba_cache()
    yield _checks.memory()
    yield from _checks.disk()
    java = _checks.java()
    yield java
    yield from _checks.jars()
    if not quick and java.level is not Level.WRONG:
        yield _checks.spark()
