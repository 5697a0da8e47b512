"""What the development commands share: they work on a checkout, not on an installed package."""

import sys
from pathlib import Path

from rich.console import Console


def checkout() -> Path:
    """The folder of the checkout that this package runs from; ends the program if it runs from elsewhere."""
    home = Path(__file__).resolve().parents[3]
    if not (home / "pyproject.toml").is_file():
        Console(stderr=True).print("ensue: this command needs a checkout of Ensue; this is an installed package.")
        sys.exit(2)
    return home
