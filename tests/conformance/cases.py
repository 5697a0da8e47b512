"""A conformance case as a value: what every runner is given, and what is expected of it.

The cases are written as text (docs/conformance.md). Values, readers and runners stay beside the tests, outside the
package, until `ensue.testing` is made public: they promise nothing to users yet, and change with every new runner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ensue.algebra import Context
from ensue.model import Event, Occurrence, Taxonomy
from ensue.time import format_instant


class FormatError(ValueError):
    """A case file cannot be read."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that arrive together. Before a restart the state is saved, and a fresh detector goes on from it."""

    events: tuple[Event, ...]
    after_restart: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is expected in one context: occurrences, an error code, or (§4) only that the pattern is legal.

    Bindings are compared if any of the occurrences is written with some. `names` says how temporal events are written.
    """

    occurrences: tuple[Occurrence, ...] = ()
    error: str | None = None
    legal: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def difference(self, found: Iterable[Occurrence], start: int) -> str:
        """What is missing and what is too much, in the words of the format; empty if all is as expected."""
        compared = _whole if any(o.bindings for o in self.occurrences) else _without_bindings
        expected, actual = (Counter(map(compared, side)) for side in (self.occurrences, found))
        missing = [f"missing     {self._show(o, start)}" for o in (expected - actual).elements()]
        unexpected = [f"unexpected  {self._show(o, start)}" for o in (actual - expected).elements()]
        return "\n".join(sorted(missing) + sorted(unexpected))

    def _show(self, occurrence: Occurrence, start: int) -> str:
        ids = [self.names.get(name, name) for name in occurrence.ids]
        interval = f"[{_show_time(occurrence.begin - start)}..{_show_time(occurrence.end - start)}]"
        bound = [f"{name}={_show_value(*value)}" for name, value in occurrence.bindings]
        return " ".join([*ids, interval, *bound])


@dataclass(frozen=True, slots=True)
class Exemption:
    """A known gap of a runner, in some contexts or, if none is named, in all of them."""

    runner: str
    contexts: frozenset[Context]
    reason: str

    def covers(self, runner: str, context: Context) -> bool:
        return self.runner == runner and (not self.contexts or context in self.contexts)


@dataclass(frozen=True, slots=True)
class Case:
    """One pattern over one history, with what it reports in each context."""

    title: str
    file: str
    line: int
    pattern: str
    given: str = ""
    start: int = 0
    batches: tuple[Batch, ...] = ()
    allowed_delay: int = 0
    taxonomy: Taxonomy = field(default_factory=Taxonomy)
    outcomes: Mapping[Context, Outcome] = field(default_factory=dict)
    exemptions: tuple[Exemption, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in the order in which they arrive."""
        return tuple(event for batch in self.batches for event in batch.events)

    def exemption(self, runner: str, context: Context) -> Exemption | None:
        return next((e for e in self.exemptions if e.covers(runner, context)), None)


def _whole(occurrence: Occurrence) -> Occurrence:
    return occurrence


def _without_bindings(occurrence: Occurrence) -> Occurrence:
    return Occurrence(occurrence.begin, occurrence.end, occurrence.constituents)


def _show_value(kind: str, content: object) -> str:
    match kind:
        case "text":
            return "'" + str(content).replace("'", "''") + "'"
        case "time":
            return format_instant(int(str(content)))
        case "truth":
            return str(bool(content)).lower()
        case _:
            return str(content)


def _show_time(microseconds: int) -> str:
    return f"{microseconds / 1_000_000:.6f}".rstrip("0").rstrip(".") + "s"
