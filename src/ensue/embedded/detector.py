"""Detection in events that come little by little."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ensue.embedded.adapting import LIST, adapt
from ensue.embedded.event_by_event import EventByEvent
from ensue.embedded.findings import Finding, together
from ensue.embedded.incoming import Incoming, Names, Places, Problem, refused
from ensue.embedded.patterns import Patterns, Watchlist
from ensue.embedded.session import Session
from ensue.embedded.single_events import SingleEvents
from ensue.errors import Diagnostic, InputError
from ensue.time import parse_duration, to_instant

if TYPE_CHECKING:
    from ensue.algebra import Context
    from ensue.algebra.patterns import Length
    from ensue.language import Program

OnLate = str | Callable[[list[dict[str, object]]], None]


class Detector:
    """Detects patterns in events that are fed to it, in batches or one by one, and can be saved and restored.

    Events may come up to `delay` late: they are held back that long and taken in order of time, so the findings are
    those of `detect`, however the events were cut into batches. Simultaneous events are taken together; with no delay,
    those of the newest instant wait for the next one, for `advance_to` or for `finish`.

    With `immediate=True` nothing is held back: each event is evaluated when it comes, together with those
    of its instant that came before it. Events must then come in order of time.

    An event whose time has been evaluated already is late. It is counted in `late_count`, and handed to `on_late`:
    kept in the list `late`, which is yours to empty ("keep", the default), refused with an `InputError` ("raise"), or
    given to a function, as a list of dictionaries.
    """

    def __init__(
        self,
        patterns: Patterns,
        context: str | Context = "recent",
        *,
        delay: Length = 0,
        immediate: bool = False,
        type: str = "type",
        time: str = "time",
        id: str = "id",
        event_type: str | None = None,
        program: Program | None = None,
        on_late: OnLate = "keep",
    ) -> None:
        watchlist = Watchlist.of(patterns, context, program)
        names = Names(type, time, id, event_type)
        self._begin(Session(watchlist, names, _delay(delay, immediate), immediate=immediate), _Late(on_late))

    def _begin(self, session: Session, late: _Late) -> None:
        self._session = session
        flow = session.flow
        self._single_events = SingleEvents(session, flow) if isinstance(flow, EventByEvent) else None
        self._finished = False
        self._shape = LIST
        self._late = late

    @property
    def late(self) -> list[dict[str, object]]:
        """The late events that were kept, as dictionaries."""
        return self._late.kept

    @property
    def late_count(self) -> int:
        """How many events came too late."""
        return self._late.count

    def feed(self, events: object) -> Any:
        """Take a batch of events or a single one; gives what they complete, in the kind in which they came.

        If an event cannot be used, an `InputError` says which and why, and none of the batch is taken.
        """
        self._check_open()
        if self._single_events is not None and type(events) is dict:
            found = self._single_events.feed(events)
            if found is not None:
                self._shape = LIST
                return found
        incoming, self._shape = adapt(events, self._session.position)
        self._session.add(incoming, self._late)
        return self._shape.results(self._session.release(), self._session)

    def feed_one(self, event: Mapping[str, object]) -> list[Finding]:
        """Take a single event; gives what it completes of all patterns as one list, in the order in which that ends.

        The `type` of a finding is the name of its pattern. With thousands of patterns and `immediate=True` this is the
        way to take: `feed` names all of them each time, this costs as much as the patterns that may want the event.
        """
        self._check_open()
        if not isinstance(event, Mapping):
            message = f"a single event is a dictionary, not a {event.__class__.__name__}"
            raise InputError(Diagnostic("E400", message, hint="feed takes lists and tables of events"))
        if self._single_events is not None and type(event) is dict:
            found = self._single_events.findings(event)
            if found is not None:
                self._shape = LIST
                return found
        results = self.feed(event)
        return together(results) if isinstance(results, dict) else results

    def advance_to(self, time: str | float | datetime) -> Any:
        """Say that it is now this time, though no event came: delays and intervals end. Gives what that completes."""
        self._check_open()
        try:
            instant = to_instant(time)
        except ValueError as error:
            raise InputError(Diagnostic("E401", str(error))) from None
        return self._shape.results(self._session.advance_to(instant), self._session)

    def finish(self) -> Any:
        """Say that nothing more will come: what is held back is taken, and every delay and interval ends."""
        self._check_open()
        self._finished = True
        return self._shape.results(self._session.finish(), self._session)

    def save(self) -> bytes:
        """Everything that is needed to go on from here, in this process or another; `restore` takes it.

        The late events that were kept are not part of it, only their number is: take them away before.
        """
        from ensue.embedded.saving import save

        self._check_open()
        return save(self._session, self._late.count)

    @classmethod
    def restore(
        cls, data: bytes, patterns: Patterns | None = None, *, program: Program | None = None, on_late: OnLate = "keep"
    ) -> Detector:
        """A detector that goes on where another was saved.

        The patterns are part of what was saved. If you give them again, they are checked to be the same.
        """
        from ensue.embedded.saving import restore

        session, late_count = restore(data, patterns, program)
        detector = cls.__new__(cls)
        detector._begin(session, _Late(on_late, late_count))  # noqa: SLF001 - its own
        return detector

    def _check_open(self) -> None:
        if self._finished:
            message = "the detector has finished: it takes no more events"
            raise InputError(Diagnostic("E412", message, hint="make a new Detector, or save it before you finish it"))


class _Late:
    """The policy of a detector: bad events are refused, late ones go where the user wants them."""

    def __init__(self, on_late: OnLate, count: int = 0) -> None:
        if not callable(on_late) and on_late not in ("keep", "raise"):
            message = f"on_late cannot be {on_late!r}"
            raise InputError(Diagnostic("E410", message, hint='give "keep", "raise" or a function'))
        self._on_late = on_late
        self.kept: list[dict[str, object]] = []
        self.count = count

    def bad(self, problems: list[Problem], _events: Incoming, places: Places) -> None:
        raise refused(problems, places)

    def late(self, problems: list[Problem], events: Incoming, places: Places) -> None:
        if self._on_late == "raise":
            raise refused(problems, places)
        rows = [events.row(problem.row) for problem in problems]
        self.count += len(rows)
        if callable(self._on_late):
            self._on_late(rows)
        else:
            self.kept += rows


def _delay(delay: Length, immediate: bool) -> int:
    try:
        length = parse_duration(delay)
    except ValueError as error:
        raise InputError(Diagnostic("E410", f"delay: {error}")) from None
    if length and immediate:
        message = "immediate=True takes each event as it comes, so there is no delay to allow"
        raise InputError(Diagnostic("E410", message, hint="leave out one of the two"))
    return length
