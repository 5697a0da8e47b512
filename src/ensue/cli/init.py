from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ensue.cli._called import command, python
from ensue.errors import Diagnostic, InputError


def init(folder: str = ".", /) -> int:
    """Write a small project that works: a program, some events, a test and what to do next.

    Parameters
    ----------
    folder
        Where to. It is made if it is not there; nothing in it is overwritten.
    """
    place = Path(folder)
    written = dict(_project(files("ensue.cli") / "new_project"))
    there = [name for name in written if (place / name).exists()]
    if there:
        message = f"{place / there[0]} is there already, and nothing is overwritten"
        raise InputError(Diagnostic("E607", message, hint="name another folder: ensue init FOLDER"))
    try:
        for name, content in written.items():
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise InputError(Diagnostic("E605", f"{place} cannot be written: {error.strerror}")) from None
    console = Console(highlight=False)
    console.print(Text(f"Written to {place}: {', '.join(sorted(written))}"), soft_wrap=True)
    console.print("\nNext:")
    me = command(place)
    typed = (f"{me} check logins.ensue", f"{python()} -m pytest", f"{me} run logins.ensue --once", "cat README.md")
    for line in [*([] if folder == "." else [f"cd {folder}"]), *typed]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    return 0


def _project(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of the project. Some have another name here, where they must not be taken for what they are."""
    for one in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = one.name.removesuffix(".template")
        if one.is_dir():
            yield from _project(one, f"{prefix}{name}/")
        else:
            yield prefix + (".gitignore" if name == "gitignore" else name), one.read_bytes()
