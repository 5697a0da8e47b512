"""What a side of the sweeps is: it takes a question, says if it cannot be asked that, and gets ready for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.peers.files import Files
from bench.peers.sides import Kind, Ready, TooSlowError
from bench.questions import Question

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CORES = 2


@dataclass(frozen=True)
class Contender:
    name: str
    start: Callable[[Question, Files, float], AbstractContextManager[Ready]]
    """Gets ready for a question; a run has so many seconds."""
    kind: Kind = "peer"


@contextmanager
def in_time(spark: SparkSession, patience: float) -> Iterator[None]:
    """Stops what Spark does when it has taken so many seconds."""
    over = threading.Event()

    def stop() -> None:
        over.set()
        spark.sparkContext.cancelAllJobs()

    timer = threading.Timer(patience, stop)
    timer.start()
    try:
        yield
    except Exception:
        if over.is_set():
            raise TooSlowError from None
        raise
    finally:
        timer.cancel()


def counted(found: DataFrame) -> int:
    """All matches, to a sink that takes everything; how many it got is observed on the way."""
    from pyspark.sql import Observation, functions as f

    seen = Observation()
    found.observe(seen, f.count("*").alias("count")).write.format("noop").mode("overwrite").save()
    return int(seen.get["count"])
