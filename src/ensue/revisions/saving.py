"""The derivation of a class as bytes: what detection keeps, and which occurrences stand since when.

The engine's states have a version of their own; a state of another version, or of another pattern, is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from ensue.engine.arrays import FOREVER
from ensue.engine.state import pack, unpack
from ensue.errors import Diagnostic, StateError
from ensue.model import Occurrence
from ensue.revisions.by_key import KeyedDetection
from ensue.revisions.detection import Checkpoint, Detection
from ensue.revisions.history import History
from ensue.revisions.keeping import Kept, KeptStates
from ensue.revisions.parts import Apart, Part
from ensue.revisions.plain import events_of, occurrences_of, plain_events, plain_occurrences
from ensue.revisions.shelves import Shelves

VERSION = 2
"""Of what this module adds to the states of engines."""
_CHECKSUM = 16
_START_AGAIN = "restore it with the version of Ensue that saved it, or start anew from the history"


Named: TypeAlias = tuple[Occurrence, tuple[str, str] | None]
"""What is found, with the key and the id that it has got; None if it is final."""


def save(
    detection: Detection | KeyedDetection, more: dict[str, Any], names: Mapping[Occurrence, tuple[str, str]]
) -> bytes:
    """Everything that a detection needs to go on, what its owner adds, and what it calls the occurrences."""
    if isinstance(detection, KeyedDetection):
        found, (header, states) = detection.current(), _save_keyed(detection)
    else:
        found, (header, states) = list(_numbers(detection)), _save_whole(detection)
    header |= {"found": plain_occurrences(found), "names": [names.get(one) for one in found]}
    header |= {"revisions": VERSION, "by key": isinstance(detection, KeyedDetection), "more": more}
    header |= {"final": detection.final, "types": detection.types}
    data = pack(header, {str(place): np.frombuffer(state, np.uint8) for place, state in enumerate(states)})
    return data + _checksum(data)


def restore(detection: Detection | KeyedDetection, data: bytes) -> tuple[dict[str, Any], list[Named]]:
    """Put a new detection of the same pattern where another was; gives what its owner had added, and the names."""
    header, arrays = unpack(data[:-_CHECKSUM])
    if header.get("revisions") != VERSION:
        message = f"the saved state is of version {header.get('revisions')}; this program reads version {VERSION}"
        raise StateError(Diagnostic("E503", message, hint=_START_AGAIN))
    if data[-_CHECKSUM:] != _checksum(data[:-_CHECKSUM]):
        raise StateError(Diagnostic("E502", "the saved state is damaged", hint="give what was saved, unchanged"))
    if header["by key"] != isinstance(detection, KeyedDetection):
        raise StateError(Diagnostic("E504", "the saved state belongs to another pattern", hint=_START_AGAIN))
    states = [arrays[str(place)].tobytes() for place in range(len(arrays))]
    found = occurrences_of(header["found"])
    if isinstance(detection, KeyedDetection):
        _restore_keyed(detection, header, states, found)
    else:
        _restore_whole(detection, header, states, found)
    detection.final, detection.types = header["final"], header["types"]
    names = [tuple(name) if name else None for name in header["names"]]
    return header["more"], list(zip(found, names, strict=True))


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM).digest()


def _save_keyed(detection: KeyedDetection) -> tuple[dict[str, Any], list[bytes]]:
    header = {
        "kept": [kept.clock for kept in detection.kept],
        "since": detection.since,
        "apart": [
            [part, apart.first, apart.last, apart.again, plain_events(apart.seen)]
            for part, apart in detection.apart.items()
        ],
        "wrong": [[part, *bounds] for part, bounds in detection.kept.wrong.items()],
    }
    states = [kept.save(detection.beside) for kept in detection.kept]
    return header, [*states, detection.engine.save(), _written(detection.history.table())]


def _restore_keyed(
    detection: KeyedDetection, header: dict[str, Any], states: list[bytes], found: Iterable[Occurrence]
) -> None:
    detection.history = Shelves(pa.ipc.open_stream(states.pop()).read_all())
    detection.engine.restore(states.pop())
    kept = [Kept(clock, None, state) for clock, state in zip(header["kept"], states, strict=True)]
    detection.kept = KeptStates(kept, {_part(part): (begin, end) for part, begin, end in header["wrong"]})
    detection.since = header["since"]
    for part, event in detection.history.all_between(detection.engine.clock, FOREVER):
        detection.waiting[event.time, event.id, part] = event
    for occurrence in found:
        detection.found.setdefault(detection.parting.of_found(occurrence), set()).add(occurrence)
    for part, first, last, again, seen in header["apart"]:
        detection.apart[_part(part)] = Apart(first, last, events_of(seen), again)


def _written(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _part(plain: list[Any]) -> Part:
    return tuple((kind, content) for kind, content in plain)


def _save_whole(detection: Detection) -> tuple[dict[str, Any], list[bytes]]:
    found = _numbers(detection)
    header = {
        "events": plain_events(detection.events()),
        "kept": [[one.clock, one.events, [found[each] for each in one.found]] for one in detection.checkpoints],
        "ahead": [found[each] for each in detection.ahead],
    }
    return header, [*(one.state for one in detection.checkpoints), detection.engine.save()]


def _numbers(detection: Detection) -> dict[Occurrence, int]:
    every = [*detection.ahead, *(each for one in detection.checkpoints for each in one.found)]
    return {one: number for number, one in enumerate(dict.fromkeys(every))}


def _restore_whole(
    detection: Detection, header: dict[str, Any], states: list[bytes], found: Sequence[Occurrence]
) -> None:
    detection.engine.restore(states.pop())
    detection.history = History()
    for event in events_of(header["events"]):
        detection.history.add(event)
    detection.checkpoints = [
        Checkpoint(clock, state, count, [found[number] for number in numbers])
        for (clock, count, numbers), state in zip(header["kept"], states, strict=True)
    ]
    detection.ahead = frozenset(found[number] for number in header["ahead"])
