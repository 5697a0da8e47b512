"""What of a history goes into a page: all of it, or as much as a browser handles well, and a note of what does not."""

from __future__ import annotations

from dataclasses import dataclass

from ensue.report.history import Event, History, Ref, Told
from ensue.report.links import Links

MOST_TOLD = 50_000
MOST_EVENTS = 50_000


@dataclass(frozen=True, slots=True)
class Selection:
    """The publications and events of a page, and what is left out, in words."""

    found: tuple[str, ...]
    """The classes whose events are shown as what was found."""
    told: tuple[Told, ...]
    events: dict[str, list[Event]]
    notes: tuple[str, ...]


def select(
    history: History,
    links: Links,
    only: str | None = None,
    most_told: int = MOST_TOLD,
    most_events: int = MOST_EVENTS,
) -> Selection:
    """Take the newest publications, with all that they are made of, and then the newest of the other events."""
    found = history.found if only is None else (only,)
    told = tuple(one for one in history.told if one.event[0] in found)
    kept = told[-most_told:]
    chosen = _with_parts(dict.fromkeys(one.event for one in reversed(kept)), links, history, most_events)
    others = sorted(
        (
            (event.last.end, ref in found, event.ref)
            for ref, table in history.classes.items()
            if ref in found or not table.derived or only is None
            for event in table.events.values()
            if event.ref not in chosen
        ),
        reverse=True,
    )
    # what was found comes before what merely happened
    ordered = [ref for _, is_found, ref in others if is_found] + [ref for _, is_found, ref in others if not is_found]
    chosen = _with_parts(dict.fromkeys(ordered), links, history, most_events, chosen)
    events: dict[str, list[Event]] = {name: [] for name in history.classes}
    for ref in chosen:
        event = history.event(ref)
        if event is not None:
            events[ref[0]].append(event)
    for listed in events.values():
        listed.sort(key=lambda event: (event.last.end, event.ref))
    return Selection(found, kept, events, tuple(_notes(history, found, kept, events)))


def _with_parts(
    wanted: dict[Ref, None], links: Links, history: History, most: int, start: dict[Ref, None] | None = None
) -> dict[Ref, None]:
    """Add events, each with its parts, as long as there is room."""
    chosen = dict(start or {})
    for ref in wanted:
        if len(chosen) >= most:
            break
        for one in (ref, *links.within(ref)):
            if history.event(one) is not None:
                chosen.setdefault(one)
    return chosen


def _notes(
    history: History, found: tuple[str, ...], kept: tuple[Told, ...], events: dict[str, list[Event]]
) -> list[str]:
    notes = []
    total = sum(count for (name, _), count in history.cases.items() if name in found)
    if len(kept) < total:
        notes.append(f"Of {total:,} publications the newest {len(kept):,} are on this page; the summary counts all.")
    for name, table in history.classes.items():
        if table.read < table.total:
            notes.append(f"Of {table.total:,} rows of {name} the newest {table.read:,} were read.")
        shown = len(events[name])
        if shown < len(table.events) and (name in found or not table.derived):
            notes.append(f"Of {len(table.events):,} events of {name} {shown:,} are on this page.")
    return notes
