"""A pattern as a tree for notebooks: one SVG picture, without scripts, legible on light and on dark pages.

Chains of one operator (`a then b then c`) are one node, as people read them. What a child is for stands at its branch
where its place does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Literal

from ensue.algebra.patterns import (
    Absence,
    And,
    Aperiodic,
    At,
    AtLeast,
    AtMost,
    Atom,
    Before,
    Delay,
    EveryNth,
    Exactly,
    Inside,
    Interval,
    Last,
    Or,
    Pattern,
    PatternInterval,
    Periodic,
    Rank,
    SomeOf,
    Star,
    Then,
    ThenBetween,
    Times,
    Where,
    Within,
    Without,
)
from ensue.algebra.printing import print_expression, print_interval, print_pattern
from ensue.time import format_duration, format_instant

Kind = Literal["event", "combine", "test"]

_COLORS: dict[Kind, str] = {"event": "#7a7a7a", "combine": "#2f7fd6", "test": "#b8741a"}
"""Each has enough contrast with white and with black."""
_CHARACTER, _ROW, _INDENT, _HEIGHT = 7.3, 34, 26, 24


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree: what it says, what kind of operator it is, what it is for, and what hangs on it."""

    label: str
    kind: Kind
    children: tuple[Branch, ...] = ()
    role: str = ""


def tree(pattern: Pattern, role: str = "") -> Branch:
    """The tree of a pattern."""
    match pattern:
        case Atom():
            return Branch(print_pattern(pattern), "event", (), role)
        case Or() | And() | Then() | ThenBetween():
            word = {Or: "or", And: "and", Then: "then", ThenBetween: "andthen, with all between"}[type(pattern)]
            return Branch(word, "combine", tuple(map(tree, _chain(pattern))), role)
        case Without(operand, excluded, since_firing):
            word = "and not, since it last fired" if since_firing else "without"
            return Branch(word, "test", (tree(operand), tree(excluded, "not")), role)
        case Within(operand, duration):
            return Branch(f"within {format_duration(duration)}", "test", (tree(operand),), role)
        case Inside(operand, interval):
            return Branch(f"in {print_interval(interval)}", "test", (tree(operand),), role)
        case Before(operand, instant):
            return Branch(f"before {format_instant(instant)}", "test", (tree(operand),), role)
        case At(operand, instant, unit):
            return Branch(f"at {format_instant(instant, unit)}", "test", (tree(operand),), role)
        case Where(operand, condition):
            return Branch(f"where {print_expression(condition)}", "test", (tree(operand),), role)
        case _:
            return _counting(pattern, role)


def _counting(pattern: Pattern, role: str) -> Branch:
    """What counts, collects or waits."""
    match pattern:
        case Times(count, operand):
            return Branch(f"{count} times", "combine", (tree(operand),), role)
        case SomeOf(count, operands, exactly):
            word = f"{'exactly ' if exactly else ''}{count} of"
            return Branch(word, "combine", tuple(map(tree, operands)), role)
        case Star(left, repeated, right):
            parts = (tree(left), tree(repeated, "any number of"), tree(right))
            return Branch("then", "combine", parts, role)
        case Aperiodic(start, body, stop, collected):
            parts = (tree(start, "from"), tree(body, "each"), tree(stop, "until"))
            return Branch(f"aperiodic{', collected' if collected else ''}", "combine", parts, role)
        case Periodic(start, period, stop, collected):
            word = f"every {format_duration(period)}{', collected' if collected else ''}"
            return Branch(word, "combine", (tree(start, "from"), tree(stop, "until")), role)
        case Delay(operand, duration):
            return Branch(f"{format_duration(duration)} after", "combine", (tree(operand),), role)
        case Absence(excluded, interval):
            return Branch(f"nothing during {print_interval(interval)}", "combine", (tree(excluded, "not"),), role)
        case AtLeast(count, operand, interval):
            return _during(f"at least {count} times", operand, interval, role)
        case AtMost(count, operand, interval):
            return _during(f"at most {count} times", operand, interval, role)
        case Exactly(count, operand, interval):
            return _during(f"exactly {count} times", operand, interval, role)
        case EveryNth(count, operand, interval):
            return _during(f"every {count}th" if count > 3 else f"each one of {count}", operand, interval, role)
        case Rank(count, operand, interval):
            return _during(f"number {count}", operand, interval, role)
        case Last(operand, interval):
            return _during("the last", operand, interval, role)
        case _:
            raise TypeError(f"{type(pattern).__name__} is no node of the algebra")


def _during(word: str, operand: Pattern, interval: Interval, role: str) -> Branch:
    if isinstance(interval, PatternInterval):
        return Branch(word, "combine", (tree(operand), tree(interval.pattern, "during")), role)
    return Branch(f"{word} during {print_interval(interval)}", "combine", (tree(operand),), role)


def _chain(pattern: Or | And | Then | ThenBetween) -> list[Pattern]:
    parts: list[Pattern] = [pattern.right]
    inner = pattern.left
    while isinstance(inner, type(pattern)):
        parts.append(inner.right)
        inner = inner.left
    return [inner, *reversed(parts)]


def draw(pattern: Pattern) -> str:
    """The picture, as HTML."""
    rows = list(_rows(tree(pattern), 0, None))
    width = max(_left(depth) + _width(branch) for branch, depth, _ in rows) + 8
    height = len(rows) * _ROW + 2
    lines = "".join(_line(place, depth, above) for place, (_, depth, above) in enumerate(rows) if above is not None)
    nodes = "".join(_node(place, depth, branch) for place, (branch, depth, _) in enumerate(rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(str(pattern))}" width="{width:.0f}"'
        f' height="{height}" viewBox="0 0 {width:.0f} {height}" style="max-width:100%;font:12px ui-monospace,'
        f'Menlo,Consolas,monospace">{lines}{nodes}</svg>'
    )


def _rows(branch: Branch, depth: int, above: int | None, start: int = 0) -> Iterator[tuple[Branch, int, int | None]]:
    """The nodes from top to bottom, each with its depth and the row of the node that it hangs on."""
    yield branch, depth, above
    row = start + 1
    for child in branch.children:
        below = list(_rows(child, depth + 1, start, row))
        yield from below
        row += len(below)


def _left(depth: int) -> int:
    return 4 + depth * _INDENT


def _width(branch: Branch) -> float:
    role = len(branch.role) + 1 if branch.role else 0
    return (len(branch.label) + role) * _CHARACTER + 18


def _line(place: int, depth: int, above: int) -> str:
    x, top, y = _left(depth - 1) + 12, above * _ROW + _HEIGHT + 1, place * _ROW + _HEIGHT / 2 + 1
    return f'<path d="M{x} {top}V{y}H{_left(depth)}" fill="none" stroke="#8a8a8a"/>'


def _node(place: int, depth: int, branch: Branch) -> str:
    x, y = _left(depth), place * _ROW + 1
    dash = ' stroke-dasharray="4 3"' if branch.role == "not" else ""
    color = _COLORS[branch.kind]
    role = f'<tspan fill="#8a8a8a">{escape(branch.role)} </tspan>' if branch.role else ""
    weight = "" if branch.kind == "event" else ' font-weight="600"'
    return (
        f'<rect x="{x}" y="{y}" width="{_width(branch):.0f}" height="{_HEIGHT}" rx="6" fill="{color}"'
        f' fill-opacity="0.12" stroke="{color}"{dash}/>'
        f'<text x="{x + 9}" y="{y + 16}" fill="currentColor" xml:space="preserve"{weight}>{role}'
        f"{escape(branch.label)}</text>"
    )
