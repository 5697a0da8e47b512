import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ensue.cli._checkout import checkout


def test(*arguments: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
    """Run Ensue's own tests.

    Parameters
    ----------
    arguments
        Given to pytest as they are. `--all` also runs the slow tests, and many more random cases.
        Without any path the tests are spread over all cores, and the longest are listed.
    """
    home = checkout()
    paths = [argument for argument in arguments if _is_path(argument)]
    given = [str(Path(argument).absolute()) if argument in paths else argument for argument in arguments]
    whole = ["-n", "auto", "--dist", "worksteal", "--durations=100", "--durations-min=8"]
    os.chdir(home)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *([] if paths else whole), *given])  # noqa: S606 - no shell is wanted


def _is_path(argument: str) -> bool:
    """`tests/test_x.py::test_y` is one; it is meant from where the user stands."""
    return not argument.startswith("-") and Path(argument.partition("::")[0]).exists()
