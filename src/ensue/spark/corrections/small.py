"""Small windows: what makes Spark fast over millions of rows costs more than it brings over a few."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = 5_000
"""Up to so many versions and announcements. Windows of some dozen take a third less time so; where larger windows begin
to take longer was not measured, and a replay of 16,184 announcements takes as long with it as without."""
_PLAIN = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@contextmanager
def suited(spark: SparkSession, rows: int) -> Iterator[None]:
    """Let Spark neither compile code nor plan again on its way, if there are so few rows that it does not pay."""
    if rows > SMALL:
        yield
        return
    before = {name: spark.conf.get(name) for name in _PLAIN}
    for name, value in _PLAIN.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, known in before.items():
            spark.conf.set(name, str(known))
