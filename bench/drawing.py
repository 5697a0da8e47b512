"""Curves as SVG: small, without a library, and legible as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Curve = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 640, 200, 60, 30, 60
_COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#8e6c8a")


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
