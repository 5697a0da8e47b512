"""Detection over a whole history at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.embedded.adapting import adapt
from ensue.embedded.incoming import Names, Strict
from ensue.embedded.patterns import Patterns, Watchlist
from ensue.embedded.session import Session

if TYPE_CHECKING:
    from ensue.algebra import Context
    from ensue.language import Program


def detect(
    patterns: Patterns,
    events: object,
    context: str | Context = "recent",
    *,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    program: Program | None = None,
) -> Any:
    """Every occurrence of a pattern in a history, in the order in which they end.

    `patterns` is a pattern or its text, a list of them, or a dict that names them. `events` may be in any order:

    - a list of dictionaries: the result is a list of `Finding` objects;
    - an Arrow table or record batch, a pandas or a Polars frame: the result is a table of the same kind with the
      columns `id`, `begin`, `end`, `constituents` and one for each variable.

    For a list or dict of patterns the result is a dict of such results, by the patterns' names (their canonical texts
    if they have none). `type`, `time` and `id` name the columns that say what happened, when, and which event it was;
    if all events are of one type, give it as `event_type` instead. Events without ids are called by their position.
    With a `program`, its event classes and calendars are known, and what the pattern says of them is checked.

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
    session = Session(Watchlist.of(patterns, context, program), Names(type, time, id, event_type), whole=True)
    incoming, shape = adapt(events, 0)
    session.add(incoming, Strict())
    return shape.results(session.finish(), session)
