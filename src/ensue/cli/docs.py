import subprocess
import sys

from rich.console import Console

from ensue.cli._checkout import checkout


def docs(*, serve: bool = False) -> int:
    """Build the documentation into site/. Pages can be read from the disk; to search in them, use --serve.

    Parameters
    ----------
    serve
        Show it on http://localhost:8000 instead, and build a page anew when it has changed, until Ctrl-C.
    """
    home = checkout()
    build = ("serve",) if serve else ("build", "--strict", "--clean")
    for command in (("tools.pages",), ("zensical", *build)):
        ended = subprocess.run([sys.executable, "-m", *command], cwd=home, check=False)  # noqa: S603 - constants
        if ended.returncode:
            return ended.returncode
    if not serve:
        Console(stderr=True).print(
            f"open {home / 'site' / 'index.html'}; to search in it: ./ensue docs --serve", soft_wrap=True
        )
    return 0
