"""`ensue.detect` for frames of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Patterns, Watchlist
from ensue.errors import Diagnostic, InputError, PatternError
from ensue.spark.history import detect_history
from ensue.spark.sources import Source, sources_of
from ensue.time import parse_duration

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ensue.algebra import Context
    from ensue.algebra.patterns import Length
    from ensue.language import Program
    from ensue.spark.streaming.output import Detection


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
    delay: Length | None = None,
    shards: int | None = None,
    heartbeat: Length | None = None,
) -> DataFrame:
    """The occurrences of patterns in a frame of events, or in one frame for each event class, as a frame.

    Nothing runs before the result is asked for. docs/spark.md describes the columns, and what Spark has to do.
    """
    watchlist = Watchlist.of(patterns, context, program)
    sources = sources_of(events, Names(type, time, id, event_type))
    if any(source.frame.isStreaming for source in sources):
        if attributes:
            raise InputError(Diagnostic("E410", "attributes of constituents are only joined to those of a history"))
        return stream_of(watchlist, sources, delay, shards, heartbeat).occurrences
    if delay is not None or shards is not None or heartbeat is not None:
        message = "delay, shards and heartbeat are for a stream, and this is a history"
        raise InputError(Diagnostic("E410", message, hint="leave them out"))
    found = detect_history(_over_events(watchlist), sources)
    if not attributes:
        return found
    from ensue.spark.attributes import with_attributes

    return with_attributes(found, sources, None if attributes is True else attributes)


def stream(
    patterns: Patterns,
    events: DataFrame | Mapping[str, DataFrame],
    context: str | Context = "recent",
    *,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    program: Program | None = None,
    delay: Length | None = None,
    shards: int | None = None,
    heartbeat: Length | None = None,
) -> Detection:
    """Detection over a stream with all that comes out of it: occurrences, and the events that were not taken.

    `delay` is how late an event may come (Spark's watermark; leave it out if the frame has one). `shards` is over how
    many places the keys are spread, fixed in the checkpoint. With a `heartbeat`, time goes on while no event comes, by
    the wall clock. docs/streaming.md describes all of it.
    """
    watchlist = Watchlist.of(patterns, context, program)
    return stream_of(watchlist, sources_of(events, Names(type, time, id, event_type)), delay, shards, heartbeat)


def stream_of(
    watchlist: Watchlist,
    sources: Sequence[Source],
    delay: Length | None,
    shards: int | None,
    heartbeat: Length | None,
) -> Detection:
    """The same of what has been read already."""
    from ensue.spark.streaming.running import detect_stream

    if not all(source.frame.isStreaming for source in sources):
        message = "some frames are streams and others are not" if len(sources) > 1 else "the frame is not a stream"
        raise InputError(Diagnostic("E422", message, hint="read all of them by spark.readStream, or none"))
    if shards is not None and shards < 1:
        raise InputError(Diagnostic("E410", f"shards cannot be {shards!r}", hint="give a number from 1 on"))
    lengths = [_length(name, length) for name, length in (("delay", delay), ("heartbeat", heartbeat))]
    return detect_stream(watchlist, sources, lengths[0], shards, lengths[1])


def _over_events(watchlist: Watchlist) -> Watchlist:
    """A history has no events of a class that the program defines by a pattern: refused, not left out."""
    for item in watchlist.derived:
        message = f"{item.name} is defined by a pattern: over a history on Spark, nothing is derived yet"
        hint = "detect it first, and give its occurrences as the events of that class"
        raise PatternError(Diagnostic("E411", message, hint=hint))
    return watchlist


def _length(name: str, length: Length | None) -> int | None:
    try:
        return None if length is None else parse_duration(length)
    except ValueError as error:
        raise InputError(Diagnostic("E410", f"{name}: {error}")) from None
