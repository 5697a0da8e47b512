"""What a data folder holds, as values: events with all their versions, and what was told of them.

A program without corrections has the same form: one version of each event, and nothing that was told.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from ensue.errors import Diagnostic, InputError
from ensue.language.program import Program
from ensue.model import AttributeType
from ensue.report.tables import Progress, Rows, batches_of, count_rows, read_rows, table_files
from ensue.spark.programs import kept
from ensue.time import format_instant, to_instant

Ref: TypeAlias = tuple[str, str]
"""Which event: its class and its key; in programs without corrections its id."""
Scalar: TypeAlias = str | int | float | bool | None

PUBLICATIONS = "publications"
ASIDES = ("rejects", "late", "repeated")
"""The tables beside that of a class: what could not be used, and why it could not."""
MOST_ROWS = 200_000
"""So many rows of each table are read; of longer ones the newest."""

_LARGEST = 2**53  # beyond it a browser's numbers are not exact


@dataclass(frozen=True, slots=True)
class Version:
    """What was believed of an event from `detected` on; if `withdrawn`, that it never was."""

    detected: int
    begin: int
    end: int
    withdrawn: bool
    values: tuple[Scalar, ...]
    parts: tuple[Ref, ...] | None
    """The events that it is made of; None where the table does not say."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its versions, oldest first."""

    ref: Ref
    id: str
    versions: tuple[Version, ...]

    @property
    def last(self) -> Version:
        """The newest version that says something of it: what is withdrawn is shown as it was."""
        return self.versions[-1]


@dataclass(frozen=True, slots=True)
class Told:
    """One publication: under which name, of which event, in which case, when, and what had been told before."""

    name: str
    event: Ref
    case: str
    detected: int
    occurred: int
    values: Mapping[str, Scalar]
    parts: tuple[Ref, ...] | None
    why: tuple[Ref, ...] | None
    """The parts that changed at this step; None where the table does not say."""
    replaces: tuple[int, Mapping[str, Scalar]] | None


@dataclass(frozen=True, slots=True)
class EventTable:
    """A class with what its table holds, and what stands beside it."""

    name: str
    attributes: tuple[str, ...]
    key: tuple[str, ...]
    uses: frozenset[str]
    """The classes that it is derived from; empty if its events come from outside."""
    derived: bool
    published: bool
    events: Mapping[str, Event]
    read: int
    total: int
    aside: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class History:
    """Everything that a report is made from."""

    program: Program
    corrects: bool
    classes: Mapping[str, EventTable]
    told: tuple[Told, ...]
    cases: Mapping[tuple[str, str], int]
    """How many publications there are of each class in each case, those that were not read included."""

    def event(self, ref: Ref) -> Event | None:
        table = self.classes.get(ref[0])
        return table.events.get(ref[1]) if table else None

    @property
    def found(self) -> tuple[str, ...]:
        """The classes whose events are what was found: those that are published, or else all that are derived."""
        published = tuple(name for name, table in self.classes.items() if table.published)
        return published or tuple(name for name, table in self.classes.items() if table.derived)


def read_history(data: Path, progress: Progress | None = None, most: int = MOST_ROWS) -> History:
    """Read a data folder."""
    progress = progress or (lambda _done: None)
    program = program_of(data)
    published = table_files(data, PUBLICATIONS)
    files = {name: table_files(data, name) for name in program.classes}
    if not published and not any(files.values()):
        hint = "run the program first: `ensue run PROGRAM --data FOLDER`, with --replay or --once"
        raise InputError(Diagnostic("E608", f"{data} has no tables yet", hint=hint))
    told = read_rows(published, most, progress)
    counted: Counter[tuple[str, str]] = Counter()
    for batch in batches_of(published, ("class", "case")):
        counted.update(zip(batch.column("class").to_pylist(), batch.column("case").to_pylist(), strict=True))
    rows = {name: read_rows(files[name], most, progress) for name in program.classes}
    derived = {item.declaration.name: item for item in program.derived_classes}
    classes = {}
    for name in program.classes:
        item = derived.get(name)
        classes[name] = EventTable(
            name,
            tuple(program.attributes(name)),
            program.key(name),
            frozenset() if item is None else item.uses,
            derived=item is not None,
            published=item is not None and bool(item.publications),
            events=_events(name, rows[name], program.attributes(name)),
            read=rows[name].read,
            total=rows[name].total,
            aside={kind: count_rows(table_files(data, f"{name}.{kind}")) for kind in ASIDES},
        )
    corrects = bool(published) or any("withdrawn" in one.columns for one in rows.values())
    return History(program, corrects, classes, tuple(_told(told)), dict(counted))


def program_of(data: Path) -> Program:
    """The program whose folder it is."""
    known = kept.load(data) if data.is_dir() else None
    if known is None:
        hint = "name the folder that `ensue run` was given with --data, or ensue-data beside the program"
        raise InputError(Diagnostic("E600", f"{data} is not the data folder of a run", hint=hint))
    return known.program


def count_files(data: Path) -> int:
    """How many files `read_history` will look into."""
    return sum(len(table_files(data, name)) for name in (PUBLICATIONS, *program_of(data).classes))


def _events(name: str, rows: Rows, attributes: Mapping[str, AttributeType]) -> dict[str, Event]:
    ids = [str(one) for one in rows.column("id")]
    keys = rows.columns.get("key") or ids
    columns = [_scalars(rows.column(_column(one, rows)), kind) for one, kind in attributes.items()]
    values = list(zip(*columns, strict=True)) if columns else [()] * rows.read
    times = zip(rows.column("begin"), rows.column("end"), rows.column("detected"), strict=True)
    gone, parts, batches = rows.column("withdrawn"), rows.column("constituents"), rows.column("batch")
    found: dict[str, list[tuple[tuple[int, int], str, Version]]] = {}
    for i, (begin, end, detected) in enumerate(times):
        began = end if begin is None else begin
        seen = end if detected is None else detected
        version = Version(seen, began, end, bool(gone[i]), values[i], _refs(parts[i]))
        found.setdefault(keys[i], []).append(((seen, batches[i]), ids[i], version))
    events = {}
    for key, entries in found.items():
        entries.sort(key=lambda entry: entry[0])
        events[key] = Event((name, key), entries[-1][1], tuple(version for _, _, version in entries))
    return events


def _told(rows: Rows) -> Iterable[Told]:
    columns = (
        rows.column(name)
        for name in ("publication", "class", "key", "case", "detected", "occurred", "attributes", "constituents")
    )
    replaced, why = rows.column("replaces"), rows.column("why")
    numbers = rows.column("number")
    order = sorted(range(rows.read), key=lambda row: (rows.column("batch")[row], numbers[row] or 0))
    told = list(zip(*columns, strict=True))
    for row in order:
        name, of, key, case, detected, occurred, attributes, parts = told[row]
        old = replaced[row]
        replaces = None if old is None else (to_instant(old["occurred"]), _attributes(old["attributes"]))
        yield Told(
            name, (of, key), case, detected, occurred, _attributes(attributes), _refs(parts), _refs(why[row]), replaces
        )


def _column(name: str, rows: Rows) -> str:
    """The column of an attribute: one that would be taken for another column has a question mark before it."""
    marked = f"?{name}"
    return marked if marked in rows.columns else name


def _refs(parts: Sequence[Mapping[str, Any]] | None) -> tuple[Ref, ...] | None:
    """Constituents as they are noted with corrections (class, key) and without (leaf, id); timers are no events."""
    if parts is None:
        return None
    pairs = ((one.get("class") or one.get("leaf"), one.get("key") or one.get("id")) for one in parts)
    return tuple((of, str(key)) for of, key in pairs if of is not None and key is not None)


def _attributes(text: str | None) -> dict[str, Scalar]:
    return {name: scalar(value) for name, value in json.loads(text).items()} if text else {}


def _scalars(values: Iterable[Any], kind: AttributeType) -> list[Scalar]:
    if kind is AttributeType.TIME:  # in microseconds, from `read_rows`
        return [format_instant(value) if isinstance(value, int) else scalar(value) for value in values]
    return [scalar(value) for value in values]


def scalar(value: Any) -> Scalar:
    """A value as JSON and a browser can hold it without loss."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -_LARGEST <= value <= _LARGEST else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime():
            return format_instant(to_instant(value))
        case list() | dict():
            return json.dumps(value, ensure_ascii=False, default=str)
        case _:
            return str(value)
