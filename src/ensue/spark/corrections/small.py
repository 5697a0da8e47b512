"""Small queries: what makes Spark fast over millions of rows costs more than it brings over a few."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FEW = 5_000
"""So many announcements are few. What they are joined with may be more: it is only looked through."""
ONE_PLACE = "/*+ COALESCE(1) */"
"""Rows that are all in one partition need not be exchanged to be joined."""
PLAIN = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}
"""No code is compiled, nothing planned again on the way, and no row leaves its place."""


@contextmanager
def suited(spark: SparkSession, announced: int) -> Iterator[str]:
    """For few announcements, let Spark neither compile code nor plan again on its way, nor spread rows.

    Gives the hint for what queries read; none for many announcements, for which Spark stays as it is.
    """
    if announced > FEW:
        yield ""
        return
    before = {name: spark.conf.get(name, None) for name in PLAIN}
    for name, value in PLAIN.items():
        spark.conf.set(name, value)
    try:
        yield ONE_PLACE
    finally:
        for name, known in before.items():
            if known is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, known)
