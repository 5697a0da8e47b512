"""Detection on Spark: a batch DataFrame is a history, a streaming one a stream; out come occurrences."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.spark.detecting import detect, stream
    from ensue.spark.streaming.output import Detection, counts
    from ensue.spark.table_function import register

__all__ = ["Detection", "counts", "detect", "register", "stream"]


def __getattr__(name: str) -> object:
    """Load what is asked for: those who only want the state of a checkpoint need not load everything."""
    from importlib import import_module

    homes = {
        **dict.fromkeys(("detect", "stream"), "ensue.spark.detecting"),
        **dict.fromkeys(("Detection", "counts"), "ensue.spark.streaming.output"),
        "register": "ensue.spark.table_function",
    }
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(homes[name]), name)
