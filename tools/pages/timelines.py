"""Events on a line of time, and below them what was found: one SVG picture, in the colours of light and dark pages.

Every instant has a column of the same width, so that the labels fit; the times stand above them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

_COLUMN, _ROW, _TOP, _EDGE = 84, 22, 62, 18
_CHARACTER = 7.2
_HUES = ("#2f7fd6", "#c2571a", "#2e8b57", "#9b4fc0", "#a8811a", "#7a7a7a")
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #222; }
.time, .note { fill: #666; } .title { font-weight: bold; }
.guide { stroke: #0002; } .band { fill: #8881; } .found { stroke: #555; stroke-width: 2.5; }
@media (prefers-color-scheme: dark) {
text { fill: #ddd; } .time, .note { fill: #aaa; } .guide { stroke: #fff3; } .found { stroke: #aaa; } }
"""


@dataclass(frozen=True)
class Mark:
    """An event: its id, class and time."""

    id: str
    type: str
    time: datetime


@dataclass(frozen=True)
class Span:
    """An occurrence: its interval and the ids of the events in it."""

    begin: datetime
    end: datetime
    constituents: Sequence[str]


def timeline(marks: Sequence[Mark], found: Mapping[str, Sequence[Span]], description: str) -> str:
    """A picture of the events and, below the title of each group, of what was found."""
    times = {mark.time for mark in marks}
    times |= {time for spans in found.values() for span in spans for time in (span.begin, span.end)}
    side = max((len(title) for title in found), default=0) * _CHARACTER + 2 * _EDGE
    columns = {time: side + (index + 0.5) * _COLUMN for index, time in enumerate(sorted(times))}
    types = sorted({mark.type for mark in marks}, key=[mark.type for mark in marks].index)
    hues = {type_: _HUES[index % len(_HUES)] for index, type_ in enumerate(types)}
    places = {mark.id: (columns[mark.time], hues[mark.type]) for mark in marks}
    depth = _depth(marks)
    parts, y = [], _TOP + (depth - 1) * 2 * _ROW
    bands = []
    for index, (title, spans) in enumerate(found.items()):
        height = max(len(spans), 1) * _ROW + 10
        if index % 2 == 0:
            bands.append(f'<rect class="band" x="0" y="{y}" width="100%" height="{height}"/>')
        parts.append(f'<text class="title" x="{_EDGE}" y="{y + 20}">{escape(title)}</text>')
        parts += [_span(span, places, columns, y + 16 + row * _ROW) for row, span in enumerate(spans)]
        if not spans:
            parts.append(f'<text class="note" x="{side + _EDGE}" y="{y + 20}">nothing</text>')
        y += height
    guides = [f'<path class="guide" d="M{x:.0f} {_TOP - 6}V{y}"/>' for x in columns.values()]
    width = side + len(columns) * _COLUMN + _EDGE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {y + 4}" width="{width:.0f}" '
        f'height="{y + 4}" role="img" aria-label="{escape(description)}"><style>{_STYLE}</style>'
    )
    return "\n".join([head, *bands, *guides, *_clock(columns), *_events(marks, places), *parts, "</svg>\n"])


def _depth(marks: Sequence[Mark]) -> int:
    return max((sum(other.time == mark.time for other in marks) for mark in marks), default=1)


def _clock(columns: Mapping[datetime, float]) -> list[str]:
    several = len({time.date() for time in columns}) > 1
    form = "%d %b %H:%M" if several else "%H:%M:%S" if any(time.second for time in columns) else "%H:%M"
    return [
        f'<text class="time" text-anchor="middle" x="{x:.0f}" y="16">{time:{form}}</text>'
        for time, x in columns.items()
    ]


def _events(marks: Sequence[Mark], places: Mapping[str, tuple[float, str]]) -> list[str]:
    """A dot and a label each, simultaneous ones below each other."""
    above: dict[datetime, int] = {}
    parts = []
    for mark in marks:
        x, hue = places[mark.id]
        y = 32 + above.get(mark.time, 0) * 2 * _ROW
        above[mark.time] = above.get(mark.time, 0) + 1
        parts.append(f'<circle cx="{x:.0f}" cy="{y}" r="6" fill="{hue}"/>')
        parts.append(f'<text text-anchor="middle" x="{x:.0f}" y="{y + 20}">{escape(mark.id)}</text>')
    return parts


def _span(span: Span, places: Mapping[str, tuple[float, str]], columns: Mapping[datetime, float], y: float) -> str:
    begin, end = columns[span.begin], columns[span.end]
    line = f'<path class="found" d="M{begin:.0f} {y}H{end:.0f}"/>'
    ends = f'<path class="found" d="M{begin:.0f} {y - 4}v8M{end:.0f} {y - 4}v8"/>'
    dots = "".join(
        f'<circle cx="{places[id_][0]:.0f}" cy="{y}" r="6" fill="{places[id_][1]}"/>'
        for id_ in span.constituents
        if id_ in places
    )
    return line + ends + dots
