"""`ensue.detect` for frames of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Patterns, Watchlist
from ensue.errors import Diagnostic, InputError
from ensue.spark.history import detect_history
from ensue.spark.sources import Source, sources_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.algebra import Context
    from ensue.language import Program


def detect(
    patterns: Patterns,
    events: DataFrame | Mapping[str, DataFrame],
    context: str | Context = "recent",
    *,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    program: Program | None = None,
    attributes: bool | Sequence[str] = False,
) -> DataFrame:
    """The occurrences of patterns in a frame of events, or in one frame for each event class, as a frame.

    Nothing runs before the result is asked for. docs/spark.md describes the columns, and what Spark has to do.
    """
    watchlist = Watchlist.of(patterns, context, program)
    sources = sources_of(events, Names(type, time, id, event_type))
    if any(source.frame.isStreaming for source in sources):
        return _stream(sources)
    found = detect_history(watchlist, sources)
    if not attributes:
        return found
    from ensue.spark.attributes import with_attributes

    return with_attributes(found, sources, None if attributes is True else attributes)


def _stream(_sources: Sequence[Source]) -> DataFrame:
    """The seam to detection over a stream."""
    raise InputError(
        Diagnostic("E422", "detection over a streaming frame is not there yet", hint="give a batch frame: spark.read …")
    )
