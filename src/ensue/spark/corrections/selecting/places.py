"""The frames that stand at the places of a SELECT, and running it over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from ensue.spark.corrections.lifetimes import FROM, KEY, OCCURRED, TO, TOUCHED, Lifetimes
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ensue.language.program import Program
    from ensue.language.queries.places import Query

EVENT = "__event"
"""The class and the key of a version's event."""
FOREVER = (1 << 63) - 1
"""The end of what has not ended, so that ends compare."""
ZONE = "spark.sql.session.timeZone"


def versions(name: str, program: Program, inputs: Mapping[str, Lifetimes]) -> DataFrame:
    """The versions of a class and of those below it, as the SELECT sees them; each knows its own class."""
    attributes = [OCCURRED, *program.attributes(name)]
    below = sorted(one for one in program.taxonomy.below(name) if one in inputs)
    frames = [
        inputs[one].frame.select(
            f.struct(f.lit(one).alias("class"), quoted(KEY).alias("key")).alias(EVENT),
            quoted(FROM),
            f.coalesce(quoted(TO), f.lit(FOREVER)).alias(TO),
            quoted(TOUCHED),
            *map(quoted, attributes),
        )
        for one in below
    ]
    return reduce(lambda one, two: one.unionByName(two), frames)


def run(session: SparkSession, query: Query, frames: Mapping[int, DataFrame]) -> DataFrame:
    """The rows of a SELECT, each of its places filled with a frame."""
    with in_utc(session):
        return session.sql(query.text, None, **{f"place_{number}": frame for number, frame in frames.items()})


@contextmanager
def in_utc(session: SparkSession) -> Iterator[None]:
    """Whatever is said to Spark meanwhile means UTC: else days would be shorter where clocks are put forward."""
    zone = session.conf.get(ZONE)
    session.conf.set(ZONE, "UTC")
    try:
        yield
    finally:
        if zone is not None:
            session.conf.set(ZONE, zone)
