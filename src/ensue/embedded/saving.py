"""A detection as bytes: the engine's state, the events that are held back, and what has been seen.

The patterns are saved as text, so that a state can be restored by itself; calendars and which class lies under which go
with them.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from ensue.algebra import Context, walk
from ensue.algebra.patterns import CalendarInterval
from ensue.embedded.batch_arrays import batch_arrays, batch_of
from ensue.embedded.batches import detached
from ensue.embedded.event_by_event import VERSION as RUNTIME_VERSION, EventByEvent
from ensue.embedded.flows import Immediate, Ordered
from ensue.embedded.incoming import Names
from ensue.embedded.kinds import Kinds
from ensue.embedded.patterns import Derived, Patterns, Watched, Watchlist
from ensue.embedded.seen import Table
from ensue.embedded.session import Session
from ensue.engine.events import empty_batch
from ensue.engine.state import pack, unpack
from ensue.errors import Diagnostic, EnsueError, StateError
from ensue.language import PatternReader, Program, parse_program
from ensue.language.program import CalendarDefinition
from ensue.model import Taxonomy
from ensue.time import BUILT_IN_CALENDARS

_CHECKSUM = 16
VERSION = 2
"""Of what this module adds to the engine's state, which has a version of its own."""


def save(session: Session, late_count: int) -> bytes:
    """Everything that a session needs to go on."""
    flow = session.flow
    header: dict[str, Any] = {
        "detector": VERSION,
        "watched": _watched(session.watchlist),
        "derived": _derived(session.watchlist),
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
    if isinstance(flow, EventByEvent):
        state, place = flow.save(), "runtime"
        header["one by one"] = RUNTIME_VERSION
        held = empty_batch()
    elif isinstance(flow, Immediate):
        state = flow.saved_before()
        header |= {"instant": flow.instant, "reported": sorted(flow.reported)}
        held = flow.events
    elif isinstance(flow, Ordered):
        state = flow.levels.save()
        header |= {"newest": flow.buffer.newest, "released": flow.buffer.released}
        held = flow.buffer.held
    else:
        raise TypeError(f"{type(flow).__name__} cannot be saved")
    names, events = batch_arrays(detached(held, session.watchlist.attributes), session.watchlist.attributes)
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
    held = batch_of(arrays, tuple(header["types"]), watchlist.attributes)
    flow = session.flow
    if isinstance(flow, EventByEvent):
        flow.restore(arrays["runtime"].tobytes())
    elif isinstance(flow, Immediate):
        flow.engine.restore(arrays["engine"].tobytes())
        flow.instant, flow.reported, flow.events = header["instant"], set(header["reported"]), held
        flow.resume()
    elif isinstance(flow, Ordered):
        flow.levels.restore(arrays["engine"].tobytes())
        flow.buffer.add(held)
        flow.buffer.newest, flow.buffer.released = header["newest"], header["released"]
    return session


def _watchlist(header: dict[str, Any], patterns: Patterns | None, program: Program | None) -> Watchlist:
    saved = header["watched"]
    if patterns is not None:
        given = Watchlist.of(patterns, saved[0][2], program)
        if [_watched(given), _derived(given)] != [saved, header["derived"]]:
            texts = "; ".join(text for _, text, _ in saved)
            raise StateError(
                Diagnostic("E504", "the saved state belongs to other patterns", hint=f"it was saved for: {texts}")
            )
        return given
    calendars = parse_program("\n".join(header["calendars"])).calendars if header["calendars"] else {}
    read = PatternReader(calendars=calendars).read
    try:
        watched = [Watched(name, read(text), Context.of(context)) for name, text, context in saved]
        derived = [
            Derived(name, read(text), Context.of(context), tuple(attributes))
            for name, text, context, attributes in header["derived"]
        ]
    except EnsueError as error:
        hint = "give the patterns to restore() again"
        raise StateError(Diagnostic("E502", f"the saved patterns cannot be read: {error}", hint=hint)) from error
    parents = {name: frozenset(above) for name, above in header["parents"].items()}
    return Watchlist(tuple(watched), header["several"], Taxonomy(parents), tuple(derived))


def _watched(watchlist: Watchlist) -> list[list[str]]:
    return [[item.name, str(item.pattern), item.context.value] for item in watchlist.watched]


def _derived(watchlist: Watchlist) -> list[list[Any]]:
    return [[item.name, str(item.pattern), item.context.value, [*item.attributes]] for item in watchlist.derived]


def _calendars(watchlist: Watchlist) -> list[str]:
    """The calendars that are not built in, as statements."""
    parts = (part for item in (*watchlist.watched, *watchlist.derived) for part in walk(item.pattern))
    intervals = (
        interval for part in parts if isinstance(interval := getattr(part, "interval", None), CalendarInterval)
    )
    calendars = dict.fromkeys(interval.calendar for interval in intervals)
    return [str(CalendarDefinition(c)) for c in calendars if BUILT_IN_CALENDARS.get(c.name) != c]
