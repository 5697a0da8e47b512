"""A standalone Spark cluster on loopback: a master and two workers with a core each, from the jars of PySpark."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import Popen

import psutil  # type: ignore[import-untyped]
import pyspark
from tests.spark.programs.machines import PATIENCE
from tests.spark.servers import free_port, is_listening, running

HOME = Path(pyspark.__file__).parent
QUICK = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
INSTALLED = {"SPARK_HOME": str(HOME), "SPARK_SCALA_VERSION": "2.13", "JDK_JAVA_OPTIONS": " ".join(QUICK)}
"""What Spark's own start scripts tell a worker, and that nothing here lives long; executors are started with it."""
DEPLOY = "org.apache.spark.deploy"
QUIET = """
rootLogger.level = error
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %p %c: %m%n
"""


@dataclass(frozen=True)
class Cluster:
    master: str
    workers: tuple[Popen[bytes], ...]
    work: tuple[Path, ...]
    """Where the executors of each worker run."""

    def executors(self, worker: int) -> list[psutil.Process]:
        """The executors of a worker that are running."""
        try:
            children = psutil.Process(self.workers[worker].pid).children(recursive=True)
            return [one for one in children if any("CoarseGrainedExecutorBackend" in part for part in one.cmdline())]
        except psutil.NoSuchProcess:
            return []

    def any_executor(self) -> psutil.Process:
        """One of those that are running; after a kill it takes a while until there is one again."""
        end = time.monotonic() + PATIENCE
        while not (running := [one for worker in range(len(self.workers)) for one in self.executors(worker)]):
            assert time.monotonic() < end, "no executor comes any more"
            time.sleep(0.02)
        return running[0]


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    logging = folder / "log4j2.properties"
    logging.write_text(QUIET)
    # fewer threads and little memory: there are five Java machines on two cores
    java = ["java", "-Xmx256m", *QUICK]
    java += [f"-Dlog4j2.configurationFile={logging}", "-cp", f"{HOME / 'jars'}/*"]
    port, shown = free_port(), free_port()
    at = ["--host", "127.0.0.1"]
    with ExitStack() as stack:
        command = [*java, f"{DEPLOY}.master.Master", *at, "--port", str(port), "--webui-port", str(shown)]
        stack.enter_context(running(command, folder / "master.log", lambda: is_listening(port)))
        master = f"spark://127.0.0.1:{port}"
        workers, work = [], []
        for name in ("one", "two"):
            work.append(folder / name)
            page = free_port()
            command = [*java, f"{DEPLOY}.worker.Worker", *at, "--cores", "1", "--memory", "1g"]
            command += ["--webui-port", str(page), "--work-dir", str(work[-1]), master]
            log = folder / f"{name}.log"
            listens = partial(is_listening, page)
            workers.append(stack.enter_context(running(command, log, listens, INSTALLED)))
        yield Cluster(master, tuple(workers), tuple(work))


def driver_environment() -> dict[str, str]:
    """What a user sets: the interpreter of the executors. No path to the code: it is installed in their environment."""
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
