"""Events for a question: each as a value, with all its attributes, beside the columns that detection takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ensue.embedded.findings import Finding, findings
from ensue.embedded.incoming import Incoming, Names, Places, Policy, Problem
from ensue.embedded.patterns import Derived, Watchlist
from ensue.embedded.reading import read
from ensue.embedded.session import Session
from ensue.errors import Diagnostic
from ensue.language import Program
from ensue.model import Event, occurrence_id, value_key
from ensue.time import to_instant


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows, where they came from, and what to do with those that cannot be used."""

    incoming: Incoming
    policy: Policy
    places: Places | None = None


class Noting:
    """Rows that cannot be used are passed over and noted: that they are missing may be what is looked for."""

    def __init__(self) -> None:
        self._problems: dict[str, None] = {}

    def unreadable(self, problems: Iterable[Diagnostic]) -> None:
        """Lines that are no rows at all."""
        for one in problems:
            self._problems[f"{one.file}:{one.line}: {one.code}: {one.message}"] = None

    def bad(self, problems: list[Problem], _events: Incoming, places: Places) -> None:
        self.unreadable(one.diagnostic(places) for one in problems)

    def late(self, problems: list[Problem], events: Incoming, places: Places) -> None:
        self.bad(problems, events, places)

    def notes(self) -> list[str]:
        """What to say about such rows."""
        if not self._problems:
            return []
        count, first = len(self._problems), next(iter(self._problems))
        return [f"{count:,} row{'' if count == 1 else 's'} cannot be used, the first: {first}"]


def detected(watchlist: Watchlist, names: Names, batches: Sequence[Batch]) -> list[Finding]:
    """What the first of the watched patterns finds in all of them."""
    session = Session(watchlist, names, whole=True)
    for batch in batches:
        session.add(batch.incoming, batch.policy, batch.places)
    item = watchlist.watched[0]
    reports = session.finish()
    return [one for report in reports if item.name in report for one in findings(report[item.name], item)]


def count_types(names: Names, batches: Iterable[Batch]) -> Counter[str]:
    """How many events there are of each type."""
    found: Counter[str] = Counter()
    for batch in batches:
        reading = read(batch.incoming, names, 0)
        counted = np.bincount(reading.batch.types, minlength=len(reading.batch.type_names))
        found.update({name: int(n) for name, n in zip(reading.batch.type_names, counted, strict=False) if n})
    return found


def events_of(names: Names, batches: Iterable[Batch], types: Collection[str], asked: Collection[str]) -> list[Event]:
    """The events of some types, with the attributes that they have and those that are asked for."""
    found: list[Event] = []
    first = 0
    for batch in batches:
        reading = read(batch.incoming, names, first).batch
        first += len(batch.incoming)
        rows = reading.of_types(frozenset(types))
        if not len(rows):
            continue
        listed = dict.fromkeys([*batch.incoming.names(), *asked])
        wanted = [name for name in listed if name != names.type and (name != names.time or name in asked)]
        columns = {name: reading.column(name).take(rows).to_pylist() for name in wanted}
        ids, times = reading.ids.take(rows).to_pylist(), reading.times[rows].tolist()
        for place, row in enumerate(rows.tolist()):
            values = {name: column[place] for name, column in columns.items()}
            found.append(Event(ids[place], reading.type_names[reading.types[row]], times[place], values))
    return found


def derived_events(item: Derived, program: Program, names: Names, batches: Sequence[Batch]) -> list[Event]:
    """The events of a class that the program defines by a pattern. Of occurrences with one key the last stands."""
    watchlist = Watchlist.of({item.name: item.pattern}, item.context, program)
    found: dict[str, Event] = {}
    for one in detected(watchlist, names, batches):
        name = one.id
        if item.key:
            bound = tuple((key, value_key(one.bindings[key])) for key in sorted(item.key) if key in one.bindings)
            name = occurrence_id(item.name, (), bound)
        values = {attribute: one.bindings.get(attribute) for attribute in item.attributes}
        found[name] = Event(name, item.name, to_instant(one.end), values)
    return list(found.values())
