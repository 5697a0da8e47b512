"""Keep Spark's Java classes as they are in memory, read and checked, in a file in .jars: less work at each start.

    python tools/archive_classes.py

Tests that start many runs call it by themselves. Java makes the file at the end of a run of an example, and takes it
only if its classes are still those (class data sharing); a Java that cannot do this runs without.
"""

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

HOME = Path(__file__).resolve().parent.parent
EXAMPLE = HOME / "examples" / "machines" / "machines.ensue"
FOLDER = HOME / ".jars"
RUN = "from ensue.cli import main; main()"


def archive() -> Path:
    """The file; if there is none yet, it is made. Of several processes at once one works, and the others wait."""
    file = FOLDER / f"spark-{pyspark.__version__}.jsa"
    if not file.exists():
        FOLDER.mkdir(exist_ok=True)
        with (FOLDER / "classes.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                make(file)
    return file


def make(file: Path) -> None:
    """Run the example; with `spark-submit`, because its end is that of Java."""
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    unfinished = file.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"
        script.write_text(RUN)
        options = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} -XX:ArchiveClassesAtExit={unfinished}"
        environment = {**os.environ, "SPARK_SUBMIT_OPTS": options, "PYSPARK_PYTHON": sys.executable}
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
        run = [script, "run", EXAMPLE, "--data", Path(folder) / "data", "--once"]
        command = [str(word) for word in (submit, "--master", "local[2]", *run)]
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if not unfinished.exists():
        unfinished.touch()  # a Java that makes none takes none either
    unfinished.rename(file)


if __name__ == "__main__":
    made = archive()
    print(f"{made}: {made.stat().st_size >> 20} MiB")
