"""When an engine must be asked again although no event comes.

The engine itself has no timers (docs/decisions/0003): it is told the time. Whoever runs it among many others, most of
which get no events most of the time, wants to know how long it can be left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ensue.algebra.patterns import CalendarInterval, FixedInterval
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.engine.nodes.base import Node
from ensue.engine.nodes.intervals import Absences, During
from ensue.engine.nodes.latest import Latest
from ensue.engine.nodes.timers import Periods
from ensue.time.instants import EARLIEST, LATEST


def deadline(engine: Engine) -> int | None:
    """The first instant at which the clock alone may complete something; None if only events can.

    Never too late, and at times too early: then the next deadline is asked for again.
    """
    first = min((moment for node in engine.plan.nodes for moment in _moments(node, engine.clock)), default=FOREVER)
    return None if first >= FOREVER else max(first, engine.clock + 1)


def _moments(node: Node, clock: int) -> Iterator[int]:
    """Moments at which a node may have something to say; what lies before the clock means: as soon as it moves."""
    for name, rows in node.carried():
        if name.startswith("pending") and len(rows):
            yield clock + 1  # it waits for a frontier, and how far that lies behind the clock is not known here
        elif name == "held" and len(rows):
            yield int(rows.end.min())
    match node:
        case Periods():
            starts = node.state["open"]
            if len(starts):
                yield int((starts.end + (node.tables["ticked"] + 1) * node.period).min())
        case Absences():
            yield _next_end(node.interval, node.gate)
        case During(interval=FixedInterval() | CalendarInterval()) if node.counting.at_the_end:
            yield _next_end(node.interval, node.gate)
        case Latest() if node.machine.timers or node.machine.intervals:
            yield clock + 1


def _next_end(interval: object, gate: int) -> int:
    """The end of the first instance of an interval that has not ended at the gate."""
    match interval:
        case FixedInterval():
            return interval.end if interval.end > gate else FOREVER
        case CalendarInterval() if EARLIEST <= gate < LATEST:
            return next(interval.calendar.from_instant(gate + 1))[1]
        case _:
            return FOREVER
