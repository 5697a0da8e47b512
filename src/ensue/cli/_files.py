"""Names of files on the command line: `-` is one, so the parser lets everything pass that begins with it."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from cyclopts import Parameter

from ensue.errors import Diagnostic, InputError, near
from ensue.files.opening import STDIN


def check_files(files: Sequence[str], command: Callable[..., Any]) -> None:
    """Refuse no files at all, and what was meant as an option of the command."""
    if not files:
        raise InputError(Diagnostic("E607", "no file is given", hint="name one, or - for standard input"))
    for name in files:
        if name.startswith("-") and name != STDIN:
            word = command.__name__.replace("_", "-")
            hint = near(name.partition("=")[0], _options(command)) or f"a file of that name is ./{name}"
            message = f"there is no option {name}"
            raise InputError(Diagnostic("E607", message, hint=f"{hint} `ensue {word} --help` lists the options"))


def _options(command: Callable[..., Any]) -> Iterator[str]:
    for name, parameter in inspect.signature(command).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            said = [one.name for one in get_args(parameter.annotation) if isinstance(one, Parameter) and one.name]
            yield from said[0] if said else [f"--{name.replace('_', '-')}"]
