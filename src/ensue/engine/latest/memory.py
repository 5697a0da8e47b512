"""What a machine of context `latest` remembers, as JSON: it is saved beside the tables of the other nodes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

from ensue.algebra.functions import instant_of
from ensue.engine.latest.machine import Firing, LatestMachine
from ensue.model import Constituent, Event, Occurrence, Value
from ensue.model.occurrences import Bindings
from ensue.time import to_datetime


def write(machine: LatestMachine) -> bytes:
    """Everything but the pattern."""
    held = [
        [list(path), [[bindings, [_event(e) for e in events]] for bindings, events in known.items()]]
        for path, known in machine.held.items()
    ]
    firings = [
        [sigma, f.since, sorted(f.due), [[o.begin, o.end, [[c.time, c.id] for c in o.constituents]] for o in f.before]]
        for sigma, f in machine.firings.items()
    ]
    excluded = [_event(event) for event in machine.excluded]
    return json.dumps(
        {
            "held": held,
            "firings": firings,
            "excluded": excluded,
            "place": machine.place,
            "remembered": machine.world.remembered,
        }
    ).encode()


def read(machine: LatestMachine, content: bytes) -> None:
    """Put a new machine for the same pattern into the state that was written."""
    memory = json.loads(content)
    for path, known in memory["held"]:
        machine.held[tuple(path)].clear()
        for bindings, events in known:
            machine.held[tuple(path)][_bindings(bindings)] = [_read_event(event) for event in events]
    machine.firings = {}
    for sigma, since, due, before in memory["firings"]:
        bound = _bindings(sigma)
        known_before = frozenset(
            Occurrence(begin, end, tuple(Constituent(*c) for c in constituents), bound)
            for begin, end, constituents in before
        )
        machine.firings[bound] = Firing(tuple(since) if since else None, known_before, {tuple(place) for place in due})
    machine.excluded = [_read_event(event) for event in memory["excluded"]]
    machine.place = tuple(memory["place"])
    machine.world = replace(machine.world, remembered=memory["remembered"])


def _event(event: Event) -> list[Any]:
    return [event.id, event.type, event.time, {name: _value(value) for name, value in event.attributes.items()}]


def _read_event(written: list[Any]) -> Event:
    name, kind, time, attributes = written
    return Event(name, kind, time, {key: _read_value(value) for key, value in attributes.items()})


def _value(value: Value | None) -> Any:
    return {"time": instant_of(value)} if isinstance(value, datetime) else value


def _read_value(written: Any) -> Value | None:
    return to_datetime(written["time"]) if isinstance(written, dict) else written


def _bindings(written: list[Any]) -> Bindings:
    return tuple((name, (kind, content)) for name, (kind, content) in written)
