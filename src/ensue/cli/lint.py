import subprocess
import sys

from rich.console import Console

from ensue.cli._checkout import checkout

CHECKS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
)


def lint() -> int:
    """Check the style, the format and the types of Ensue's own code."""
    home = checkout()
    console = Console(stderr=True)
    failed = []
    for check in CHECKS:
        console.print(" ".join(check), style="bold")
        if subprocess.run([sys.executable, "-m", *check], cwd=home, check=False).returncode:  # noqa: S603 - constants
            failed.append(" ".join(check))
    if failed:
        console.print(f"failed: {', '.join(failed)}", style="red")
    return 1 if failed else 0
