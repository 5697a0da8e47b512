"""What a side of the sweeps is: it takes a question, says if it cannot be asked that, and gets ready for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from bench import measuring
from bench.peers.asked import CannotError
from bench.peers.files import Files
from bench.peers.matching import Matches
from bench.peers.orders import EndedError
from bench.peers.sides import Kind, Ready, TooSlowError, in_time, of_spark
from bench.questions import Question

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CORES = 2
T = TypeVar("T")


@dataclass(frozen=True)
class Contender:
    name: str
    start: Callable[[Question, Files, float], AbstractContextManager[Ready]]
    """Gets ready for a question; a run has so many seconds."""
    kind: Kind = "peer"
    end: Callable[[], object] = lambda: None
    """Ends what it has kept from one question to the next."""


@contextmanager
def giving_up(cannot: dict[str, str], side: str, value: str, patience: float) -> Iterator[None]:
    """A side that cannot be asked this, takes too long or ends with an error is not asked for more; why is kept."""
    try:
        yield
    except CannotError as error:
        cannot[side] = str(error)
    except TooSlowError:
        cannot[side] = f"takes longer than {patience:g} s from {value} on"
    except EndedError as error:
        measuring.console.print(str(error), style="red", markup=False)
        cannot[side] = f"ends with an error from {value} on"


def ready_in_spark(
    spark: SparkSession, patience: float, found: Callable[[], Sequence[DataFrame]], check: Callable[[], Matches]
) -> Ready:
    """Runs give all matches to a sink that takes everything; what takes more than so many seconds is stopped."""

    def stopped(work: Callable[[], T]) -> Callable[[], T]:
        def run() -> T:
            with in_time(patience, spark.sparkContext.cancelAllJobs):
                return work()

        return run

    return Ready(stopped(lambda: sum(map(_counted, found()))), stopped(check), of_spark)


def _counted(found: DataFrame) -> int:
    """How many the sink got is observed on the way."""
    from pyspark.sql import Observation, functions as f

    seen = Observation()
    found.observe(seen, f.count("*").alias("count")).write.format("noop").mode("overwrite").save()
    return int(seen.get["count"])
