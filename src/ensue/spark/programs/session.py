"""A Spark session for a command: quiet, on the machine's own cores unless told otherwise."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ensue.errors import Diagnostic, InputError
from ensue.spark.java import check_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITIONS = "spark.sql.shuffle.partitions"
_SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.python.daemon.module": "ensue.spark.daemon",
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # it looks for the place of each column's making
    "spark.sql.ui.explainMode": "simple",  # every micro-batch has several plans, and writing them out takes seconds
}
_SOCKETS = "spark.python.unix.domain.socket"
_LONGEST_SOCKET = 103
"""So many bytes at most may be the name of a socket (macOS; a few more elsewhere)."""
_SOCKET_NAME = len("/.01234567-89ab-cdef-0123-456789abcdef.sock")
_QUIET = "rootLogger.level = off\n"


@contextmanager
def session(
    name: str, master: str, *, verbose: bool = False, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session that ends with the command."""
    check_java()
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    with tempfile.TemporaryDirectory(prefix="ensue-") as folder:
        chosen = {**_SETTINGS, **(_sockets_in(folder) if master.startswith("local") else {}), **(settings or {})}
        if not verbose:
            _quiet_if_spark_dies()
            logs = Path(folder) / "log4j2.properties"
            logs.write_text(_QUIET)
            chosen["spark.log.level"] = "OFF"
            chosen["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={logs} -Dlog4j2.level=OFF"
        builder = SparkSession.Builder().master(master).appName(name)
        for key, value in chosen.items():
            builder = builder.config(key, value)
        try:
            with _silenced(not verbose):
                spark = builder.getOrCreate()
        except (PySparkException, OSError, RuntimeError) as error:
            text = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            raise InputError(
                Diagnostic(
                    "E431", f"Spark does not start with --master {master}: {text}", hint="-v shows its own words"
                )
            ) from None
        try:
            if not spark.sparkContext.getConf().contains(_PARTITIONS):
                # each has a process of ours: Spark's 200 are for other machines than these
                spark.conf.set(_PARTITIONS, str(max(1, spark.sparkContext.defaultParallelism)))
            yield spark
        finally:
            with suppress(Py4JError, ConnectionError):  # a signal to the whole group may have ended it already
                spark.stop()


def _sockets_in(folder: str) -> dict[str, str]:
    """Let Java and its Python workers talk by sockets of the file system, which lie in a folder.

    Over TCP each task waits for 40 milliseconds: one side holds back its second small packet until the first is
    confirmed, and the other confirms late. On other machines there may be no such folder.
    """
    if len(os.fsencode(folder)) + _SOCKET_NAME > _LONGEST_SOCKET:
        return {}
    return {f"{_SOCKETS}.enabled": "true", f"{_SOCKETS}.dir": folder}


def _quiet_if_spark_dies() -> None:
    """When Java is killed, py4j and Spark's own server in this process print stacks; the command has its own words."""
    from pyspark.accumulators import AccumulatorTCPServer, AccumulatorUnixServer

    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addHandler(logging.NullHandler())  # or the first message would make one that prints
    for server in (AccumulatorTCPServer, AccumulatorUnixServer):
        server.handle_error = lambda *_: None  # type: ignore[method-assign]


@contextmanager
def _silenced(wanted: bool) -> Iterator[None]:
    """Let what is started meanwhile, Spark's own process and its workers, write to nowhere."""
    if not wanted:
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    before = {number: os.dup(number) for number in (1, 2)}
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        for number in before:
            os.dup2(nowhere, number)
        yield
    finally:
        for number, copy in before.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)
