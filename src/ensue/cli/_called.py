"""How Ensue is called, so that what it says to type can be typed as it stands."""

import os
import sys
from pathlib import Path

COMMAND = "ENSUE_COMMAND"
"""Set by the start script of a checkout: where it lies."""


def command(folder: Path | None = None) -> str:
    """How this command is called from a folder, the current one if none is named."""
    script = os.environ.get(COMMAND)
    if script is None:
        return "ensue"
    return "./ensue" if Path(script).parent == (folder or Path()).resolve() else script


def python() -> str:
    """The Python that Ensue is installed for."""
    return "python" if os.environ.get(COMMAND) is None else sys.executable
