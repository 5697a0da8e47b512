"""From incoming columns to a batch for the engine: types, times and ids are checked here, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensue.embedded.batches import Types
from ensue.embedded.incoming import Incoming, Names, Problem
from ensue.embedded.kinds import number_text
from ensue.embedded.times import instants
from ensue.engine.arrays import Ints, Truths, both, counting, is_everywhere
from ensue.engine.columns import Column
from ensue.engine.events import EventBatch
from ensue.engine.store import Ids
from ensue.errors import Diagnostic, InputError, near

_TIME_HINT = "a time is ISO text like 2026-07-10T09:20:00Z, a datetime, or a number of milliseconds since 1970"


@dataclass(frozen=True, slots=True)
class Reading:
    """A batch of the rows that can be used, which rows those are, and what is wrong with the others."""

    batch: EventBatch
    rows: Ints
    problems: list[Problem]
    ids_given: bool


def read(events: Incoming, names: Names, first: int) -> Reading:
    """The events as a batch. `first` is the position of the first row: an event without an id is called by it."""
    count = len(events)
    types, type_names, typed = _types(events, names, count)
    times, timed = instants(_needed(events.column(names.time), events, names.time, "time"))
    ids, identified, given = _ids(events, names.id, first, count)
    fine = both(both(typed, timed), identified)
    batch = EventBatch(times, ids, types, type_names, _attributes(events, names, count, times))
    rows = counting(count)
    if is_everywhere(fine) or fine.all():
        return Reading(batch, rows, [], given)
    problems = [
        *(_bad_type(row, events, names) for row in np.flatnonzero(~typed).tolist()),
        *(_bad_time(row, events, names) for row in np.flatnonzero(typed & ~timed).tolist()),
        *(_bad_id(row, events, names) for row in np.flatnonzero(typed & timed & ~identified).tolist()),
    ]
    rows = np.flatnonzero(fine)
    return Reading(batch.take(rows), rows, problems, given)


def _types(events: Incoming, names: Names, count: int) -> tuple[Types, tuple[str, ...], Truths]:
    if names.event_type is not None:
        return np.zeros(count, np.int64), (names.event_type,), np.ones(count, np.bool_)
    column = _needed(events.labels(names.type), events, names.type, "type")
    if "text" not in column.parts:
        return np.zeros(count, np.int64), ("",), np.zeros(count, np.bool_)
    values, valid = column.parts["text"]
    encoded = values if isinstance(values, pa.DictionaryArray) else pc.dictionary_encode(values)
    listed = tuple(encoded.dictionary.to_pylist())
    places = np.asarray(encoded.indices.fill_null(0) if encoded.null_count else encoded.indices)
    if "" in listed:
        valid = valid & ~np.isin(places, [place for place, name in enumerate(listed) if name == ""])
    return places, listed or ("",), valid


def _ids(events: Incoming, name: str, first: int, count: int) -> tuple[Ids, Truths, bool]:
    """Ids as texts; numbers become their digits, and what is missing is called by its position."""
    column = events.labels(name)
    if column is None or not column.parts:
        nothing = np.ones(count, np.bool_) if column is None else events.absent(name)
        return Ids.from_positions(first, count), nothing, False
    named = [valid for kind, (_, valid) in column.parts.items() if kind in ("text", "number")]
    fine = named[0] if len(named) == 1 else np.any([np.zeros(count, np.bool_), *named], axis=0)
    ids = _named(column)
    if not is_everywhere(fine) and not fine.all():
        fine = fine | events.absent(name)
        ids = Ids(np.where(column.valid(), ids.codes, np.arange(first, first + count)), ids.texts)
    return ids, fine, True


def _named(column: Column) -> Ids:
    """The ids of the rows that have one. Whole numbers stand for their digits, all else becomes texts."""
    named = {kind: part for kind, part in column.parts.items() if kind in ("text", "number")}
    if not named:
        return Ids.from_positions(0, column.length)
    if set(named) == {"number"} and named["number"][0].dtype == np.int64:
        return Ids.from_numbers(named["number"][0])
    texts: pa.Array | None = None
    for kind, (values, valid) in named.items():
        found = values.cast(pa.large_string()) if kind == "text" else _digits(values)
        texts = found if texts is None else pc.if_else(pa.array(valid), found, texts)
    return Ids.from_texts(texts)


def _digits(values: Any) -> pa.Array:
    if values.dtype == np.int64:
        return pa.array(values).cast(pa.large_string())
    return pa.array([number_text(value) for value in values.tolist()], pa.large_string())


def _needed(column: Column | None, events: Incoming, name: str, role: str) -> Column:
    if column is not None:
        return column
    if not len(events) or not events.tabular:
        return Column(len(events), {})
    known = list(events.names())
    hint = near(name, known) or f"the columns are {', '.join(known[:20])};"
    fixed = ", or event_type (--event-type) if all are of one type" if role == "type" else ""
    how = f"name the column with {role}=…, on the command line --{role} …{fixed}"
    message = f"there is no column {name!r} for the {role} of events"
    raise InputError(Diagnostic("E402", message, hint=f"{hint} {how}"))


def _attributes(events: Incoming, names: Names, count: int, times: Ints) -> Callable[[str], Column]:
    """Attributes by name. Seen as an attribute, the time is a time, however it was written."""

    def attribute(name: str) -> Column:
        if name == names.time:
            return Column(count, {"time": (times, np.ones(count, np.bool_))})
        column = events.column(name)
        return Column(count, {}) if column is None else column

    return attribute


def _bad_type(row: int, events: Incoming, names: Names) -> Problem:
    event = events.row(row)
    found = event.get(names.type)
    if found is None or found == "":
        hint = near(names.type, event) if names.type not in event else None
        return Problem(
            row, "E402", f"the event has no {names.type}", hint or f"its event class belongs in {names.type!r}"
        )
    return Problem(
        row, "E402", f"{names.type} is {_shown(found)}, which is not the name of an event class", "give a text"
    )


def _bad_time(row: int, events: Incoming, names: Names) -> Problem:
    event = events.row(row)
    found = event.get(names.time)
    if found is None:
        hint = near(names.time, event) if names.time not in event else None
        return Problem(row, "E401", f"the event has no {names.time}", hint or _TIME_HINT)
    return Problem(row, "E401", f"{names.time} is {_shown(found)}, which is not a time", _TIME_HINT)


def _bad_id(row: int, events: Incoming, names: Names) -> Problem:
    found = _shown(events.row(row).get(names.id))
    return Problem(row, "E403", f"{names.id} is {found}, which is not an id", "an id is a text or a number")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
