"""Whether there is a Java that Spark can run on, said before Spark fails in its own words."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from ensue.errors import Diagnostic, InputError

NEEDED = 17
"""Spark 4.3 runs on this version of Java and on newer ones."""

_HOW = (
    "Debian and Ubuntu: sudo apt install openjdk-17-jre-headless; macOS: brew install openjdk@17;"
    " Windows: winget install EclipseAdoptium.Temurin.17.JRE; or point JAVA_HOME at one that is installed"
)


def check_java() -> None:
    """Refuse to start Spark without a Java that it can use."""
    found_program = program()
    if found_program is None:
        home = os.environ.get("JAVA_HOME")
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is no java on the PATH"
        raise _missing(f"Spark needs Java {NEEDED} or newer, and {where}")
    found = version(found_program)
    if found is None:
        raise _missing(f"Spark needs Java {NEEDED} or newer, and {found_program} does not say that it is one")
    if found < NEEDED:
        raise _missing(f"Spark needs Java {NEEDED} or newer, and {found_program} is Java {found}")


def version(java: str) -> int | None:
    """The version of a Java, as one number (1.8 is 8); None if the program cannot tell."""
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    said = re.search(r'version "(\d+)(?:\.(\d+))?', run.stderr + run.stdout)
    if said is None:
        return None
    first, second = said.groups()
    return int(second or 0) if first == "1" else int(first)


def program() -> str | None:
    """The Java that Spark's own script would take."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return shutil.which(str(Path(home) / "bin" / "java"))
    return shutil.which("java")


def _missing(message: str) -> InputError:
    return InputError(Diagnostic("E430", message, hint=_HOW))
