"""Bring the jars that tests need from Maven's repository into .jars: one folder for each tools/jars/NAME/pom.xml.

    python tools/get_jars.py [NAME …]

Tests call it by themselves; needs nothing but the standard library and Maven. A folder is there completely or not at
all, and is made anew when its pom.xml changes. Of several runs at once one works, under a lock; the others wait.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
POMS = HOME / "tools" / "jars"
JARS = HOME / ".jars"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
STAMP = "pom.xml"
MAVEN_IS_MISSING = (
    "Maven is needed to get the jars for tests with Kafka and for the peers of benchmarks, and there is no mvn on the "
    "PATH. "
    "On Debian and Ubuntu: apt-get install maven; on macOS: brew install maven."
)


class NoJarsError(Exception):
    """The jars could not be had; the text says why, and what to do."""


def names() -> list[str]:
    """The sets of jars that there are."""
    return sorted(path.parent.name for path in POMS.glob("*/pom.xml"))


def jars(name: str, poms: Path = POMS) -> list[Path]:
    """The jars of a set; they are brought if they are not there."""
    folder, pom = JARS / name, poms / name / "pom.xml"
    if not is_current(folder, pom):
        JARS.mkdir(exist_ok=True)
        with (JARS / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_current(folder, pom):  # another run may have done it while this one waited
                bring(pom, folder)
    return sorted(folder.glob("*.jar"))


def is_current(folder: Path, pom: Path) -> bool:
    stamp = folder / STAMP
    return stamp.exists() and stamp.read_bytes() == pom.read_bytes()


def bring(pom: Path, folder: Path) -> None:
    """Let Maven copy the jars into a folder beside, and put it into its place when it is complete."""
    maven = shutil.which("mvn")
    if maven is None:
        raise NoJarsError(MAVEN_IS_MISSING)
    print(f"ensue: getting the jars of {folder.name} …", file=sys.stderr)
    unfinished = folder.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    command = [maven, "--batch-mode", "--quiet", "--update-snapshots", "--file", str(pom), COPY]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={unfinished}", "-DincludeScope=runtime"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "MAVEN_OPTS": os.environ.get("MAVEN_OPTS", "-Xmx256m")},
        check=False,
    )
    if done.returncode:
        raise NoJarsError(f"Maven could not get the jars of {pom}:\n{done.stdout}{done.stderr}")
    shutil.copyfile(pom, unfinished / STAMP)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def main(wanted: list[str]) -> int:
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"get_jars: there is no set {', '.join(unknown)}; there are {', '.join(names())}", file=sys.stderr)
        return 2
    try:
        for name in wanted or names():
            print(f"{JARS / name}: {len(jars(name))} jars")
    except NoJarsError as error:
        print(f"get_jars: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
