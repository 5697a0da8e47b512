"""Detection on Spark: a batch DataFrame is a history, a streaming one a stream; out come occurrences."""

from ensue.spark.detecting import detect, stream
from ensue.spark.streaming.output import Detection, counts
from ensue.spark.table_function import register

__all__ = ["Detection", "counts", "detect", "register", "stream"]
