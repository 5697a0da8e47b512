"""`ensue.detect`: the way to run that fits what the events are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensue.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from ensue.algebra import Context
    from ensue.algebra.patterns import Length
    from ensue.embedded.patterns import Patterns
    from ensue.language import Program


def detect(
    patterns: Patterns,
    events: Any,
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
) -> Any:
    """Every occurrence of a pattern in a history, or in a stream of Spark.

    `patterns` is a pattern or its text, a list of them, or a dict that names them. `events` may be in any order:

    - a list of dictionaries: the result is a list of `Finding` objects, in the order in which they end;
    - an Arrow table or record batch, a pandas or a Polars frame: the result is a table of the same kind with the
      columns `id`, `begin`, `end`, `constituents` and one for each variable;
    - the path of a file (JSON lines, CSV, Parquet) or of a folder of them: the result is an Arrow table. Of Parquet,
      only what the patterns want is read: rows that none of them wants are not looked at;
    - a Spark DataFrame, or a dict of one for each event class: the result is a lazy DataFrame with the columns `id`,
      `class`, `begin`, `end`, `detected`, one for each variable, and `constituents`, for all patterns together. With
      `attributes`, the constituents carry those columns of their events (`True`: all of them);
    - a streaming DataFrame, or a dict of them: the same columns as a streaming DataFrame. Events may come up to `delay`
      late; `ensue.spark.stream` has the same arguments, and gives the events that were later beside the occurrences.

    Otherwise, for a list or dict of patterns the result is a dict of such results, by the patterns' names (their
    canonical texts if they have none). `type`, `time` and `id` name the columns that say what happened, when, and which
    event it was; if all events are of one type, give it as `event_type` instead. Events without ids are called by their
    position, but not on Spark, where rows have none. With a `program`, its event classes and calendars are known, and
    what the pattern says of them is checked.

    >>> found = detect(
    ...     "Order(id = ?o) then Payment(order = ?o) within 1 hour",
    ...     [
    ...         {"type": "Order", "time": "2026-07-10T09:00:00Z", "id": "o1"},
    ...         {"type": "Payment", "time": "2026-07-10T09:20:00Z", "id": "p1", "order": "o1"},
    ...     ],
    ... )
    >>> found[0].constituents, found[0].bindings
    (('o1', 'p1'), {'o': 'o1'})
    """
    names = {"type": type, "time": time, "id": id, "event_type": event_type, "program": program}
    if _on_spark(events):
        from ensue.spark.detecting import detect as on_spark

        live = {"delay": delay, "shards": shards, "heartbeat": heartbeat}
        return on_spark(patterns, events, context, attributes=attributes, **names, **live)  # type: ignore[arg-type]
    if delay is not None or shards is not None or heartbeat is not None:
        message = "delay, shards and heartbeat are for streams of Spark"
        raise InputError(Diagnostic("E410", message, hint="ensue.Detector takes events little by little, with a delay"))
    if attributes:
        raise InputError(
            Diagnostic("E410", "attributes of constituents are only joined on Spark", hint="look them up by their ids")
        )
    if isinstance(events, (str, Path)):
        from ensue.files.history import detect as in_files

        return in_files(patterns, events, context, **names)  # type: ignore[arg-type]  # as above
    from ensue.embedded import detect as here

    return here(patterns, events, context, **names)  # type: ignore[arg-type]  # as above


def _on_spark(events: object) -> bool:
    """Whether events are frames of Spark; if there are any, Spark has been imported by whoever made them."""
    if isinstance(events, Mapping):
        return bool(events) and all(_on_spark(frame) for frame in events.values())
    return events.__class__.__module__.startswith("pyspark.sql.") and hasattr(events, "mapInArrow")
