"""Find a Chromium for the tests of reports, or get one: what the system has, else Playwright's own, kept in .browsers.

Where Playwright's download is not reachable, as behind a mirror of packages, Debian's package is installed instead, if
this may install packages. Prints where it is.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
BROWSERS = HOME / ".browsers"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


class MissingBrowserError(Exception):
    """There is none, and none can be had; says why."""


def browser() -> Path:
    """A Chromium that can be started."""
    found = _found()
    if found is not None:
        return found
    said: str | None = None
    with (HOME / ".browsers.lock").open("w") as lock:  # of several test processes one gets it
        fcntl.flock(lock, fcntl.LOCK_EX)
        for get in (lambda: None, _from_playwright, _from_debian):
            said = get()
            found = _found()
            if found is not None:
                return found
    raise MissingBrowserError(
        "no Chromium: none on the PATH, Playwright's cannot be downloaded here, and packages cannot be installed"
        + (f" ({said})" if said else "")
        + ". Install chromium, or run `playwright install chromium`."
    )


def _found() -> Path | None:
    on_path = (shutil.which(name) for name in NAMES)
    own = BROWSERS.glob("chromium*/chrome-linux*/chrome") if BROWSERS.exists() else ()
    places = [Path(place) for place in on_path if place] + sorted(own)
    return places[0] if places else None


def _from_playwright() -> str | None:
    environment = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": str(BROWSERS)}
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    return _run(command, environment)


def _from_debian() -> str | None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return "not root, or no apt-get"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], environment)
    return _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], environment)


def _run(command: list[str], environment: dict[str, str]) -> str | None:
    """Run something; gives the end of what it said if it failed."""
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["it failed"])[-1]


if __name__ == "__main__":
    try:
        print(browser())
    except MissingBrowserError as error:
        sys.exit(str(error))
