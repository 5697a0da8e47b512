"""One Spark session for all tests that need one: it takes seconds to start."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from tools.archive_classes import archive

# Sessions of tests are short, and so are the runs that they start: Java need not work long on its code, nor beside it.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture(scope="session")
def quick_starts() -> None:
    """For tests that start runs again and again: a quarter less work at each start, once this has been made ready."""
    kept = archive()
    if kept.stat().st_size:
        os.environ["SPARK_SUBMIT_OPTS"] += f" -XX:SharedArchiveFile={kept}"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session as users have one, on two cores, quiet."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    logging = tmp_path_factory.mktemp("spark") / "log4j2.properties"
    logging.write_text("rootLogger.level = off\n")
    session = (
        SparkSession.Builder()
        .master("local[2]")
        .appName("ensue tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "America/New_York")  # nothing may depend on it
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={logging} -Dlog4j2.level=OFF")
        .config("spark.python.worker.reuse", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
