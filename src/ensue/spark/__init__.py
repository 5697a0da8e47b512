"""Detection on Spark: a batch DataFrame is a history, a streaming one a stream; out come occurrences.

What it offers is loaded when it is first asked for: Spark starts small processes that need little of it.
"""

from typing import TYPE_CHECKING

from ensue.loading import named_in, on_demand

if TYPE_CHECKING:
    from ensue.spark.detecting import detect, stream
    from ensue.spark.streaming.output import Detection, counts
    from ensue.spark.table_function import register

__all__ = ["Detection", "counts", "detect", "register", "stream"]

__getattr__ = on_demand(
    __name__,
    named_in(
        {
            "ensue.spark.detecting": "detect stream",
            "ensue.spark.streaming.output": "Detection counts",
            "ensue.spark.table_function": "register",
        }
    ),
)
