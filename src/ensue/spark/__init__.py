"""Detection on Spark: a batch DataFrame is a history; out comes a DataFrame of occurrences."""

from ensue.spark.detecting import detect
from ensue.spark.table_function import register

__all__ = ["detect", "register"]
