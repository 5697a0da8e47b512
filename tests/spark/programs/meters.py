"""A world with one source, for faults: a keyed pattern, one over it, one without a key, and one that waits for nothing.

It is run as a user runs it, `ensue run` in a process of its own, so that this process and all below it can be killed.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.spark.programs.machines import World, reading

from ensue.errors import EnsueError
from ensue.language import Program, parse_program
from ensue.spark.programs.failures import told_clearly
from ensue.spark.programs.running import start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROGRAM = """
CREATE SUBSCRIBED EVENT CLASS Reading(device TEXT, taken TIMESTAMP, celsius DOUBLE, nr INT)
  TIME taken ID (nr) DELAY 10 seconds FROM json OPTIONS (path 'readings', maxFilesPerTrigger 1);
CREATE COMPLEX EVENT CLASS Hot(d TEXT) AS DETECT
  2 times Reading(device = ?d, celsius > 80) within 1 minute without Reading(device = ?d, celsius < 30)
  IN CONTEXT chronicle;
CREATE COMPLEX EVENT CLASS Failing(d TEXT) AS DETECT
  Hot(d = ?d) then Hot(d = ?d) within 10 minutes IN CONTEXT chronicle;
CREATE COMPLEX EVENT CLASS Lasting(d TEXT) AS DETECT
  Reading(device = ?d, celsius > 80) + 15 seconds without Reading(device = ?d, celsius < 30) IN CONTEXT recent;
CREATE COMPLEX EVENT CLASS Anywhere() AS DETECT
  Hot(d = ?a) then Reading(device = ?b, celsius < 30) within 5 minutes where ?a != ?b IN CONTEXT recent;
"""
BUSY = "did not start in time"
"""What Spark finds where too much else is running. No verdict depends on that: the run is started again."""

DERIVED = ("Hot", "Failing", "Lasting", "Anywhere")


class Meters(World):
    """Readings only; `resets` stays empty."""

    text = PROGRAM

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.started: list[subprocess.Popen[str]] = []

    @property
    def program(self) -> Program:
        return parse_program(self.text)

    def feed(self, files: int, seed: int = 1) -> None:
        """So many files, each a micro-batch, with readings a little out of order; the last one moves the time on."""
        chance = random.Random(seed)
        for _ in range(files - 1):
            self.more(chance)
        self.end()

    def more(self, chance: random.Random) -> None:
        """One more file of readings."""
        first = len(self.readings)
        self.put(
            [
                reading(
                    first + place,
                    first * 2 + chance.uniform(0, 24),
                    chance.choice("abc"),
                    chance.choice((81.0, 81.0, 50.0, 20.0)),
                )
                for place in range(12)
            ]
        )

    def end(self) -> None:
        """A file that moves the time on, beyond all that is open."""
        self.put([reading(len(self.readings), len(self.readings) * 2 + 5_000, "z", 50.0)])

    def told(self) -> dict[str, list[str]]:
        """The ids in the tables of all classes."""
        return {name: self.ids(name) for name in (*DERIVED, "Reading")}

    def wanted(self) -> dict[str, list[str]]:
        """The ids that have to be in the tables when all is done: each once."""
        return {**self.expected(), "Reading": sorted(str(one["nr"]) for one in self.readings)}

    def batches(self) -> int:
        """How many micro-batches are in the table of readings."""
        return len(list(self.data.glob("tables/Reading/batch=*")))

    def handle(self, spark: SparkSession) -> EnsueError | None:
        """Handle all that is there in a session of the test, as `ensue run --once` does: what it would have told."""
        try:
            with told_clearly(self.data):
                query = start(spark, self.program, self.data, base=self.base).query
                query.awaitTermination()
        except EnsueError as error:
            return self.handle(spark) if BUSY in str(error) else error
        return None

    def begin(self, *more: str, master: str = "local[2]") -> subprocess.Popen[str]:
        """Start `ensue run` and do not wait."""
        file = self.base / "meters.ensue"
        file.write_text(self.text)
        command = [sys.executable, "-m", "ensue", "run", str(file), "--data", str(self.data), "--master", master, *more]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.base)
        self.started.append(process)
        return process

    def run_once(self, *more: str, master: str = "local[2]") -> tuple[int, str]:
        """Handle all that is there: the exit code, and what was said."""
        with self.begin("--once", *more, master=master) as process:
            _, said = process.communicate()
        return self.run_once(*more, master=master) if BUSY in said else (process.returncode, said)


def is_told_clearly(said: str, code: str) -> None:
    """A run that fails says so in a few lines, with a code and what to do, and never shows its inside."""
    last = said.splitlines()[-2:]
    assert last[0].startswith(f"{code}: "), said
    assert last[1].startswith("  hint: "), said
    assert "Traceback" not in said, said
    assert "\tat " not in said, said
    assert "Exception" not in said, said
