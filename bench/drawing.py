"""Curves and bars as SVG: small, without a library, and legible as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from pathlib import Path

Curve = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 640, 200, 60, 30, 60
_TALL = 260
_LETTER = 7
"""So wide is a letter of a name at the end of a curve."""
_LABEL, _LONGEST, _SAID, _ROW, _NUMBER = 280, 340, 320, 24, 60
_COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#8e6c8a", "#b8860b", "#4a9d9c", "#a0522d", "#7a7f87")


@dataclass(frozen=True)
class Bar:
    name: str
    value: float
    said: str
    kind: str = "peer"


def draw(path: Path, across: str, panels: Mapping[str, Mapping[str, Curve]]) -> None:
    path.write_text(svg(across, panels) + "\n", encoding="utf-8")


def svg(across: str, panels: Mapping[str, Mapping[str, Curve]]) -> str:
    """One panel below the other, each with its curves and a legend; all begin at zero."""
    height = _TOP + len(panels) * (_HEIGHT + _GAP)
    size = f'width="{_LEFT + _WIDTH + 20}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, (title, curves) in enumerate(panels.items()):
        lines += _panel(title, across, curves, _TOP + place * (_HEIGHT + _GAP))
    return "\n".join([*lines, "</svg>"])


def _panel(title: str, across: str, curves: Mapping[str, Curve], top: int) -> list[str]:
    points = [point for curve in curves.values() for point in curve]
    right = max((x for x, _ in points), default=0) or 1.0
    highest = max((y for _, y in points), default=0) or 1.0
    bottom = top + _HEIGHT
    lines = [
        f'<text x="{_LEFT}" y="{top - 8}" font-weight="bold">{title}</text>',
        f'<path d="M{_LEFT} {top} V{bottom} H{_LEFT + _WIDTH}" fill="none" stroke="#888"/>',
        f'<text x="{_LEFT + _WIDTH}" y="{bottom + 16}" text-anchor="end">{across}: 0 to {right:g}</text>',
        f'<text x="{_LEFT - 6}" y="{top + 10}" text-anchor="end">{highest:,.4g}</text>',
        f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">0</text>',
    ]
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        drawn = " ".join(f"{_LEFT + x / right * _WIDTH:.1f},{bottom - y / highest * _HEIGHT:.1f}" for x, y in curve)
        lines += [
            f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
            f'<text x="{_LEFT + 8 + number * 160}" y="{bottom + 16}" fill="{colour}">{name}</text>',
        ]
    return lines


def by_step(steps: Sequence[str], curves: Mapping[str, Sequence[float | None]], strong: Collection[str]) -> str:
    """Curves over steps that are equally far apart, on a scale of powers of ten; names stand at the ends of the curves.

    What is None is not there: a curve may end early.
    """
    known = [value for curve in curves.values() for value in curve if value is not None]
    low, high = floor(log10(min(known))), ceil(log10(max(known))) or 1
    high = max(high, low + 1)
    bottom, right = _TOP + _TALL, _LEFT + _WIDTH

    def across(place: int) -> float:
        return _LEFT + 20 + place * (_WIDTH - 40) / max(len(steps) - 1, 1)

    def up(value: float) -> float:
        return bottom - (log10(value) - low) / (high - low) * _TALL

    wide = right + 16 + _LETTER * max(map(len, curves))
    lines = [f'<svg class="curves" viewBox="0 0 {wide} {bottom + 30}" width="{wide}" height="{bottom + 30}">']
    for power in range(low, high + 1):
        y = up(10.0**power)
        lines.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        lines.append(
            f'<text class="dim" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(10.0**power)}</text>'
        )
    for place, step in enumerate(steps):
        lines.append(f'<text x="{across(place):.1f}" y="{bottom + 18}" text-anchor="middle">{escape(step)}</text>')
    ends = {}
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points = [(across(place), up(value)) for place, value in enumerate(curve) if value is not None]
        if not points:
            continue
        thick = 3 if name in strong else 1.5
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{thick}" fill="{colour}"/>' for x, y in points]
        ends[name] = (points[-1][1], colour)
    lowest = 0.0
    for name, (y, colour) in sorted(ends.items(), key=lambda one: one[1][0]):
        lowest = max(y, lowest + 15)  # names do not lie on each other
        lines.append(f'<text x="{right + 8}" y="{lowest + 4:.1f}" style="fill: {colour}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>"])


def _short(number: float) -> str:
    """A power of ten, so that it has room beside the curves."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def bars(
    given: Sequence[Bar], *, logarithmic: bool = False, most: float | None = None, mark: float | None = None
) -> str:
    """Horizontal bars; on a logarithmic scale they begin at the power of ten below the least that is not zero.

    A line goes through all of them at the `mark`.
    """
    low = 10.0 ** floor(log10(min((one.value for one in given if one.value), default=1.0))) if logarithmic else 0.0
    high = most or max(low * 10, mark or 0.0, *(one.value for one in given))

    def length(value: float) -> float:
        if not value:
            return 1.0
        share = log10(value / low) / log10(high / low) if logarithmic else value / high
        return max(share * _LONGEST, 1.0)

    height = len(given) * _ROW + 8
    width = _LABEL + _LONGEST + _SAID
    marked = length(mark) if mark is not None else 0.0
    lines = [f'<svg class="bars" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    for place, one in enumerate(given):
        top, long = place * _ROW + 4, length(one.value)
        behind = marked if long < marked < long + _NUMBER else long  # the line does not go through what is said
        lines += [
            f'<text x="{_LABEL - 8}" y="{top + 14}" text-anchor="end">{escape(one.name)}</text>',
            f'<rect class="{one.kind}" x="{_LABEL}" y="{top}" width="{long:.1f}" height="{_ROW - 6}" rx="2"/>',
            f'<text class="dim" x="{_LABEL + behind + 6:.1f}" y="{top + 14}">{escape(one.said)}</text>',
        ]
    lines.append(f'<line x1="{_LABEL}" y1="0" x2="{_LABEL}" y2="{height}"/>')
    if mark is not None:
        lines.append(f'<line class="mark" x1="{_LABEL + marked:.1f}" y1="0" x2="{_LABEL + marked:.1f}" y2="{height}"/>')
    return "\n".join([*lines, "</svg>"])
