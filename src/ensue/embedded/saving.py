"""A detection as bytes: the engine's state, the events that are held back, and what has been seen.

The patterns are saved as text, so that a state can be restored by itself; calendars and which class lies under which go
with them.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.algebra import Context, walk
from ensue.algebra.patterns import CalendarInterval
from ensue.embedded.batches import detached, with_columns
from ensue.embedded.flows import Immediate, Ordered
from ensue.embedded.incoming import Names
from ensue.embedded.kinds import Kinds
from ensue.embedded.one_by_one import VERSION as RUNTIME_VERSION, OneByOne
from ensue.embedded.patterns import Patterns, Watched, Watchlist
from ensue.embedded.seen import Table
from ensue.embedded.session import Session
from ensue.engine.columns import Column
from ensue.engine.events import EventBatch, empty_batch
from ensue.engine.state import pack, unpack
from ensue.engine.store import Ids
from ensue.errors import Diagnostic, EnsueError, StateError
from ensue.language import Program, parse_pattern, parse_program
from ensue.language.program import CalendarDefinition
from ensue.model import Taxonomy
from ensue.time import BUILT_IN_CALENDARS

_CHECKSUM = 16
VERSION = 1
"""Of what this module adds to the engine's state, which has a version of its own."""


def save(session: Session, late_count: int) -> bytes:
    """Everything that a session needs to go on."""
    flow = session.flow
    header: dict[str, Any] = {
        "detector": VERSION,
        "watched": [[item.name, str(item.pattern), item.context.value] for item in session.watchlist.watched],
        "several": session.watchlist.several,
        "parents": {name: sorted(above) for name, above in session.watchlist.taxonomy.parents.items()},
        "calendars": _calendars(session.watchlist),
        "columns": [session.names.type, session.names.time, session.names.id, session.names.event_type],
        "delay": session.delay,
        "immediate": session.immediate,
        "driven": session.driven,
        "position": session.position,
        "made": session.seen.made,
        "kinds": session.kinds.as_dict(),
        "late": late_count,
    }
    place = "engine"
    if isinstance(flow, OneByOne):
        state, place = flow.save(), "runtime"
        header["one by one"] = RUNTIME_VERSION
        held = empty_batch()
    elif isinstance(flow, Immediate):
        state = flow.saved_before()
        header |= {"instant": flow.instant, "reported": sorted(flow.reported)}
        held = flow.events
    elif isinstance(flow, Ordered):
        state = flow.engine.save()
        header |= {"newest": flow.buffer.newest, "released": flow.buffer.released}
        held = flow.buffer.held
    else:
        raise TypeError(f"{type(flow).__name__} cannot be saved")
    names, events = _batch_arrays(detached(held, session.watchlist.attributes), session.watchlist.attributes)
    header["types"] = names
    seen = {f"seen {name}": column for name, column in session.seen.contents()._asdict().items()}
    data = pack(header, {place: np.frombuffer(state, np.uint8), **seen, **events})
    return data + _checksum(data)


def restore(data: bytes, patterns: Patterns | Watchlist | None, program: Program | None = None) -> tuple[Session, int]:
    """The session that was saved, and how many events had been late.

    A watchlist is taken as it is: whoever has one has seen to it that it is what was saved.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise StateError(Diagnostic("E501", f"a saved state is bytes, and this is a {type(data).__name__}"))
    header, arrays = _unpack(bytes(data))
    versions = [header.get("detector"), header.get("one by one", RUNTIME_VERSION)]
    if versions != [VERSION, RUNTIME_VERSION]:
        message = f"the saved state is of version {versions[0]}; this program reads version {VERSION}"
        if versions[0] == VERSION:
            message = f"the saved runtime is of version {versions[1]}; this program reads version {RUNTIME_VERSION}"
        hint = "restore it with the version of Ensue that saved it, or start anew from the history"
        raise StateError(Diagnostic("E503", message, hint=hint))
    try:
        watchlist = patterns if isinstance(patterns, Watchlist) else _watchlist(header, patterns, program)
        return _session(header, arrays, watchlist), int(header["late"])
    except (KeyError, ValueError) as error:
        raise StateError(Diagnostic("E502", f"the saved state is damaged: {error!r}")) from None


def _unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays, if every byte is as it was saved: a wrong one could send the compiled loops astray."""
    content, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
    if checksum == _checksum(content):
        return unpack(content)
    try:
        header, _ = unpack(data)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, MemoryError):
        header = {}
    damaged = "these bytes are an engine's state" if header.get("clock") is not None else "the saved state is damaged"
    raise StateError(Diagnostic("E502", damaged, hint="give what Detector.save() returned, unchanged"))


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM).digest()


def _session(header: dict[str, Any], arrays: dict[str, Any], watchlist: Watchlist) -> Session:
    session = Session(
        watchlist,
        Names(*header["columns"]),
        header["delay"],
        immediate=header["immediate"],
        columnar="runtime" not in arrays,
        driven=header.get("driven", False),
    )
    session.position, session.seen.made = header["position"], header["made"]
    session.kinds = Kinds(header["kinds"])
    session.seen.refill(Table(*(arrays[f"seen {name}"] for name in Table._fields)))
    held = _batch(arrays, tuple(header["types"]), watchlist.attributes)
    flow = session.flow
    if isinstance(flow, OneByOne):
        flow.restore(arrays["runtime"].tobytes())
    elif isinstance(flow, Immediate):
        flow.engine.restore(arrays["engine"].tobytes())
        flow.instant, flow.reported, flow.events = header["instant"], set(header["reported"]), held
        flow.resume()
    elif isinstance(flow, Ordered):
        flow.engine.restore(arrays["engine"].tobytes())
        flow.buffer.add(held)
        flow.buffer.newest, flow.buffer.released = header["newest"], header["released"]
    return session


def _watchlist(header: dict[str, Any], patterns: Patterns | None, program: Program | None) -> Watchlist:
    saved = header["watched"]
    if patterns is not None:
        given = Watchlist.of(patterns, saved[0][2], program)
        if [[item.name, str(item.pattern)] for item in given.watched] != [[name, text] for name, text, _ in saved]:
            texts = "; ".join(text for _, text, _ in saved)
            raise StateError(
                Diagnostic("E504", "the saved state belongs to other patterns", hint=f"it was saved for: {texts}")
            )
        return given
    calendars = parse_program("\n".join(header["calendars"])).calendars if header["calendars"] else {}
    try:
        watched = tuple(
            Watched(name, parse_pattern(text, calendars=calendars), Context.of(context))
            for name, text, context in saved
        )
    except EnsueError as error:
        hint = "give the patterns to restore() again"
        raise StateError(Diagnostic("E502", f"the saved patterns cannot be read: {error}", hint=hint)) from error
    parents = {name: frozenset(above) for name, above in header["parents"].items()}
    return Watchlist(watched, header["several"], Taxonomy(parents))


def _calendars(watchlist: Watchlist) -> list[str]:
    """The calendars that are not built in, as statements."""
    parts = (part for item in watchlist.watched for part in walk(item.pattern))
    intervals = (
        interval for part in parts if isinstance(interval := getattr(part, "interval", None), CalendarInterval)
    )
    calendars = dict.fromkeys(interval.calendar for interval in intervals)
    return [str(CalendarDefinition(c)) for c in calendars if BUILT_IN_CALENDARS.get(c.name) != c]


def _batch_arrays(batch: EventBatch, attributes: frozenset[str]) -> tuple[list[str], dict[str, Any]]:
    """The names of the types, and the arrays of a batch that stands by itself."""
    offsets, texts = batch.ids.table()
    arrays: dict[str, Any] = {
        "held times": batch.times,
        "held types": batch.types,
        "held codes": batch.ids.codes,
        "held id offsets": offsets,
        "held id texts": texts[: offsets[-1]],
    }
    for name in sorted(attributes):
        for kind, (values, valid) in batch.column(name).parts.items():
            place = f"held {kind} {name}"
            arrays[f"{place} valid"] = valid
            if kind == "text" or values.dtype == np.object_:
                listed = values if kind == "text" else [json.dumps(value) for value in values.tolist()]
                arrays[f"{place} offsets"], content = Ids.from_texts(listed).table()
                arrays[f"{place} texts"] = content[: arrays[f"{place} offsets"][-1]]
            else:
                arrays[place] = values
    return list(batch.type_names), arrays


def _batch(arrays: dict[str, Any], type_names: tuple[str, ...], attributes: frozenset[str]) -> EventBatch:
    times = arrays["held times"]
    columns = {}
    for name in attributes:
        parts = {}
        for kind in ("text", "number", "truth", "time"):
            place = f"held {kind} {name}"
            if f"{place} valid" in arrays:
                parts[kind] = (_values(arrays, place, kind), arrays[f"{place} valid"])
        columns[name] = Column(len(times), parts)
    ids = Ids(arrays["held codes"], _texts(arrays, "held id"))
    return with_columns(times, ids, arrays["held types"], type_names, columns)


def _values(arrays: dict[str, Any], place: str, kind: str) -> Any:
    """The values of one kind. Whole numbers beyond 64 bits, which NumPy holds as objects, were written as texts."""
    if kind == "text":
        return _texts(arrays, place)
    if place in arrays:
        return arrays[place]
    return np.array([json.loads(text) for text in _texts(arrays, place).to_pylist()], np.object_)


def _texts(arrays: dict[str, Any], place: str) -> pa.Array:
    offsets = arrays[f"{place} offsets"]
    buffers = pa.py_buffer(offsets), pa.py_buffer(arrays[f"{place} texts"])
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)
