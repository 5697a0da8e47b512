"""How far back a class defined by a pattern may still be corrected, from the lifespans of what it depends on."""

from __future__ import annotations

from ensue.algebra.bounds import lifespan
from ensue.algebra.variables import is_timed
from ensue.algebra.wants import any_event
from ensue.language.program import ComplexClass, Program
from ensue.spark.corrections.in_shards import Purge


def purge_of(item: ComplexClass, program: Program, first: int) -> Purge | None:
    """What is forgotten at the last moment of purging before a window: the grid is half of the longest lifespan.

    None if nothing can be: a class that is looked at is kept for ever, or has no end of its own.
    """
    spans = {one.declaration.name: _lifespan(program, one.declaration.name) for one in program.subscribed_classes}
    known = [span for span in spans.values() if span is not None]
    below = _reach_below(item, program)
    used = [spans[name] for name in _outside(item, program)]
    if not known or below is None or None in used:
        return None
    grid = max(1, max(known) // 2)
    at = first // grid * grid
    own = lifespan(item.pattern).length or 0
    return Purge(at, at - max([own, *(span for span in used if span is not None)]) - below)


def _lifespan(program: Program, name: str) -> int | None:
    """The lifespan of a class, or of the nearest one above it that says."""
    spans = {one.declaration.name: one.lifespan for one in program.subscribed_classes}
    at: str | None = name
    while at is not None:
        if spans.get(at) is not None:
            return spans[at]
        at = program.classes[at].parent
    return None


def _used(item: ComplexClass, program: Program) -> list[str]:
    """The classes that a pattern looks at, and those under them."""
    return sorted({name for used in item.uses for name in program.taxonomy.below(used) if name in program.classes})


def _outside(item: ComplexClass, program: Program) -> set[str]:
    """The classes from outside that a class depends on, directly or by others."""
    subscribed = {one.declaration.name for one in program.subscribed_classes}
    if is_timed(item.pattern) or any_event(item.pattern):
        return subscribed
    derived = {one.declaration.name: one for one in program.derived_classes}
    found, waiting = set[str](), _used(item, program)
    while waiting:
        name = waiting.pop()
        if name in subscribed:
            found.add(name)
        elif name in derived:
            one = derived[name]
            found |= _outside(one, program) if isinstance(one, ComplexClass) else set()
            waiting += [] if isinstance(one, ComplexClass) else sorted(one.uses)
    return found


def _reach_below(item: ComplexClass, program: Program) -> int | None:
    """How long before a correction an event of a class below may lie that it changes; None: any time."""
    derived = {one.declaration.name: one for one in program.derived_classes}
    reaches: list[int | None] = [0]
    for name in _used(item, program):
        one = derived.get(name)
        if isinstance(one, ComplexClass):
            own, below = lifespan(one.pattern).length, _reach_below(one, program)
            reaches.append(None if own is None or below is None else own + below)
        elif one is not None:
            reaches.append(None)  # a SELECT says nothing about how far it looks
    return None if None in reaches else max(reach for reach in reaches if reach is not None)
