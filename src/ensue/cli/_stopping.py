"""The end of a run that somebody asks for: after what is under way, or at once."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_LONGEST = 120.0
"""So many seconds a micro-batch gets to finish after Ctrl-C; the next start would repeat it anyway."""


@contextmanager
def asked_to_stop(during: str) -> Iterator[Event]:
    """Ctrl-C and a polite kill ask for the end; a second Ctrl-C does not ask.

    Only once Spark has started: it sets a handler of its own, which ends whatever is under way at once.
    """
    asked = Event()

    def ask(number: int, _frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        sys.stderr.write(f"\nending after {during} (once more Ctrl-C: at once)\n" if number == signal.SIGINT else "")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def follow(query: "StreamingQuery", stop: Event, show: Callable[[], None]) -> None:
    """Show how it goes until the query ends: by itself, by an error, or because it was asked to."""
    asked_at: float | None = None
    while query.isActive:
        show()
        if stop.is_set():
            asked_at = asked_at or monotonic()
            if not query.status["isTriggerActive"] or monotonic() - asked_at > _LONGEST:
                query.stop()
                break
        sleep(0.2)
    show()
