"""What a reader needs to judge numbers: the machine, the versions of all sides, and which code of ours it was.

Nothing here names the machine or its owner.
"""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree as ET

HERE = Path(__file__).parent
PACKAGES = ("ensue", "pyspark", "numba", "numpy", "pyarrow", "duckdb")


def facts() -> dict[str, object]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_before": load(),
        "system": f"{platform.system()} {platform.machine()}",
        "kernel": platform.release().partition("-")[0],
        "python": platform.python_version(),
        "java": _java(),
        **{name: version(name) for name in PACKAGES},
        **peers(),
        "commit": _commit(),
        "day": datetime.now(UTC).date().isoformat(),
    }


def load() -> float:
    """How many processes wanted a core during the last minute, this one included."""
    return round(os.getloadavg()[0], 2)


def peers() -> dict[str, str]:
    """The versions of those in Java, by name: what each asks Maven for first."""
    found = {}
    for file in sorted((HERE / "peers").glob("*/pom.xml")):
        project = ET.parse(file).getroot()  # noqa: S314 - our own
        defined = {f"${{{one.tag}}}": one.text or "" for one in project.iterfind("properties/*")}
        asked = project.findtext("dependencies/dependency/version", "")
        found[file.parent.name] = defined.get(asked, asked)
    return found


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _java() -> str | None:
    """As it says itself: the version is the first line, on its way for mistakes."""
    said = _said("java", "-version", errors=True)
    return said.splitlines()[0] if said else None


def _commit() -> str | None:
    """The commit of the checkout, with a + behind it if the code was changed since; results are not code."""
    commit = _said("git", "rev-parse", "--short=10", "HEAD")
    changed = _said("git", "status", "--porcelain", "--", ".", ":!bench/results")
    return f"{commit}{'+' if changed else ''}" if commit else None


def _said(*command: str, errors: bool = False) -> str | None:
    """What a command answers; None where there is no such command, or it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE.parent)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stderr if errors else done.stdout).strip()
