"""The command line, run in this process, which is much faster than starting one."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ensue.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def ensue(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command; gives its exit code and what it said."""

    def run(*arguments: object) -> Ran:
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err
        return Ran(code, captured.out, captured.err)

    return run
