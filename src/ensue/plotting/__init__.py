"""`ensue.plot`: a timeline in a notebook, by Altair. It is an extra (`ensue[plot]`), loaded when it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ensue.errors import Diagnostic, InputError
from ensue.plotting.chart import chart_of
from ensue.plotting.rows import links_of, marks_of, ticks_of

if TYPE_CHECKING:
    import altair as alt

MOST = 5_000
"""More rows than this make a notebook slow; of more, the newest are drawn, and the title says so."""


def plot(
    occurrences: Any,
    events: Any = None,
    *,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
) -> alt.LayerChart:
    """A timeline of what was found: a lane for each pattern or class. Drag to move it, turn the wheel to zoom.

    `occurrences` is what `detect` gives, in any of its forms, or what `history` gives, "publications" included: these
    are coloured by case. With `events`, the events that were looked at, as they were given to `detect` (and with the
    same names for their columns), they stand below in lanes of their own, and choosing an occurrence lights up its
    constituents. Where constituents say their own times, as on Spark, `events` are not needed for that.
    """
    altair = _altair()
    marks, total = _newest(marks_of(occurrences))
    names = {"type": type, "time": time, "id": id}
    ticks = [] if events is None else list(ticks_of(events, names, event_type))
    links = list(links_of(marks, ticks))
    shown, all_ticks = _newest(ticks)
    counted = (("occurrences", total), ("events", all_ticks))
    notes = [f"the newest {MOST:,} of {count:,} {what}" for what, count in counted if count > MOST]
    return chart_of(altair, marks, shown, links, ", ".join(notes))


def _altair() -> Any:
    try:
        import altair as alt
    except ImportError:
        message, hint = "ensue.plot draws with Altair, which is not installed", "pip install 'ensue[plot]'"
        raise InputError(Diagnostic("E609", message, hint=hint)) from None
    return alt


def _newest(rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    ordered = sorted(rows, key=lambda row: (row["end"], row["begin"]))
    return ordered[-MOST:], len(ordered)
