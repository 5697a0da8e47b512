"""The derivation of a class as bytes: what detection keeps, and which occurrences stand since when.

The engine's states have a version of their own; a state of another version, or of another pattern, is refused.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from ensue.engine.state import pack, unpack
from ensue.errors import Diagnostic, StateError
from ensue.model import Occurrence
from ensue.revisions.by_key import KeyedDetection
from ensue.revisions.detection import Checkpoint, Detection
from ensue.revisions.history import History
from ensue.revisions.keeping import Kept
from ensue.revisions.parts import Apart, Part
from ensue.revisions.plain import events_of, occurrences_of, plain_events, plain_occurrences

VERSION = 1
"""Of what this module adds to the states of engines."""
_CHECKSUM = 16
_START_AGAIN = "restore it with the version of Ensue that saved it, or start anew from the history"


def save(detection: Detection | KeyedDetection, more: dict[str, Any]) -> bytes:
    """Everything that a detection needs to go on, and what its owner adds."""
    header, states = _save_keyed(detection) if isinstance(detection, KeyedDetection) else _save_whole(detection)
    header |= {"revisions": VERSION, "by key": isinstance(detection, KeyedDetection), "more": more}
    header["final"] = detection.final
    data = pack(header, {str(place): np.frombuffer(state, np.uint8) for place, state in enumerate(states)})
    return data + _checksum(data)


def restore(detection: Detection | KeyedDetection, data: bytes) -> dict[str, Any]:
    """Put a new detection of the same pattern where another was; gives what its owner had added."""
    header, arrays = unpack(data[:-_CHECKSUM])
    if header.get("revisions") != VERSION:
        message = f"the saved state is of version {header.get('revisions')}; this program reads version {VERSION}"
        raise StateError(Diagnostic("E503", message, hint=_START_AGAIN))
    if data[-_CHECKSUM:] != _checksum(data[:-_CHECKSUM]):
        raise StateError(Diagnostic("E502", "the saved state is damaged", hint="give what was saved, unchanged"))
    if header["by key"] != isinstance(detection, KeyedDetection):
        raise StateError(Diagnostic("E504", "the saved state belongs to another pattern", hint=_START_AGAIN))
    states = [arrays[str(place)].tobytes() for place in range(len(arrays))]
    if isinstance(detection, KeyedDetection):
        _restore_keyed(detection, header, states)
    else:
        _restore_whole(detection, header, states)
    detection.final = header["final"]
    more: dict[str, Any] = header["more"]
    return more


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECKSUM).digest()


def _save_keyed(detection: KeyedDetection) -> tuple[dict[str, Any], list[bytes]]:
    clock = detection.engine.clock
    header = {
        "events": plain_events(detection.events()),
        "found": plain_occurrences(detection.current()),
        "kept": [kept.clock for kept in detection.kept],
        "since": detection.since,
        "clock": clock,
        "apart": [
            [part, apart.first, apart.last, apart.again, plain_events(apart.seen)]
            for part, apart in detection.apart.items()
        ],
        "wrong": [[part, *bounds] for part, bounds in detection.wrong.items()],
    }
    states = [kept.save(detection.beside) for kept in detection.kept]
    return header, [*states, detection.engine.save()]


def _restore_keyed(detection: KeyedDetection, header: dict[str, Any], states: list[bytes]) -> None:
    detection.engine.restore(states.pop())
    detection.kept = [Kept(clock, None, state) for clock, state in zip(header["kept"], states, strict=True)]
    detection.since = header["since"]
    for event in events_of(header["events"]):
        part = detection.parting.of_event(event)
        if part is not None:
            detection.take(part, event)
    for occurrence in occurrences_of(header["found"]):
        detection.found.setdefault(detection.parting.of_found(occurrence), set()).add(occurrence)
    for part, first, last, again, seen in header["apart"]:
        detection.apart[_part(part)] = Apart(first, last, events_of(seen), again)
    detection.wrong = {_part(part): (begin, end) for part, begin, end in header["wrong"]}


def _part(plain: list[Any]) -> Part:
    return tuple((kind, content) for kind, content in plain)


def _save_whole(detection: Detection) -> tuple[dict[str, Any], list[bytes]]:
    found = _numbers(detection)
    header = {
        "events": plain_events(detection.events()),
        "found": plain_occurrences(found),
        "kept": [[one.clock, one.events, [found[each] for each in one.found]] for one in detection.checkpoints],
        "ahead": [found[each] for each in detection.ahead],
    }
    return header, [*(one.state for one in detection.checkpoints), detection.engine.save()]


def _numbers(detection: Detection) -> dict[Occurrence, int]:
    every = [*detection.ahead, *(each for one in detection.checkpoints for each in one.found)]
    return {one: number for number, one in enumerate(dict.fromkeys(every))}


def _restore_whole(detection: Detection, header: dict[str, Any], states: list[bytes]) -> None:
    detection.engine.restore(states.pop())
    detection.history = History()
    for event in events_of(header["events"]):
        detection.history.add(event)
    found = occurrences_of(header["found"])
    detection.checkpoints = [
        Checkpoint(clock, state, count, [found[number] for number in numbers])
        for (clock, count, numbers), state in zip(header["kept"], states, strict=True)
    ]
    detection.ahead = frozenset(found[number] for number in header["ahead"])
